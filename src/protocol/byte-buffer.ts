const FIRST_BYTES = 512;
/** A buffer that grew beyond this is given back to the collector once it is empty. */
const KEEP_BYTES = 16 * 1024;
/** Slices from this size on are kept as they are instead of being copied. */
const SHARE_BYTES = 16 * 1024;

/**
 * Bytes on their way out: small pieces are copied together, so that the replies of one turn leave in one write; large
 * ones are only referred to.
 */
export class ByteBuffer {
  #buffer: Buffer | null = null;
  #start = 0;
  #end = 0;
  #done: Buffer[] = [];
  #doneBytes = 0;

  /** Bytes that wait in it. */
  get length(): number {
    return this.#doneBytes + this.#end - this.#start;
  }

  /** Appends bytes. A large buffer is kept by reference: it must not change any more. */
  append(bytes: Buffer): void {
    const size = bytes.length;
    if (size >= SHARE_BYTES) {
      this.#cut();
      this.#done.push(bytes);
      this.#doneBytes += size;
      return;
    }
    const target = this.#reserve(size);
    bytes.copy(target, this.#end);
    this.#end += size;
  }

  /** Appends a string, one byte for each character (latin1). */
  appendLatin1(text: string): void {
    const target = this.#reserve(text.length);
    this.#end += target.write(text, this.#end, "latin1");
  }

  /** Takes everything out, in order, as few pieces as there are. The pieces are the caller's until `reuse`. */
  drain(): readonly Buffer[] {
    this.#cut();
    const pieces = this.#done;
    this.#done = [];
    this.#doneBytes = 0;
    return pieces;
  }

  /** The caller is through with all drained pieces: their memory may be written again. */
  reuse(): void {
    if (this.#buffer !== null && this.#buffer.length > KEEP_BYTES) this.#buffer = null;
    this.#start = 0;
    this.#end = 0;
  }

  /** The drained pieces are still in use: write into new memory from now on. */
  abandon(): void {
    this.#buffer = null;
    this.#start = 0;
    this.#end = 0;
  }

  #cut(): void {
    if (this.#buffer === null || this.#end === this.#start) return;
    this.#done.push(this.#buffer.subarray(this.#start, this.#end));
    this.#doneBytes += this.#end - this.#start;
    this.#start = this.#end;
  }

  #reserve(size: number): Buffer {
    const buffer = this.#buffer;
    if (buffer !== null && this.#end + size <= buffer.length) return buffer;
    const used = this.#end - this.#start;
    const grown = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, nextPowerOfTwo(used + size)));
    if (buffer !== null) buffer.copy(grown, 0, this.#start, this.#end);
    this.#buffer = grown;
    this.#start = 0;
    this.#end = used;
    return grown;
  }
}

function nextPowerOfTwo(n: number): number {
  return 2 ** Math.ceil(Math.log2(n));
}
