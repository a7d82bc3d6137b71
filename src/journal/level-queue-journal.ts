import type { Item, NewItem } from "../item.js";
import { FreshPages } from "./fresh-pages.js";
import { type Committer, type GroupCommit, settle } from "./group-commit.js";
import { JournalItem, NO_BYTES, type Place } from "./journal-item.js";
import { outKey, queueKey, stateKey } from "./keys.js";
import { writeMetadata } from "./metadata.js";
import { NextCommit } from "./next-commit.js";
import { OutOfLine } from "./out-of-line.js";
import type { Page } from "./page.js";
import { type LedgerEntry, PageLedger } from "./page-ledger.js";
import type { PageReader } from "./page-reader.js";
import type { JournalListener, QueueJournal, ReadAhead, SyncJournal } from "./queue-journal.js";
import { type StateRecord, writeQueue, writeState } from "./records.js";
import type { Retirement } from "./retired-queues.js";
import type { StoreBatch } from "./store.js";

/** What a queue's journal needs of the journal of the whole server. */
export interface QueueJournalHost {
  readonly commits: GroupCommit;
  readonly refusal: string | null;
  newQueueId(): number;
  /** Removes all records of a queue id, in the background. The batch that carries it is the next one. */
  retire(retirement: Retirement): Promise<void>;
  reader(queueId: number): PageReader;
  evicted(queueId: number, page: Page): void;
  /** Compactions that covered a queue id. */
  rotations(queueId: number): number;
  lost(queue: string, count: number, why: string): void;
  syncJournal(queue: string): SyncJournal;
}

/** What the batch on its way carries of this queue, to be undone if it fails. */
interface Flight {
  readonly queueId: number;
  readonly ledger: LedgerEntry;
  readonly outs: readonly JournalItem[];
  readonly done: () => void;
}

const ANSWER_NOW = null;

/** The state of a queue that has nothing yet. */
export const EMPTY_STATE: StateRecord = {
  head: 1,
  next: 1,
  lowestOut: 1,
  waiting: 0,
  waitingBytes: 0,
  delayed: 0,
  out: 0,
  nextOrdinal: 0,
  lastPage: 0,
  pageBytes: 0,
  headAddedAt: 0,
};

/**
 * One queue's journal on LevelDB. What is put collects in fresh pages; a batch takes all that changed since the last one:
 * the pages, records of items out of line, deletions of pages that nobody needs any more, and the state.
 *
 * What is gone is not written: an item that was taken before its batch went out is left out of its page, an open read that
 * was confirmed before is never recorded.
 */
export class LevelQueueJournal implements QueueJournal, Committer {
  readonly #name: string;
  readonly #host: QueueJournalHost;
  readonly #createdAt: number;
  #listener: JournalListener | null = null;
  #queueId: number;
  #reader: PageReader;
  #stored: boolean;
  #retired = false;

  #head: number;
  #next: number;
  #waiting: number;
  #waitingBytes: number;
  readonly #headAddedAt: number;

  readonly #fresh = new FreshPages();
  readonly #ledger: PageLedger;
  readonly #out = new OutOfLine();
  readonly #nextCommit = new NextCommit();
  #rewrites = 0;
  #flight: Flight | null = null;
  /** A written page whose first items are in memory and whose last ones lie behind. */
  #partial: Page | null = null;

  constructor(
    host: QueueJournalHost,
    queue: { readonly name: string; readonly id: number; readonly createdAt: number; readonly stored: boolean },
    state: StateRecord,
  ) {
    this.#host = host;
    this.#name = queue.name;
    this.#createdAt = queue.createdAt;
    this.#queueId = queue.id;
    this.#stored = queue.stored;
    this.#reader = host.reader(queue.id);
    this.#head = state.head;
    this.#next = state.next;
    this.#waiting = state.waiting;
    this.#waitingBytes = state.waitingBytes;
    this.#ledger = new PageLedger(state);
    this.#headAddedAt = state.headAddedAt;
    if (!queue.stored) host.commits.touch(this, false);
  }

