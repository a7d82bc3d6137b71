/** A promise of the next batch, made when the first one asks for it. */
export class NextCommit {
  #promise: Promise<void> | null = null;
  #done: () => void = () => {};

  /** Fulfilled when the next batch is written, or will never be. */
  get promise(): Promise<void> {
    this.#promise ??= new Promise((resolve) => {
      this.#done = resolve;
    });
    return this.#promise;
  }

  /** The batch is composed: answers what fulfils the promise, and begins anew. */
  take(): () => void {
    const done = this.#done;
    this.#promise = null;
    this.#done = () => {};
    return done;
  }
}
