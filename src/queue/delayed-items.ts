import { type Clock, MAX_TIMER_MS, type Timer } from "../clock.js";
import type { Item } from "../item.js";

interface Delayed {
  readonly item: Item;
  readonly dueAt: number;
}

/** Items that are not due yet, those due first in front, and the timer for the first. All of them are in memory. */
export class DelayedItems {
  readonly #clock: Clock;
  readonly #onDue: () => void;
  #items: Delayed[] = [];
  #bytes = 0;
  #timer: Timer | null = null;

  constructor(clock: Clock, onDue: () => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  get length(): number {
    return this.#items.length;
  }

  /** Bytes of the items' data. */
  get bytes(): number {
    return this.#bytes;
  }

  add(item: Item, dueAt: number): void {
    let at = this.#items.length;
    while (at > 0 && (this.#items[at - 1] as Delayed).dueAt > dueAt) at--;
    this.#items.splice(at, 0, { item, dueAt });
    this.#bytes += item.data.length;
    if (at === 0) this.#arm();
  }

  /** Takes out the next that is due. */
  takeDue(): Item | undefined {
    const first = this.#items[0];
    if (first === undefined || first.dueAt > this.#clock.wallMs()) {
      this.#arm();
      return undefined;
    }
    this.#items.shift();
    this.#bytes -= first.item.data.length;
    return first.item;
  }

  remove(items: ReadonlySet<Item>): void {
    this.#items = this.#items.filter(({ item }) => !items.has(item));
    this.#bytes = this.#items.reduce((bytes, { item }) => bytes + item.data.length, 0);
  }

  clear(): void {
    this.#items = [];
    this.#bytes = 0;
    this.#timer?.clear();
    this.#timer = null;
  }

  #arm(): void {
    this.#timer?.clear();
    this.#timer = null;
    const first = this.#items[0];
    if (first === undefined) return;
    const leftMs = Math.min(Math.max(0, first.dueAt - this.#clock.wallMs()), MAX_TIMER_MS);
    this.#timer = this.#clock.after(leftMs, this.#onDue, { background: true });
  }
}
