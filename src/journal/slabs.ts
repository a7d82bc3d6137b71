/** The first slab of a queue; each next one is twice as large, up to the largest. */
const FIRST_BYTES = 1024;
const LARGEST_BYTES = 16 * 1024;

/**
 * Memory for the bytes of small items that are put one after the other. A buffer of its own for each would cost more than
 * many an item; one for a whole page would be pinned by its last item, and half empty where traffic is uneven.
 */
export class Slabs {
  #slab = Buffer.alloc(0);
  #used = 0;

  /** A copy of `data` that is only this item's. */
  keep(data: Buffer): Buffer {
    const size = data.length;
    if (size * 2 > LARGEST_BYTES) return Buffer.from(data);
    if (this.#used + size > this.#slab.length) this.#next(size);
    const start = this.#used;
    this.#used += size;
    data.copy(this.#slab, start);
    return this.#slab.subarray(start, this.#used);
  }

  #next(size: number): void {
    let bytes = Math.min(LARGEST_BYTES, Math.max(FIRST_BYTES, this.#slab.length * 2));
    while (bytes < size) bytes *= 2;
    this.#slab = Buffer.allocUnsafeSlow(bytes);
    this.#used = 0;
  }
}
