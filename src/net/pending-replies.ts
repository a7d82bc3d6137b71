/** More unanswered commands than this, and no further one is taken from the connection. */
const MAX_COMMANDS = 1024;
/** More bytes of items on their way in or out than this, likewise. */
const MAX_BYTES = 1024 * 1024;

/** A command whose reply cannot be sent yet. */
export interface PendingReply<C, R> {
  readonly command: C;
  readonly answer: R | Promise<R>;
  /** Bytes of items that it holds in memory. */
  readonly bytes: number;
}

/** The commands of one connection that were executed and not answered, in the order of their replies. */
export class PendingReplies<C, R> {
  #entries: PendingReply<C, R>[] = [];
  #head = 0;
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#head === this.#entries.length;
  }

  /** So much is pending that no further command should be executed. */
  get isFull(): boolean {
    return this.#entries.length - this.#head >= MAX_COMMANDS || this.#bytes >= MAX_BYTES;
  }

  /** The one that is to be answered next. */
  get first(): PendingReply<C, R> | undefined {
    return this.#entries[this.#head];
  }

  push(entry: PendingReply<C, R>): void {
    this.#entries.push(entry);
    this.#bytes += entry.bytes;
  }

  shift(): void {
    this.#bytes -= this.first?.bytes ?? 0;
    this.#head++;
    if (this.#head < this.#entries.length) return;
    this.#entries = [];
    this.#head = 0;
  }

  clear(): void {
    this.#entries = [];
    this.#head = 0;
    this.#bytes = 0;
  }
}
