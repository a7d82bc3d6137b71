import type { Item } from "../item.js";

/** What an item costs in memory beside its bytes: its objects and its place in the list. */
export const ITEM_OVERHEAD_BYTES = 256;

const FIRST_SLOTS = 16;

/** Items in line that are in memory, first come first served: a ring that doubles when it is full. */
export class ItemList {
  #slots: (Item | undefined)[] = new Array(FIRST_SLOTS);
  #first = 0;
  #length = 0;
  #bytes = 0;

  get length(): number {
    return this.#length;
  }

  /** Bytes of the items' data. */
  get bytes(): number {
    return this.#bytes;
  }

  /** About what the list takes in memory. */
  get memoryBytes(): number {
    return this.#bytes + this.#length * ITEM_OVERHEAD_BYTES;
  }

  get head(): Item | undefined {
    return this.#slots[this.#first];
  }

  push(item: Item): void {
    if (this.#length === this.#slots.length) this.#resize(this.#slots.length * 2);
    this.#slots[(this.#first + this.#length) & (this.#slots.length - 1)] = item;
    this.#length++;
    this.#bytes += item.data.length;
  }

  shift(): Item | undefined {
    const item = this.#slots[this.#first];
    if (item === undefined) return undefined;
    this.#slots[this.#first] = undefined;
    this.#first = (this.#first + 1) & (this.#slots.length - 1);
    this.#length--;
    this.#bytes -= item.data.length;
    if (this.#length === 0 && this.#slots.length > FIRST_SLOTS) this.clear();
    return item;
  }

  /** Takes the given items out, wherever they are. */
  remove(items: ReadonlySet<Item>): void {
    const kept = [...this].filter((item) => !items.has(item));
    if (kept.length === this.#length) return;
    this.clear();
    for (const item of kept) this.push(item);
  }

  clear(): void {
    this.#slots = new Array(FIRST_SLOTS);
    this.#first = 0;
    this.#length = 0;
    this.#bytes = 0;
  }

  *[Symbol.iterator](): Generator<Item> {
    for (let i = 0; i < this.#length; i++) {
      const item = this.#slots[(this.#first + i) & (this.#slots.length - 1)];
      if (item !== undefined) yield item;
    }
  }

  #resize(slots: number): void {
    const items = [...this];
    this.#slots = items;
    this.#slots.length = slots;
    this.#first = 0;
  }
}