  get waiting(): number {
    return this.#waiting;
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  get head(): number {
    return this.#head;
  }

  get next(): number {
    return this.#next;
  }

  get pageBytes(): number {
    return this.#ledger.bytes;
  }

  get rewrites(): number {
    return this.#rewrites;
  }

  get rotations(): number {
    return this.#host.rotations(this.#queueId);
  }

  get refusal(): string | null {
    return this.#host.refusal;
  }

  setListener(listener: JournalListener): void {
    this.#listener = listener;
  }

  // ---- moves

  append(item: NewItem, ownsData: boolean, resident: boolean): Item {
    const seq = this.#next++;
    const added = this.#fresh.append(seq, item, ownsData);
    added.resident = resident;
    this.#waiting++;
    this.#waitingBytes += item.data.length;
    this.#host.commits.touch(this, true);
    return added;
  }

  written(item: Item): Promise<void> {
    const own = item as JournalItem;
    const before = own.settle;
    return new Promise((resolve, reject) => {
      own.settle = (error) => {
        before?.(error);
        if (error === null) resolve();
        else reject(error);
      };
      if (own.place === "gone") this.#host.commits.settleDelivered(own);
    });
  }

  take(item: Item): Promise<void> | null {
    const own = item as JournalItem;
    this.#leave(own, "gone");
    return this.#dismiss(own);
  }

  restore(item: Item): void {
    const own = item as JournalItem;
    if (this.#retired || own.place !== "gone") return;
    if (own.page?.state === "fresh") own.page.live++;
    // A page that was sealed since has been written without it, or is deleted already.
    else if (own.page !== null) this.#out.moveOut(own);
    this.#setOut(own, "back");
  }

  open(item: Item): Promise<void> | null {
    const own = item as JournalItem;
    this.#leave(own, "open");
    own.attempts++;
    this.#setOut(own, "open");
    return this.#durable();
  }

  setAside(item: Item): void {
    const own = item as JournalItem;
    if (own.detached) return void this.giveBack(own);
    this.#leave(own, "back");
    this.#setOut(own, "back");
  }

  appendDelayed(item: NewItem, dueAt: number): Item {
    const { data, flags, addedAt, expiresAt, meta = NO_BYTES } = item;
    const added = new JournalItem(this.#next++, Buffer.from(data), flags, addedAt, expiresAt, meta, null);
    added.dueAt = dueAt;
    this.#setOut(added, "delayed");
    this.#host.commits.touch(this, true);
    return added;
  }

  delay(item: Item, dueAt: number): boolean {
    const own = item as JournalItem;
    own.dueAt = dueAt;
    if (!this.giveBack(own)) return false;
    this.#setOut(own, "delayed");
    return true;
  }

  join(item: Item, resident: boolean): Item {
    const own = item as JournalItem;
    const meta = own.attempts === 0 ? own.meta : writeMetadata({ handedOut: own.attempts }, own.meta);
    const { data, flags, addedAt, expiresAt } = own;
    const joined = this.append({ data, flags, addedAt, expiresAt, meta }, false, resident);
    // A put that is not answered yet is answered with the item's new place.
    (joined as JournalItem).settle = own.settle;
    own.settle = null;
    own.place = "gone";
    void this.#dismiss(own);
    return joined;
  }

  confirm(item: Item): Promise<void> | null {
    const own = item as JournalItem;
    if (own.place !== "open") return ANSWER_NOW;
    own.place = "gone";
    return own.detached ? ANSWER_NOW : this.#dismiss(own);
  }

  giveBack(item: Item): boolean {
    const own = item as JournalItem;
    if (own.place !== "open") return false;
    if (own.detached) {
      own.place = "gone";
      return false;
    }
    this.#setOut(own, "back");
    return true;
  }

  flush(): Promise<void> {
    this.#emptyLine();
    const retired = this.#host.retire(this.#retirement(null));
    this.#queueId = this.#host.newQueueId();
    this.#reader = this.#host.reader(this.#queueId);
    this.#stored = false;
    this.#out.rewriteAll();
    this.#host.commits.touch(this, true);
    return retired;
  }

  retire(): Promise<void> {
    for (const item of this.#out.dropAll()) this.#host.commits.settleDelivered(item);
    this.#emptyLine();
    this.#retired = true;
    this.#nextCommit.take()();
    return this.#host.retire(this.#retirement(this.#name));
  }

  #retirement(deletedName: string | null): Retirement {
    return { queueId: this.#queueId, deletedName, sync: this.#host.syncJournal(this.#name) };
  }

  recount(items: number, bytes: number): void {
    if (items < this.#waiting)
      this.#lose(this.#waiting - items, "they were not found when the line was read to its end");
    this.#waiting = items;
    this.#waitingBytes = bytes;
    this.#host.commits.touch(this, false);
  }

  // ---- reading from behind

  async readAhead(from: number, maxBytes: number): Promise<ReadAhead> {
    const queueId = this.#queueId;
    let cursor = from;
    while (cursor < this.#firstUncommitted()) {
      const partial = this.#takePartial(cursor);
      if (partial !== null) return partial;
      const bound = this.#firstUncommitted();
      const skipped = this.#ledger.unsure(this.#current()?.ledger ?? null);
      const read = await this.#reader.read(cursor, { bound, maxBytes, skipped });
      if (queueId !== this.#queueId) return { items: [], next: cursor };
      if (read.lost > 0) this.#lose(read.lost, read.why);
      for (const page of read.spent) this.#ledger.check(page);
      if (read.items.length > 0) return { items: read.items, next: read.next };
      cursor = Math.max(read.next, cursor);
    }
    this.#reader.forgetPlace();
    return this.#readUncommitted(cursor, maxBytes);
  }

  // The flight, if it is of the present queue id: a flush gives the queue a new one.
  #current(): Flight | null {
    return this.#flight?.queueId === this.#queueId ? this.#flight : null;
  }

  #uncommitted(): Page[] {
    return [...(this.#current()?.ledger.written ?? []), ...this.#fresh.pages];
  }

  #firstUncommitted(): number {
    return this.#current()?.ledger.written[0]?.first ?? this.#fresh.first ?? this.#next;
  }

  #takePartial(cursor: number): ReadAhead | null {
    const page = this.#partial;
    const last = page?.items.at(-1);
    if (page === null || last === undefined || last.seq < cursor) return null;
    this.#partial = null;
    const items = page.items.filter((item) => item.seq >= cursor && item.place === "line");
    for (const item of items) item.resident = true;
    return { items, next: last.seq + 1 };
  }

  #readUncommitted(cursor: number, maxBytes: number): ReadAhead {
    const items: JournalItem[] = [];
    let next = cursor;
    let bytes = 0;
    for (const page of this.#uncommitted()) {
      for (const item of page.items) {
        if (item.seq < cursor || item.place !== "line") continue;
        if (bytes >= maxBytes) return { items, next };
        item.resident = true;
        items.push(item);
        next = item.seq + 1;
        bytes += item.data.length;
      }
    }
    return { items, next: this.#next };
  }

  async peek(from: number, skip: number, count: number): Promise<readonly Item[]> {
    const items: Item[] = [];
    let left = skip;
    const bound = this.#firstUncommitted();
    const uncommitted = this.#uncommitted().flatMap((page) => page.items.filter(({ place }) => place === "line"));
    for await (const item of this.#reader.scan(from, bound)) {
      if (items.length >= count) return items;
      if (left-- <= 0) items.push(item);
    }
    for (const item of uncommitted) if (item.seq >= from && left-- <= 0 && items.length < count) items.push(item);
    return items;
  }

  // ---- places of items

  #leave(item: JournalItem, to: Place): void {
    if (item.place === "line") {
      this.#head = item.seq + 1;
      this.#uncount(item);
    }
    item.place = to;
  }

  // Counts that damage has made too low must not become negative: they could not be written.
  #uncount(item: JournalItem): void {
    this.#waiting = Math.max(0, this.#waiting - 1);
    this.#waitingBytes = Math.max(0, this.#waitingBytes - item.data.length);
  }

  #setOut(item: JournalItem, place: "open" | "back" | "delayed"): void {
    item.place = place;
    this.#out.changed(item);
    this.#host.commits.touch(this, false);
  }

  // The item is gone: forget its record, and its page when it was the last in it.
  #dismiss(item: JournalItem): Promise<void> | null {
    this.#out.gone(item);
    const page = item.page;
    const neverWritten = page !== null && page.state === "fresh";
    // One without a page that is still to be answered lost it to a flush before it was written.
    if ((neverWritten || page === null) && item.settle !== null) this.#host.commits.settleDelivered(item);
    if (page !== null) this.#ledger.release(page);
    this.#host.commits.touch(this, false);
    return neverWritten && !item.recorded ? ANSWER_NOW : this.#durable();
  }

