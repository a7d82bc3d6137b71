import type { Clock, Timer } from "../clock.js";
import { describeError, WindhoverError } from "../errors.js";
import type { Item } from "../item.js";
import type { QueueJournal } from "../journal/queue-journal.js";
import type { Log } from "../log.js";
import type { ItemList } from "./item-list.js";

/** Bytes that one trip to the disk brings. */
const TRIP_BYTES = 1024 * 1024;
const RETRY_MS = 100;

/**
 * The part of a queue that is too long for memory and lies behind on the disk.
 *
 * `level`: everything in line is in memory. `behind`: what was put last is only in the journal; whenever the list in memory
 * is less than half full, the next part is read. It is `level` again when reading has caught up with the puts.
 */
export class ReadBehind {
  readonly #list: ItemList;
  readonly #journal: QueueJournal;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #maxBytes: number;
  readonly #onItems: () => void;
  #behind: boolean;
  #cursor: number;
  #loading = false;
  #retry: Timer | null = null;
  /** Counts flushes, so that what was read before one is dropped. */
  #epoch = 0;
  /** What was withdrawn while a part was being read, which may be in it. */
  readonly #withdrawn = new Set<Item>();

  constructor(options: {
    readonly list: ItemList;
    readonly journal: QueueJournal;
    readonly clock: Clock;
    readonly log: Log;
    /** `max_memory_size`; Infinity for a queue that has no journal to lie behind in. */
    readonly maxBytes: number;
    /** Items have come, or it is sure that none will. */
    readonly onItems: () => void;
  }) {
    this.#list = options.list;
    this.#journal = options.journal;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#maxBytes = options.maxBytes;
    this.#onItems = options.onItems;
    this.#behind = options.journal.waiting > 0;
    this.#cursor = options.journal.head;
  }

  /** Items lie behind: an empty list does not mean an empty queue. */
  get active(): boolean {
    return this.#behind;
  }

  /** The sequence number at which what lies behind begins. */
  get cursor(): number {
    return this.#cursor;
  }

  /** Whether an item of `bytes` that is put now stays in memory. */
  hasRoomFor(bytes: number): boolean {
    if (this.#behind) return false;
    return this.#list.length === 0 || this.#list.memoryBytes + bytes <= this.#maxBytes;
  }

  /** An item was put that did not stay in memory. */
  begin(item: Item): void {
    if (this.#behind) return;
    this.#behind = true;
    this.#cursor = item.seq;
  }

  /** Reads ahead of the consumers, if the list has room. */
  prefetch(): void {
    if (!this.#behind || this.#loading || this.#retry !== null) return;
    if (this.#list.length === 0 || this.#list.memoryBytes < this.#maxBytes / 2) void this.#load();
  }

  /** These could not be written and are not in line any more. */
  withdraw(items: ReadonlySet<Item>): void {
    if (this.#loading) for (const item of items) this.#withdrawn.add(item);
  }

  /** The queue was flushed: nothing lies behind. */
  reset(): void {
    this.#behind = false;
    this.#epoch++;
    this.#retry?.clear();
    this.#retry = null;
  }

  async #load(): Promise<void> {
    this.#loading = true;
    this.#withdrawn.clear();
    const epoch = this.#epoch;
    try {
      const { items, next } = await this.#journal.readAhead(this.#cursor, this.#tripBytes());
      this.#loading = false;
      if (epoch === this.#epoch) this.#take(items, next);
      else this.prefetch();
    } catch (error) {
      this.#loading = false;
      this.#tryAgainLater(error);
    }
  }

  #tripBytes(): number {
    return Math.max(1, Math.min(TRIP_BYTES, this.#maxBytes - this.#list.memoryBytes));
  }

  #take(items: readonly Item[], next: number): void {
    for (const item of items) if (!this.#withdrawn.has(item)) this.#list.push(item);
    this.#cursor = next;
    if (next >= this.#journal.next) this.#caughtUp();
    this.#onItems();
    this.prefetch();
  }

  // All that is in line is in memory now; if the counts say otherwise, the difference is lost.
  #caughtUp(): void {
    this.#behind = false;
    if (this.#list.length !== this.#journal.waiting) this.#journal.recount(this.#list.length, this.#list.bytes);
  }

  // One bad read must not wedge the queue for ever.
  #tryAgainLater(error: unknown): void {
    if (error instanceof WindhoverError && error.code === "WH_CLOSED") return;
    this.#log.error({ error: describeError(error) }, "items behind could not be read: trying again");
    const again = (): void => {
      this.#retry = null;
      this.prefetch();
    };
    this.#retry = this.#clock.after(RETRY_MS, again, { background: true });
  }
}
