import type { Clock } from "../clock.js";
import type { QueueSettings } from "../config/settings.js";
import type { Item, NewItem } from "../item.js";
import type { QueueJournal } from "../journal/queue-journal.js";
import type { Log } from "../log.js";
import { ItemList } from "./item-list.js";
import { putRefusal } from "./limits.js";
import { QueueCounters, type QueueStats } from "./queue-stats.js";
import { ReadBehind } from "./read-behind.js";
import { ReturnedItems } from "./returned-items.js";
import { type OpenRead, Transactions } from "./transactions.js";
import { type Fetched, type FetchMode, type Patron, type Waiter, WaitList } from "./wait-list.js";

/** How a put ended: at once, or with a promise that is fulfilled when the item is in the journal. */
export type PutResult = "stored" | "full" | "too-large" | "blocked" | Promise<void>;

/** What a queue is made with. */
export interface QueueOptions {
  /** One character for each byte of the name. */
  readonly name: string;
  readonly settings: QueueSettings;
  readonly journal: QueueJournal;
  readonly clock: Clock;
  readonly log: Log;
  /** The next delivery id. */
  readonly nextReadId: () => number;
  /** What a former run left at the head: items that were open or given back. */
  readonly returned?: readonly Item[];
  /** When the first item in line was put, as long as it has not been read from behind. */
  readonly headAddedAt?: number;
  /** Items of a former run that could not be found any more. */
  readonly lost?: number;
}

/**
 * One queue: items in the order in which they were put, and clients in the order in which they began to wait.
 *
 * An item is in line (in memory or behind), set aside by an open read, returned to the head, or gone. There are never items
 * in memory beside waiters who could take them: every step that brings an item serves the wait-list before it ends.
 *
 * `live` until it is deleted; then its waiters end, its open reads confirm nothing, and what is put is refused.
 */
export class Queue {
  readonly name: string;
  readonly settings: QueueSettings;
  readonly counters = new QueueCounters();
  readonly #journal: QueueJournal;
  readonly #clock: Clock;
  readonly #nextReadId: () => number;
  readonly #list = new ItemList();
  readonly #returned = new ReturnedItems();
  readonly #reads = new Transactions();
  readonly #waiters: WaitList;
  readonly #behind: ReadBehind;
  /** When the first item in line was put, as far as that is known while it lies behind. */
  #headAddedAt: number;
  #deleted = false;
  #noWaits = false;