  #emptyLine(): void {
    for (const page of this.#uncommitted()) {
      for (const item of page.items) {
        if (item.place !== "line" && item.place !== "back") continue;
        item.place = "gone";
        this.#host.commits.settleDelivered(item);
      }
    }
    for (const item of this.#out.keepOnlyOpen()) this.#host.commits.settleDelivered(item);
    for (const page of this.#fresh.take()) page.state = "dropped";
    this.#partial = null;
    this.#ledger.reset();
    this.#head = this.#next;
    this.#waiting = 0;
    this.#waitingBytes = 0;
  }

  // ---- commit

  compose(batch: StoreBatch): SyncJournal | null {
    if (this.#retired) return null;
    if (!this.#stored) {
      batch.put(queueKey(this.#name), writeQueue({ id: this.#queueId, createdAt: this.#createdAt }));
      this.#stored = true;
    }
    for (const page of this.#ledger.takeSparse(this.#head)) this.#moveOut(page);
    const outs = this.#composeOuts(batch);
    const ledger = this.#ledger.compose(batch, this.#queueId, this.#fresh.take(), this.#head);
    for (const page of ledger.deleted) this.#reader.forget(page);
    batch.put(stateKey(this.#queueId), writeState(this.#state()));
    this.#flight = { queueId: this.#queueId, ledger, outs, done: this.#nextCommit.take() };
    return this.#host.syncJournal(this.#name);
  }

  // A page of which little is needed: what is left of it moves into the items' own records.
  #moveOut(page: Page): void {
    this.#rewrites++;
    for (const item of page.items) if (item.place !== "gone") this.#out.moveOut(item);
    this.#ledger.clear(page);
  }

  #composeOuts(batch: StoreBatch): JournalItem[] {
    const outs = this.#out.takeChanged();
    for (const item of outs) {
      const key = outKey(this.#queueId, item.seq);
      const record = this.#out.record(item);
      if (record === null) batch.del(key);
      else batch.put(key, record);
    }
    return outs;
  }

  #state(): StateRecord {
    return {
      head: this.#head,
      next: this.#next,
      lowestOut: this.#out.lowest() ?? this.#next,
      waiting: this.#waiting,
      waitingBytes: this.#waitingBytes,
      delayed: this.#out.delayed,
      out: this.#out.size,
      ...this.#ledger.state,
      headAddedAt: this.#listener?.headAddedAt() ?? this.#headAddedAt,
    };
  }

  committed(): void {
    const flight = this.#flight as Flight;
    this.#flight = null;
    for (const page of flight.ledger.written) this.#pageWritten(page, flight.queueId);
    // An item that was opened and lost its page to a flush before it was written is in the store by its own record.
    for (const item of flight.outs) settle(item, null);
    for (const page of flight.ledger.deleted) {
      page.state = "dropped";
      this.#host.evicted(flight.queueId, page);
    }
    flight.done();
    if (this.#ledger.hasEmptied) this.#host.commits.touch(this, false);
  }

  #pageWritten(page: Page, queueId: number): void {
    page.state = "written";
    for (const item of page.items) settle(item, null);
    if (queueId !== this.#queueId || this.#retired) return;
    this.#ledger.check(page);
    if (page.items[0]?.resident !== true) return;
    this.#reader.remember(page);
    if (page.items.at(-1)?.resident !== true) this.#partial = page;
  }

  failed(error: Error, composed: boolean): void {
    const flight = composed ? this.#flight : null;
    const pages = this.#uncommitted();
    if (flight !== null && flight === this.#current()) this.#undo(flight);
    else for (const page of flight?.ledger.written ?? []) for (const item of page.items) settle(item, null);
    this.#flight = null;
    this.#fresh.take();
    this.#withdraw(pages, error);
    this.#withdrawDelayed(error);
    flight?.done();
    this.#nextCommit.take()();
    this.#host.commits.touch(this, true);
  }

  // An item whose put is not answered and that has no page is one that was put with a delay, or lost its page to a flush.
  #withdrawDelayed(error: Error): void {
    const withdrawn = new Set<Item>();
    for (const item of [...this.#out.members]) {
      if (item.settle !== null && item.place === "delayed") {
        item.place = "gone";
        this.#out.gone(item);
        withdrawn.add(item);
      }
      settle(item, error);
    }
    if (withdrawn.size > 0) this.#listener?.withdraw(withdrawn);
  }

  #undo(flight: Flight): void {
    this.#ledger.undo(flight.ledger);
    this.#stored = false;
    for (const item of flight.outs) this.#out.unsure(item);
  }

  // Items of a batch that failed: in line they are withdrawn, a copy that a client has open stays with that client.
  #withdraw(pages: readonly Page[], error: Error): void {
    const withdrawn = new Set<Item>();
    for (const page of pages) {
      page.state = "dropped";
      for (const item of page.items) {
        const delivered = item.place === "gone";
        if (item.place === "open") item.detached = true;
        if (item.place === "line" || item.place === "back" || item.place === "delayed") {
          this.#withdrawFromLine(item);
          withdrawn.add(item);
        }
        this.#out.gone(item);
        item.page = null;
        settle(item, delivered ? null : error);
      }
    }
    if (withdrawn.size > 0) this.#listener?.withdraw(withdrawn);
  }

  #withdrawFromLine(item: JournalItem): void {
    if (item.place === "line") this.#uncount(item);
    item.place = "gone";
  }

  #lose(count: number, why: string): void {
    this.#waiting = Math.max(0, this.#waiting - count);
    this.#host.commits.touch(this, false);
    this.#host.lost(this.#name, count, why);
    this.#listener?.lost(count);
  }

  /** A promise of the next batch, where this queue's answers must wait for the disk. */
  #durable(): Promise<void> | null {
    if (this.#retired || this.#host.commits.shut) return ANSWER_NOW;
    if (this.#host.syncJournal(this.#name).kind !== "always") return ANSWER_NOW;
    this.#host.commits.touch(this, true);
    return this.#nextCommit.promise;
  }

  /** Takes over what was found out of line at the start, and forgets the records that have no item any more. */
  adopt(items: readonly JournalItem[], orphans: readonly number[]): void {
    for (const item of items) {
      if (item.place !== "delayed") item.place = "back";
      this.#out.adopt(item);
    }
    for (const seq of orphans) this.#out.adoptOrphan(seq);
    this.#host.commits.touch(this, false);
  }

  get reader(): PageReader {
    return this.#reader;
  }
}
