import type { Item } from "../item.js";

/** Items that were given back: served before the line, in the order of their old places. */
export class ReturnedItems {
  #items: Item[] = [];
  #bytes = 0;

  get length(): number {
    return this.#items.length;
  }

  /** Bytes of the items' data. */
  get bytes(): number {
    return this.#bytes;
  }

  get head(): Item | undefined {
    return this.#items[0];
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.#items.values();
  }

  add(item: Item): void {
    this.#items.splice(this.#placeOf(item.seq), 0, item);
    this.#bytes += item.data.length;
  }

  shift(): Item | undefined {
    const item = this.#items.shift();
    if (item !== undefined) this.#bytes -= item.data.length;
    return item;
  }

  remove(items: ReadonlySet<Item>): void {
    this.#items = this.#items.filter((item) => !items.has(item));
    this.#bytes = this.#items.reduce((sum, item) => sum + item.data.length, 0);
  }

  clear(): void {
    this.#items = [];
    this.#bytes = 0;
  }

  // Binary search for the first place behind all lower sequence numbers.
  #placeOf(seq: number): number {
    let low = 0;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#items[middle]?.seq ?? 0) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
