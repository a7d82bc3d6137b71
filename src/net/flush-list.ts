/** What has bytes to write. */
export interface Flushable {
  flush(): void;
}

/**
 * The connections that have something to say. Each is flushed once, at the end of the callback in which it was answered and
 * in the order of the first answers, so that all its replies leave in one write.
 */
export class FlushList {
  readonly #dirty: Flushable[] = [];
  readonly #run = (): void => this.#flushAll();

  /** Flushes it soon. Whoever adds sees to it that it is added once. */
  add(connection: Flushable): void {
    if (this.#dirty.push(connection) === 1) process.nextTick(this.#run);
  }

  #flushAll(): void {
    const dirty = this.#dirty;
    // A flush may make others dirty; they are appended and flushed here too.
    for (let i = 0; i < dirty.length; i++) dirty[i]?.flush();
    dirty.length = 0;
  }
}
