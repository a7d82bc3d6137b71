import type { Clock, Timer } from "../clock.js";
import type { QueueSettings } from "../config/settings.js";
import type { Item, NewItem } from "../item.js";
import type { QueueJournal } from "../journal/queue-journal.js";
import type { Log } from "../log.js";
import { deadLetter, movedItem } from "./dead-letter.js";
import { DelayedItems } from "./delayed-items.js";
import { EXPIRY_STEP, isExpired } from "./expiry.js";
import { ItemList } from "./item-list.js";
import { isFull, putRefusal, type QueueSize } from "./limits.js";
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
  /** Items of a former run that are not due yet. */
  readonly delayed?: readonly { readonly item: Item; readonly dueAt: number }[];
  /** Puts an item into another queue; false if that does not take it now. `undo` is called if it turns out so later. */
  readonly move: (target: MoveTarget, item: NewItem, undo: () => void) => boolean;
}

/** Where an item of a queue goes for good: to `expire_to_queue`, or to the dead letters. */
export type MoveTarget = "expired" | "dead";

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
  readonly counters = new QueueCounters();
  readonly #journal: QueueJournal;
  readonly #clock: Clock;
  readonly #nextReadId: () => number;
  readonly #move: QueueOptions["move"];
  #settings: QueueSettings;
  readonly #list = new ItemList();
  readonly #returned = new ReturnedItems();
  readonly #reads = new Transactions();
  readonly #waiters: WaitList;
  readonly #behind: ReadBehind;
  /** When the first item in line was put, as far as that is known while it lies behind. */
  #headAddedAt: number;
  readonly #delayed: DelayedItems;
  /** Items that are to move to another queue, which does not take them now. */
  #stuck: { readonly item: Item; readonly target: MoveTarget }[] = [];
  #openTimer: Timer | null = null;
  /** More items at the head have expired than are taken in one go. */
  #expiring = false;
  /** When a client last had to do with the queue, monotonic ms. */
  #usedAt: number;
  #deleted = false;
  #noWaits = false;

  constructor(options: QueueOptions) {
    this.name = options.name;
    this.#settings = options.settings;
    this.#journal = options.journal;
    this.#clock = options.clock;
    this.#nextReadId = options.nextReadId;
    this.#move = options.move;
    this.#usedAt = options.clock.monotonicMs();
    this.#delayed = new DelayedItems(options.clock, () => this.#joinDue());
    for (const { item, dueAt } of options.delayed ?? []) this.#delayed.add(item, dueAt);
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
    this.#waiters = new WaitList(options.clock, () => this.#mayHaveItems());
    options.journal.setListener({
      withdraw: (items) => this.#withdraw(items),
      lost: (count) => {
        this.counters.lost += count;
      },
      headAddedAt: () => this.#oldest(),
    });
  }

  get settings(): QueueSettings {
    return this.#settings;
  }

  /** The settings were loaded anew. How much is kept in memory, and whether there is a journal, stays until the next start. */
  configure(settings: QueueSettings): void {
    this.#settings = settings;
    this.#usedAt = this.#clock.monotonicMs();
    this.#armOpenTimer();
    this.#serve();
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
  put(item: NewItem, ownsData: boolean, delayMs = 0): PutResult {
    this.#use();
    const refusal = this.putFault(item.data.length);
    if (refusal !== null) return refusal;
    this.#makeRoom();
    this.counters.totalItems++;
    if (delayMs > 0) return this.#putDelayed(item, delayMs);
    return this.#journal.written(this.#append(item, ownsData)) ?? "stored";
  }

  /**
   * Takes an item that moves here from another queue. It makes no other item move, so that queues which expire into each
   * other come to rest.
   */
  take(item: NewItem): PutResult {
    const refusal = this.#putFault(item.data.length);
    if (refusal !== null) return refusal;
    this.#makeRoom();
    this.counters.totalItems++;
    return this.#journal.written(this.#append(item, false)) ?? "stored";
  }

  /** Why a put of so many bytes would be refused now, or null. Expired items at the head go before that is decided. */
  putFault(bytes: number): "full" | "too-large" | "blocked" | null {
    this.#dropExpired();
    return this.#putFault(bytes);
  }

  #putFault(bytes: number): "full" | "too-large" | "blocked" | null {
    if (this.#deleted || this.#journal.refusal !== null) return "blocked";
    return putRefusal(this.#settings, bytes, this.#size());
  }

  #append(item: NewItem, ownsData: boolean): Item {
    const resident = this.#behind.hasRoomFor(item.data.length);
    return this.#joined(this.#journal.append(item, ownsData, resident), resident);
  }

  // An item is at the end of the line now.
  #joined(added: Item, resident: boolean): Item {
    if (resident) this.#list.push(added);
    else this.#behind.begin(added);
    if (this.#waiters.size > 0) this.#serve();
    return added;
  }

  #putDelayed(item: NewItem, delayMs: number): PutResult {
    const dueAt = item.addedAt + delayMs;
    const added = this.#journal.appendDelayed(item, dueAt);
    this.#delayed.add(added, dueAt);
    return this.#journal.written(added) ?? "stored";
  }

  #joinDue(): void {
    for (let item = this.#delayed.takeDue(); item !== undefined; item = this.#delayed.takeDue()) {
      const due = item;
      const resident = this.#behind.hasRoomFor(due.data.length);
      const joined = this.#joined(this.#journal.join(due, resident), resident);
      this.#journal.written(joined)?.catch(() => this.giveBackTaken(due));
    }
  }

  #size(): QueueSize {
    return {
      items: this.items + this.#delayed.length,
      bytes: this.bytes + this.#delayed.bytes,
      journalBytes: this.#journal.pageBytes,
    };
  }

  // With discard_old_when_full the head goes until there is room. What lies behind is only discarded when it is read.
  #makeRoom(): void {
    if (!this.#settings.discardOldWhenFull) return;
    while (isFull(this.#settings, this.#size())) {
      const item = this.#returned.head ?? this.#list.head;
      if (item === undefined) return;
      this.#shift();
      this.counters.discarded++;
      void this.#journal.take(item);
    }
  }

  /** Why puts are refused now (`blocked`), or null. */
  get refusal(): string | null {
    return this.#deleted ? "the queue is being deleted" : this.#journal.refusal;
  }

  /** What is there at once; `loading` when there are items that are being read from the disk: `wait` for them. */
  fetchNow(mode: FetchMode): Fetched | null | "loading" {
    this.#use();
    const fetched = this.#fetch(mode);
    if (fetched !== null || !this.#mayHaveItems()) return fetched;
    this.#behind.prefetch();
    return "loading";
  }

  /** Waits in line for an item, `waitMs` milliseconds; with 0 only for those that are being read from the disk. */
  wait(mode: FetchMode, waitMs: number, patron: Patron): Waiter {
    const waiter = this.#waiters.add(mode, waitMs, patron);
    if (this.#deleted || this.#noWaits) waiter.cancel();
    else if (this.#mayHaveItems()) this.#behind.prefetch();
    else if (waitMs <= 0) waiter.cancel();
    void waiter.outcome.then(() => {
      this.#use();
    });
    return waiter;
  }

  /** Serves those who wait, when one of them has become able to take an item again. */
  patronReady(): void {
    this.#serve();
  }

  /** The client has done with the item: it goes for good. Harmless when the read has ended before. */
  confirm(read: OpenRead): Promise<void> | null {
    this.#use();
    return this.#reads.end(read) ? this.#journal.confirm(read.item) : null;
  }

  /**
   * The items return to the head, in their old order, and wake who waits; with a delay they join the end of the line so
   * much later. Those that were handed out `max_attempts` times become dead letters.
   */
  giveBack(reads: readonly OpenRead[], delayMs = 0): void {
    this.#use();
    for (const read of reads) {
      if (!this.#reads.end(read)) continue;
      this.counters.canceledTransactions++;
      if (read.item.attempts >= this.#settings.maxAttempts) this.#bury(read.item);
      else if (delayMs > 0) this.#delay(read.item, delayMs);
      else if (this.#journal.giveBack(read.item)) this.#returned.add(read.item);
      else this.counters.lost++;
    }
    this.#serve();
  }

  #delay(item: Item, delayMs: number): void {
    const dueAt = this.#clock.wallMs() + delayMs;
    if (this.#journal.delay(item, dueAt)) this.#delayed.add(item, dueAt);
    else this.counters.lost++;
  }

  // The item is open still.
  #bury(item: Item): void {
    const now = this.#clock.wallMs();
    if (this.#move("dead", deadLetter(item, this.name, now), () => this.#unmove(item, "dead"))) {
      this.counters.deadLettered++;
      void this.#journal.confirm(item);
    } else this.#setAside(item, "dead");
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
    this.#use();
    this.#clearLine();
    return this.#journal.flush();
  }

  /** The queue is deleted: only `Queues` calls this. */
  delete(): Promise<void> | null {
    this.#deleted = true;
    this.#clearLine();
    this.#reads.clear();
    this.#openTimer?.clear();
    this.#waiters.endAll();
    return this.#journal.retire();
  }

  /** Ends every wait without an item, and later ones at once: the server stops. */
  endWaits(): void {
    this.#noWaits = true;
    this.#waiters.endAll();
  }

  /** The item at a depth, 0 the head; null if there is none. It stays where it is. */
  async peekAt(index: number): Promise<Item | null> {
    return (await this.#peek(index, 1))[0] ?? null;
  }

  /** The first items, at most so many. They stay where they are. */
  peekMany(count: number): Promise<readonly Item[]> {
    return this.#peek(0, count);
  }

  // What is in memory is looked at there, what lies behind is read from the disk page by page, however deep.
  async #peek(skip: number, count: number): Promise<readonly Item[]> {
    this.#dropExpired();
    const near = [...this.#returned, ...this.#list];
    const items = near.slice(skip, skip + count);
    if (items.length === count || !this.#behind.active) return items;
    const further = await this.#journal.peek(
      this.#behind.cursor,
      Math.max(0, skip - near.length),
      count - items.length,
    );
    return [...items, ...further];
  }

  /** Takes expired items from the head, at most so many; answers how many. Then tries what could not move before. */
  expire(atMost: number): number {
    this.#retryStuck();
    this.#behind.prefetch();
    let count = 0;
    while (count < atMost && this.#expireHead()) count++;
    return count;
  }

  /** Takes away what has expired, up to `max_expire_sweep`, in steps between which others are served. */
  sweep(): void {
    let left = this.#settings.maxExpireSweep;
    const step = (): void => {
      const count = this.expire(Math.min(left, EXPIRY_STEP));
      left -= count;
      if (count === EXPIRY_STEP && left > 0) setImmediate(step);
    };
    step();
  }

  /** Nobody has used it for `max_queue_age`, and nothing is in it. */
  get isStale(): boolean {
    const idleMs = this.#clock.monotonicMs() - this.#usedAt;
    if (idleMs <= this.#settings.maxQueueAgeMs || this.items > 0 || this.#waiters.size > 0) return false;
    return this.#reads.size + this.#delayed.length + this.#stuck.length === 0;
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
      delayed: this.#delayed.length,
      oldestOpenMs: this.#oldestOpenMs(),
      expireBlocked: this.#stuck.length,
      journalRewrites: this.#journal.rewrites,
      journalRotations: this.#journal.rotations,
    };
  }

  #fetch(mode: FetchMode): Fetched | null {
    const item = this.#head();
    if (item === undefined) return null;
    if (mode === "peek") return { item, read: null, durable: null };
    this.#shift();
    if (mode === "take") return { item, read: null, durable: this.#journal.take(item) };
    const durable = this.#journal.open(item);
    const read: OpenRead = {
      id: this.#nextReadId(),
      item,
      queue: this,
      openedAt: this.#clock.monotonicMs(),
      ended: false,
    };
    this.#reads.add(read);
    if (this.#openTimer === null) this.#armOpenTimer();
    this.counters.transactions++;
    return { item, read, durable };
  }

  #mayHaveItems(): boolean {
    return this.#behind.active || this.#expiring;
  }

  // Only for max_queue_age: without it the clock need not be asked at each step.
  #use(): void {
    if (this.#settings.maxQueueAgeMs !== Number.POSITIVE_INFINITY) this.#usedAt = this.#clock.monotonicMs();
  }

  #oldestOpenMs(): number {
    const oldest = this.#reads.oldest;
    return oldest === undefined ? 0 : this.#clock.monotonicMs() - oldest.openedAt;
  }

  // The first item that has not expired. There is none as long as expired ones are still to be taken away.
  #head(): Item | undefined {
    this.#dropExpired();
    return this.#expiring ? undefined : (this.#returned.head ?? this.#list.head);
  }

  #dropExpired(): void {
    if (this.#expiring) return;
    for (let left = EXPIRY_STEP; this.#expireHead(); left--) if (left === 0) return this.#goOnExpiring();
  }

  #goOnExpiring(): void {
    this.#expiring = true;
    setImmediate(() => {
      this.#expiring = false;
      this.#itemsCame();
    });
  }

  // False if the head has not expired.
  #expireHead(): boolean {
    const item = this.#returned.head ?? this.#list.head;
    // Most items never expire, and the clock is asked for those only that may.
    if (item === undefined || (item.expiresAt === 0 && this.#settings.maxAgeMs === Number.POSITIVE_INFINITY))
      return false;
    const now = this.#clock.wallMs();
    if (!isExpired(item, this.#settings, now)) return false;
    this.#shift();
    this.counters.expiredItems++;
    if (this.#settings.expireToQueue === null) void this.#journal.take(item);
    else if (this.#move("expired", movedItem(item, now), () => this.#unmove(item, "expired")))
      void this.#journal.take(item);
    else this.#setAside(item, "expired");
    return true;
  }

  #setAside(item: Item, target: MoveTarget): void {
    this.#journal.setAside(item);
    this.#stuck.push({ item, target });
  }

  // The batch with the move failed: the item is back.
  #unmove(item: Item, target: MoveTarget): void {
    if (this.#deleted) return;
    if (target === "dead") this.counters.deadLettered--;
    this.#journal.restore(item);
    this.#stuck.push({ item, target });
  }

  #retryStuck(): void {
    const stuck = this.#stuck;
    this.#stuck = [];
    const now = this.#clock.wallMs();
    for (const { item, target } of stuck) {
      const moved = target === "dead" ? deadLetter(item, this.name, now) : movedItem(item, now);
      if (this.#move(target, moved, () => this.#unmove(item, target))) {
        if (target === "dead") this.counters.deadLettered++;
        void this.#journal.take(item);
      } else this.#stuck.push({ item, target });
    }
  }

  // Open reads end in the order in which they began, so one timer serves all.
  #armOpenTimer(): void {
    this.#openTimer?.clear();
    this.#openTimer = null;
    const oldest = this.#reads.oldest;
    const timeoutMs = this.#settings.openTransactionTimeoutMs;
    if (oldest === undefined || timeoutMs === Number.POSITIVE_INFINITY) return;
    const leftMs = oldest.openedAt + timeoutMs - this.#clock.monotonicMs();
    this.#openTimer = this.#clock.after(Math.max(0, leftMs), () => this.#openReadsTimeOut(), { background: true });
  }

  #openReadsTimeOut(): void {
    this.#openTimer = null;
    const before = this.#clock.monotonicMs() - this.#settings.openTransactionTimeoutMs;
    const over: OpenRead[] = [];
    for (const read of this.#reads) {
      if (read.openedAt > before) break;
      over.push(read);
    }
    this.giveBack(over);
    this.#armOpenTimer();
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
    if (this.#head() === undefined && !this.#mayHaveItems()) this.#waiters.endOverdue();
  }

  #withdraw(items: ReadonlySet<Item>): void {
    this.#list.remove(items);
    this.#returned.remove(items);
    this.#behind.withdraw(items);
    this.#delayed.remove(items);
    this.#stuck = this.#stuck.filter(({ item }) => !items.has(item));
  }

  #clearLine(): void {
    this.#list.clear();
    this.#returned.clear();
    this.#behind.reset();
    this.#delayed.clear();
    this.#stuck = [];
    this.#waiters.endOverdue();
  }

  // When the first item was put, 0 if there is none.
  #oldest(): number {
    const head = this.#returned.head ?? this.#list.head;
    if (head !== undefined) return head.addedAt;
    return this.#journal.waiting > 0 ? this.#headAddedAt : 0;
  }
}
