import type { JournalItem } from "./journal-item.js";
import { pageKey, sequenceInKey } from "./keys.js";
import { Page, type PageContents, readPage } from "./page.js";
import { lastReadableKey, readableEntries, readableValue } from "./readable.js";
import type { Store } from "./store.js";

/** Bytes that a look at the line reads in one trip. */
const SCAN_BYTES = 256 * 1024;

/** How far one trip to the store goes. */
export interface ReadLimits {
  /** The page that begins at this sequence number is not read any more. */
  readonly bound: number;
  readonly maxBytes: number;
  /** Pages, by their first sequence number, that are in the store by mistake. */
  readonly skipped: ReadonlySet<number>;
}

/** What one trip to the store brought. */
export interface PagesRead {
  readonly items: JournalItem[];
  /** Where to go on. */
  next: number;
  /** Pages without an item that is still needed. */
  readonly spent: Page[];
  /** Items that should have been there. */
  lost: number;
  why: string;
}

/** A page that was read for an item out of line. */
interface FoundPage {
  readonly page: Page;
  readonly contents: PageContents;
}

/**
 * Reads one queue's pages in order, and knows those of which something is in memory: an item must be one object, however
 * often its page is read.
 */
export class PageReader {
  readonly #store: () => Promise<Store>;
  readonly #queueId: number;
  readonly #pages = new Map<number, Page>();
  /** The next read begins at a page's first item; not so after a start, when the head may be within one. */
  #atPageStart = false;
  /** Where the last read ended, and the ordinal that the next page must have, null when unknown. */
  #ended = 0;
  #ordinal: number | null = null;
  /** The page of the last item out of line. */
  #found: FoundPage | null = null;

  constructor(store: () => Promise<Store>, queueId: number) {
    this.#store = store;
    this.#queueId = queueId;
  }

  remember(page: Page): void {
    this.#pages.set(page.first, page);
  }

  forget(page: Page): void {
    this.#pages.delete(page.first);
  }

  /** What follows comes from memory: the next read begins where a page does. */
  forgetPlace(): void {
    this.#ordinal = null;
    this.#atPageStart = true;
  }

  /** Pages from the one that holds sequence number `from` on. */
  async read(from: number, { bound, maxBytes, skipped }: ReadLimits): Promise<PagesRead> {
    this.#found = null;
    const store = await this.#store();
    const first = this.#atPageStart ? from : await this.#startOfPage(store, from);
    const range = { from: pageKey(this.#queueId, first), to: pageKey(this.#queueId, bound) };
    const entries = await readableEntries(store, range, maxBytes);
    this.#atPageStart = true;
    // Pages that were kept in memory lie between this read and the last one.
    if (from !== this.#ended) this.#ordinal = null;
    const read: PagesRead = { items: [], next: entries.length === 0 ? bound : from, spent: [], lost: 0, why: "" };
    for (const [key, record] of entries) {
      const start = sequenceInKey(key);
      if (skipped.has(start)) read.next = Math.max(read.next, start + 1);
      else this.#take(start, record, from, read);
    }
    this.#ended = read.next;
    return read;
  }

  /** Items from sequence number `from` on, in order, without any being taken into memory. */
  async *scan(from: number, bound: number): AsyncGenerator<JournalItem> {
    let start = from;
    const store = await this.#store();
    let first = await this.#startOfPage(store, from);
    while (first < bound) {
      const range = { from: pageKey(this.#queueId, first), to: pageKey(this.#queueId, bound) };
      const entries = await readableEntries(store, range, SCAN_BYTES);
      if (entries.length === 0) return;
      for (const [key, record] of entries) {
        first = sequenceInKey(key) + 1;
        for (const item of readPage(record, null)?.items ?? []) if (item.seq >= start) yield item;
      }
      start = first;
    }
  }

  /** The page that holds one item, read at the start for an item out of line. */
  async pageOf(seq: number): Promise<{ readonly page: Page; readonly item: JournalItem } | null> {
    const found = await this.#findPage(seq);
    const item = found?.contents.items.find((candidate) => candidate.seq === seq);
    if (found === null || item === undefined) return null;
    const { page } = found;
    page.items.push(item);
    page.live++;
    this.remember(page);
    return { page, item };
  }

  // They are asked for in their order, many of one page: it is read once, so that it is in memory once.
  async #findPage(seq: number): Promise<FoundPage | null> {
    const last = this.#found;
    if (last !== null && seq >= last.page.first && seq <= last.page.last) return last;
    const store = await this.#store();
    const first = await this.#startOfPage(store, seq);
    const record = await readableValue(store, pageKey(this.#queueId, first));
    const page = this.#pages.get(first) ?? new Page();
    const contents = readPage(record, page);
    if (contents === null) return null;
    describePage(page, first, contents.items, record.length);
    this.#found = { page, contents };
    return this.#found;
  }

  async #startOfPage(store: Store, seq: number): Promise<number> {
    const range = { from: pageKey(this.#queueId, 0), to: pageKey(this.#queueId, seq + 1) };
    const key = await lastReadableKey(store, range);
    return key === undefined ? seq : sequenceInKey(key);
  }

  #take(first: number, record: Buffer, from: number, read: PagesRead): void {
    const known = this.#pages.get(first);
    const page = known ?? new Page();
    const contents = readPage(record, page);
    if (contents === null) {
      // How many it held shows when its neighbour's ordinal is read.
      read.next = Math.max(read.next, first + 1);
      return;
    }
    const expected = this.#ordinal;
    if (expected !== null && contents.ordinal > expected) {
      read.lost += contents.ordinal - expected;
      read.why = `the pages before sequence ${first} are damaged or missing`;
    }
    describePage(page, first, contents.items, record.length);
    // Behind a page that ends before the head lie pages that were used up.
    this.#ordinal = page.last < from ? null : contents.ordinal + contents.items.length;
    for (const item of contents.items) if (item.seq >= from) this.#keep(page, item, known !== undefined, read);
    if (page.live > 0) this.remember(page);
    else read.spent.push(page);
    read.next = page.last + 1;
  }

  #keep(page: Page, item: JournalItem, known: boolean, read: PagesRead): void {
    if (known && page.items.some((other) => other.seq === item.seq)) return;
    page.items.push(item);
    page.live++;
    read.items.push(item);
  }
}

function describePage(page: Page, first: number, items: readonly JournalItem[], bytes: number): void {
  page.state = "written";
  page.first = first;
  page.last = items.at(-1)?.seq ?? first;
  page.total = items.length;
  page.bytes = bytes;
}