  constructor(options: QueueOptions) {
    this.name = options.name;
    this.settings = options.settings;
    this.#journal = options.journal;
    this.#clock = options.clock;
    this.#nextReadId = options.nextReadId;
    this.#headAddedAt = options.headAddedAt ?? 0;
    this.counters.lost = options.lost ?? 0;
    for (const item of options.returned ?? []) this.#returned.add(item);
    this.#behind = new ReadBehind({
      list: this.#list,
      journal: options.journal,
      clock: options.clock,
      log: options.log,
      maxBytes: options.settings.keepJournal ? options.settings.maxMemoryBytes : Number.POSITIVE_INFINITY,
      onItems: () => this.#itemsCame(),
    });
    this.#waiters = new WaitList(options.clock, () => this.#behind.active);
    options.journal.setListener({
      withdraw: (items) => this.#withdraw(items),
      lost: (count) => {
        this.counters.lost += count;
      },
      headAddedAt: () => this.#oldest(),
    });
  }

  /** Items that a fetch could take now. */
  get items(): number {
    return this.#journal.waiting + this.#returned.length;
  }

  /** Their bytes. */
  get bytes(): number {
    return this.#journal.waitingBytes + this.#returned.bytes;
  }

  /**
   * Puts an item at the end of the line. Unless `ownsData`, its bytes are copied. The promise rejects with
   * WH_WRITE_FAILED when the item did not reach the journal; whether it comes back after a crash is then unknown.
   */
  put(item: NewItem, ownsData: boolean): PutResult {
    if (this.#deleted || this.#journal.refusal !== null) return "blocked";
    const refusal = putRefusal(this.settings, item.data.length, this);
    if (refusal !== null) return refusal;
    const resident = this.#behind.hasRoomFor(item.data.length);
    const added = this.#journal.append(item, ownsData, resident);
    this.counters.totalItems++;
    if (resident) this.#list.push(added);
    else this.#behind.begin(added);
    if (this.#waiters.size > 0) this.#serve();
    return this.#journal.written(added) ?? "stored";
  }

  /** Why puts are refused now (`blocked`), or null. */
  get refusal(): string | null {
    return this.#deleted ? "the queue is being deleted" : this.#journal.refusal;
  }

  /** What is there at once; `loading` when there are items that are being read from the disk: `wait` for them. */
  fetchNow(mode: FetchMode): Fetched | null | "loading" {
    const fetched = this.#fetch(mode);
    if (fetched !== null || !this.#behind.active) return fetched;
    this.#behind.prefetch();
    return "loading";
  }

  /** Waits in line for an item, `waitMs` milliseconds; with 0 only for those that are being read from the disk. */
  wait(mode: FetchMode, waitMs: number, patron: Patron): Waiter {
    const waiter = this.#waiters.add(mode, waitMs, patron);
    if (this.#deleted || this.#noWaits) waiter.cancel();
    else if (this.#behind.active) this.#behind.prefetch();
    else if (waitMs <= 0) waiter.cancel();
    return waiter;
  }

  /** Serves those who wait, when one of them has become able to take an item again. */
  patronReady(): void {
    this.#serve();
  }

  /** The client has done with the item: it goes for good. Harmless when the read has ended before. */
  confirm(read: OpenRead): Promise<void> | null {
    return this.#reads.end(read) ? this.#journal.confirm(read.item) : null;
  }

  /** The items return to the head, in their old order, and wake who waits. */
  giveBack(reads: readonly OpenRead[]): void {
    for (const read of reads) {
      if (!this.#reads.end(read)) continue;
      this.counters.canceledTransactions++;
      if (this.#journal.giveBack(read.item)) this.#returned.add(read.item);
      else this.counters.lost++;
    }
    this.#serve();
  }

  /** An item that was taken could not be handed over: it returns to the head. */
  giveBackTaken(item: Item): void {
    if (this.#deleted) return;
    this.#journal.restore(item);
    this.#returned.add(item);
    this.#serve();
  }

  /** Removes what is in line; open reads survive it, waiters go on waiting. */
  flush(): Promise<void> | null {
    this.counters.totalFlushes++;
    this.#clearLine();
    return this.#journal.flush();
  }

  /** The queue is deleted: only `Queues` calls this. */
  delete(): Promise<void> | null {
    this.#deleted = true;
    this.#clearLine();
    this.#reads.clear();
    this.#waiters.endAll();
    return this.#journal.retire();
  }

  /** Ends every wait without an item, and later ones at once: the server stops. */
  endWaits(): void {
    this.#noWaits = true;
    this.#waiters.endAll();
  }

  stats(): QueueStats {
    const oldest = this.#oldest();
    return {
      ...this.counters,
      items: this.items,
      bytes: this.bytes,
      logBytes: this.#journal.pageBytes,
      memItems: this.#list.length + this.#returned.length,
      memBytes: this.#list.bytes + this.#returned.bytes,
      ageMs: oldest === 0 ? 0 : Math.max(0, this.#clock.wallMs() - oldest),
      waiters: this.#waiters.size,
      openTransactions: this.#reads.size,
    };
  }

  #fetch(mode: FetchMode): Fetched | null {
    const item = this.#head();
    if (item === undefined) return null;
    if (mode === "peek") return { item, read: null, durable: null };
    this.#shift();
    if (mode === "take") return { item, read: null, durable: this.#journal.take(item) };
    const durable = this.#journal.open(item);
    const read = { id: this.#nextReadId(), item, queue: this, openedAt: this.#clock.monotonicMs() };
    this.#reads.add(read);
    this.counters.transactions++;
    return { item, read, durable };
  }

  // The first item that has not expired; those before it go.
  #head(): Item | undefined {
    for (;;) {
      const item = this.#returned.head ?? this.#list.head;
      if (item === undefined || item.expiresAt === 0 || item.expiresAt > this.#clock.wallMs()) return item;
      this.#shift();
      this.counters.expiredItems++;
      void this.#journal.take(item);
    }
  }

  #shift(): void {
    if (this.#returned.length > 0) this.#returned.shift();
    else this.#headAddedAt = this.#list.shift()?.addedAt ?? 0;
    this.#behind.prefetch();
  }

  #serve(): void {
    this.#waiters.serve((mode) => this.#fetch(mode));
  }

  #itemsCame(): void {
    this.#serve();
    if (!this.#behind.active && this.#head() === undefined) this.#waiters.endOverdue();
  }

  #withdraw(items: ReadonlySet<Item>): void {
    this.#list.remove(items);
    this.#returned.remove(items);
    this.#behind.withdraw(items);
  }

  #clearLine(): void {
    this.#list.clear();
    this.#returned.clear();
    this.#behind.reset();
    this.#waiters.endOverdue();
  }

  // When the first item was put, 0 if there is none.
  #oldest(): number {
    const head = this.#returned.head ?? this.#list.head;
    if (head !== undefined) return head.addedAt;
    return this.#journal.waiting > 0 ? this.#headAddedAt : 0;
  }
}
