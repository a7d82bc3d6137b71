const FIRST_BYTES = 128;

/** A line that arrives in pieces, copied aside so that no chunk is kept for it; the room doubles as it grows. */
export class PartialLine {
  /** Bytes of the line so far. */
  length = 0;
  #room = Buffer.allocUnsafeSlow(FIRST_BYTES);

  /** The line is the first `length` bytes of it. */
  get bytes(): Buffer {
    return this.#room;
  }

  /** Appends the bytes of `chunk` from `start` to `end`. */
  append(chunk: Buffer, start: number, end: number): void {
    const needed = this.length + end - start;
    if (needed > this.#room.length) this.#grow(needed);
    chunk.copy(this.#room, this.length, start, end);
    this.length = needed;
  }

  #grow(needed: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#room.length));
    this.#room.copy(grown, 0, 0, this.length);
    this.#room = grown;
  }
}
