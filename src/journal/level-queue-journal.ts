import type { Item, NewItem } from "../item.js";
import { type Committer, type GroupCommit, settle } from "./group-commit.js";
import type { JournalItem, Place } from "./journal-item.js";
import { outKey, pageKey, queueKey, stateKey } from "./keys.js";
import { OutOfLine } from "./out-of-line.js";
import { Page } from "./page.js";
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
  lost(queue: string, count: number, why: string): void;
  syncJournal(queue: string): SyncJournal;
}

/** What the batch on its way carries of this queue, to be undone if it fails. */
interface Flight {
  readonly queueId: number;
  readonly pages: readonly Page[];
  readonly outs: readonly JournalItem[];
  readonly deleted: readonly Page[];
  readonly unsure: readonly number[];
  readonly nextOrdinal: number;
  readonly lastPage: number;
  readonly done: (() => void) | null;
}

const SMALLEST_PAGE = 512;
/** A page is made this much larger than the last one was: traffic seldom repeats exactly. */
const GROWTH = 1.25;
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
  #nextOrdinal: number;
  #lastPage: number;
  #pageBytes: number;
  readonly #headAddedAt: number;

  #fresh: Page[] = [];
  #flight: Flight | null = null;
  #lastPageUsed = SMALLEST_PAGE;
  /** A written page whose first items are in memory and whose last ones lie behind. */
  #partial: Page | null = null;
  readonly #emptied = new Set<Page>();
  readonly #sparse = new Set<Page>();
  readonly #out = new OutOfLine();
  /** Keys of pages that a failed batch may have left in the store. */
  #unsure: number[] = [];
  #commitWaiters: { readonly promise: Promise<void>; readonly done: () => void } | null = null;

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
    this.#nextOrdinal = state.nextOrdinal;
    this.#lastPage = state.lastPage;
    this.#pageBytes = state.pageBytes;
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
    return this.#pageBytes;
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
    const added = this.#appendToPage(seq, item, ownsData);
    added.resident = resident;
    this.#waiting++;
    this.#waitingBytes += item.data.length;
    this.#host.commits.touch(this, true);
    return added;
  }

  written(item: Item): Promise<void> {
    const own = item as JournalItem;
    return new Promise((resolve, reject) => {
      own.settle = (error) => (error === null ? resolve() : reject(error));
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
    this.#commitWaiters?.done();
    this.#commitWaiters = null;
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
      const read = await this.#reader.read(cursor, { bound, maxBytes, skipped: this.#unsurePages() });
      if (queueId !== this.#queueId) return { items: [], next: cursor };
      if (read.lost > 0) this.#lose(read.lost, read.why);
      for (const page of read.spent) this.#emptied.add(page);
      if (read.items.length > 0) return { items: read.items, next: read.next };
      cursor = Math.max(read.next, cursor);
    }
    this.#reader.forgetPlace();
    return this.#readUncommitted(cursor, maxBytes);
  }

  // What a failed batch may have left in the store is not in line.
  #unsurePages(): ReadonlySet<number> {
    const inFlight = this.#flight?.queueId === this.#queueId ? this.#flight.unsure : [];
    return new Set([...this.#unsure, ...inFlight]);
  }

  #firstUncommitted(): number {
    const inFlight = this.#flight?.queueId === this.#queueId ? this.#flight.pages[0] : undefined;
    if (inFlight !== undefined) return inFlight.first;
    return this.#fresh[0]?.items[0]?.seq ?? this.#next;
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
    const inFlight = this.#flight?.queueId === this.#queueId ? this.#flight.pages : [];
    for (const page of [...inFlight, ...this.#fresh]) {
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

  #setOut(item: JournalItem, place: "open" | "back"): void {
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
    if (page !== null) this.#release(page);
    this.#host.commits.touch(this, false);
    return neverWritten && !item.recorded ? ANSWER_NOW : this.#durable();
  }

  #release(page: Page): void {
    page.live--;
    if (page.state !== "written") return;
    if (page.live === 0) this.#emptied.add(page);
    else if (page.live * 4 < page.total) this.#sparse.add(page);
  }

  #emptyLine(): void {
    const inFlight = this.#flight?.queueId === this.#queueId ? this.#flight.pages : [];
    for (const page of [...inFlight, ...this.#fresh]) {
      for (const item of page.items) {
        if (item.place !== "line" && item.place !== "back") continue;
        item.place = "gone";
        this.#host.commits.settleDelivered(item);
      }
    }
    for (const item of this.#out.keepOnlyOpen()) this.#host.commits.settleDelivered(item);
    for (const page of this.#fresh) page.state = "dropped";
    this.#fresh = [];
    this.#partial = null;
    this.#emptied.clear();
    this.#sparse.clear();
    this.#unsure = [];
    this.#head = this.#next;
    this.#waiting = 0;
    this.#waitingBytes = 0;
    this.#nextOrdinal = 0;
    this.#lastPage = 0;
    this.#pageBytes = 0;
  }

  // ---- fresh pages

  #appendToPage(seq: number, item: NewItem, ownsData: boolean): JournalItem {
    const last = this.#fresh.at(-1);
    if (last?.hasRoomFor(item.data.length)) return last.append(seq, item);
    const page = Page.for(item.data.length, last === undefined ? this.#lastPageUsed * GROWTH : last.used * 2);
    this.#fresh.push(page);
    if (page.hasRoomFor(item.data.length)) return page.append(seq, item);
    return page.hold(seq, ownsData ? item : { ...item, data: Buffer.from(item.data) });
  }

  // ---- commit

  compose(batch: StoreBatch): SyncJournal | null {
    if (this.#retired) return null;
    if (!this.#stored) {
      batch.put(queueKey(this.#name), writeQueue({ id: this.#queueId, createdAt: this.#createdAt }));
      this.#stored = true;
    }
    const undo = { nextOrdinal: this.#nextOrdinal, lastPage: this.#lastPage };
    const unsure = this.#unsure;
    this.#unsure = [];
    for (const first of unsure) batch.del(pageKey(this.#queueId, first));
    const pages = this.#composePages(batch);
    this.#moveSparse();
    const outs = this.#composeOuts(batch);
    const deleted = this.#composeDeletions(batch);
    batch.put(stateKey(this.#queueId), writeState(this.#state()));
    const done = this.#commitWaiters?.done ?? null;
    this.#commitWaiters = null;
    this.#flight = { queueId: this.#queueId, pages, outs, deleted, unsure, ...undo, done };
    return this.#host.syncJournal(this.#name);
  }

  #composePages(batch: StoreBatch): Page[] {
    const pages: Page[] = [];
    for (const page of this.#fresh) {
      this.#lastPageUsed = Math.max(page.used, SMALLEST_PAGE);
      const record = page.seal(this.#nextOrdinal, this.#lastPage);
      if (record === null) {
        page.state = "dropped";
        continue;
      }
      batch.put(pageKey(this.#queueId, page.first), record);
      this.#nextOrdinal += page.items.length;
      this.#lastPage = page.first;
      this.#pageBytes += page.bytes;
      pages.push(page);
    }
    this.#fresh = [];
    return pages;
  }

  // A page of which less than a quarter is needed: what is left of it moves into the items' own records.
  #moveSparse(): void {
    for (const page of this.#sparse) {
      // One that the head is in has its turn when the head has passed it.
      if (page.live > 0 && page.last >= this.#head) continue;
      this.#sparse.delete(page);
      if (page.live === 0) continue;
      for (const item of page.items) if (item.place !== "gone") this.#out.moveOut(item);
      page.live = 0;
      this.#emptied.add(page);
    }
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

  #composeDeletions(batch: StoreBatch): Page[] {
    // A page that was found at the start may hold items in line that have not been read yet.
    const deleted = [...this.#emptied].filter((page) => page.live === 0 && page.last < this.#head);
    this.#emptied.clear();
    for (const page of deleted) {
      batch.del(pageKey(this.#queueId, page.first));
      this.#reader.forget(page);
      this.#pageBytes = Math.max(0, this.#pageBytes - page.bytes);
    }
    return deleted;
  }

  #state(): StateRecord {
    return {
      head: this.#head,
      next: this.#next,
      lowestOut: this.#out.lowest() ?? this.#next,
      waiting: this.#waiting,
      waitingBytes: this.#waitingBytes,
      delayed: 0,
      out: this.#out.size,
      nextOrdinal: this.#nextOrdinal,
      lastPage: this.#lastPage,
      pageBytes: this.#pageBytes,
      headAddedAt: this.#listener?.headAddedAt() ?? this.#headAddedAt,
    };
  }

  committed(): void {
    const flight = this.#flight as Flight;
    this.#flight = null;
    for (const page of flight.pages) this.#pageWritten(page, flight.queueId);
    // An item that was opened and lost its page to a flush before it was written is in the store by its own record.
    for (const item of flight.outs) settle(item, null);
    for (const page of flight.deleted) {
      page.state = "dropped";
      this.#host.evicted(flight.queueId, page);
    }
    flight.done?.();
    if (this.#emptied.size > 0) this.#host.commits.touch(this, false);
  }

  #pageWritten(page: Page, queueId: number): void {
    page.state = "written";
    for (const item of page.items) settle(item, null);
    if (queueId !== this.#queueId || this.#retired) return;
    if (page.live === 0) this.#emptied.add(page);
    if (page.items[0]?.resident !== true) return;
    this.#reader.remember(page);
    if (page.items.at(-1)?.resident !== true) this.#partial = page;
  }

  failed(error: Error, composed: boolean): void {
    const flight = composed ? this.#flight : null;
    this.#flight = null;
    const current = flight !== null && flight.queueId === this.#queueId;
    if (flight !== null && current) this.#undo(flight);
    const pages = [...(current ? flight.pages : []), ...this.#fresh];
    if (!current) for (const page of flight?.pages ?? []) for (const item of page.items) settle(item, null);
    this.#fresh = [];
    this.#withdraw(pages, error);
    for (const item of this.#out.members) settle(item, error);
    flight?.done?.();
    this.#commitWaiters?.done();
    this.#commitWaiters = null;
    this.#host.commits.touch(this, true);
  }

  // Nothing of the flight may be counted on, and all of it may be in the store.
  #undo(flight: Flight): void {
    this.#unsure = [...flight.unsure, ...flight.pages.map((page) => page.first)];
    this.#nextOrdinal = flight.nextOrdinal;
    this.#lastPage = flight.lastPage;
    this.#stored = false;
    for (const page of flight.pages) this.#pageBytes = Math.max(0, this.#pageBytes - page.bytes);
    for (const item of flight.outs) this.#out.unsure(item);
    for (const page of flight.deleted) {
      this.#pageBytes += page.bytes;
      this.#emptied.add(page);
    }
  }

  // Items of a batch that failed: in line they are withdrawn, a copy that a client has open stays with that client.
  #withdraw(pages: readonly Page[], error: Error): void {
    const withdrawn = new Set<Item>();
    for (const page of pages) {
      page.state = "dropped";
      for (const item of page.items) {
        const delivered = item.place === "gone";
        if (item.place === "open") item.detached = true;
        if (item.place === "line" || item.place === "back") {
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
    if (this.#commitWaiters === null) {
      let done = (): void => {};
      const promise = new Promise<void>((resolve) => {
        done = resolve;
      });
      this.#commitWaiters = { promise, done };
    }
    this.#host.commits.touch(this, true);
    return this.#commitWaiters.promise;
  }

  /** Takes over what was found out of line at the start, and forgets the records that have no item any more. */
  adopt(items: readonly JournalItem[], orphans: readonly number[]): void {
    for (const item of items) {
      item.place = "back";
      this.#out.adopt(item);
    }
    for (const seq of orphans) this.#out.adoptOrphan(seq);
    this.#host.commits.touch(this, false);
  }

  get reader(): PageReader {
    return this.#reader;
  }
}
