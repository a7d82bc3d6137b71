import { ByteBuffer } from "./byte-buffer.js";

const NOTHING = Buffer.alloc(0);

/**
 * What has arrived and is not consumed yet: the chunk that is being read, and what came after it. As a rule there is
 * nothing behind: a chunk is read to its end before the next one arrives, and is not copied. Only behind a command that
 * must wait do chunks gather, small ones copied together, so that a million chunks of one byte do not cost a million
 * buffers.
 */
export class Input {
  /** The chunk that is being read. */
  chunk: Buffer = NOTHING;
  /** Where the first byte in it that is not consumed stands. */
  at = 0;
  readonly #pieces: Buffer[] = [];
  #behind: ByteBuffer | null = null;
  #bytesBehindChunk = 0;

  /** Bytes that are not consumed. */
  get length(): number {
    return this.chunk.length - this.at + this.#bytesBehindChunk;
  }

  /** Takes a chunk over. */
  feed(chunk: Buffer): void {
    if (this.length === 0) {
      this.chunk = chunk;
      this.at = 0;
      return;
    }
    this.#behind ??= new ByteBuffer();
    this.#behind.append(chunk);
    this.#bytesBehindChunk += chunk.length;
  }

  /** Sees to it that `chunk` has a byte at `at`; false when everything is consumed. */
  refill(): boolean {
    if (this.at < this.chunk.length) return true;
    this.chunk = this.#takePiece();
    this.at = 0;
    return this.chunk.length > 0;
  }

  /** Forgets everything. */
  clear(): void {
    this.chunk = NOTHING;
    this.at = 0;
    this.#pieces.length = 0;
    this.#behind = null;
    this.#bytesBehindChunk = 0;
  }

  #takePiece(): Buffer {
    if (this.#bytesBehindChunk === 0) return NOTHING;
    if (this.#pieces.length === 0 && this.#behind !== null) {
      this.#pieces.push(...this.#behind.drain());
      this.#behind = null;
    }
    const piece = this.#pieces.shift() ?? NOTHING;
    this.#bytesBehindChunk -= piece.length;
    return piece;
  }
}
