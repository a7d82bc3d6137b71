import { pageKey } from "./keys.js";
import type { Page } from "./page.js";
import type { StateRecord } from "./records.js";
import type { StoreBatch } from "./store.js";

/** What a batch changes in the ledger, to be undone if it fails. */
export interface LedgerEntry {
  readonly written: readonly Page[];
  readonly deleted: readonly Page[];
  readonly unsure: readonly number[];
  readonly nextOrdinal: number;
  readonly lastPage: number;
}

/** The pages of one queue in the store: how many items they ever held, how large they are, and which can go. */
export class PageLedger {
  #nextOrdinal: number;
  #lastPage: number;
  #bytes: number;
  /** Written pages whose last item is gone. */
  readonly #emptied = new Set<Page>();
  /** Written pages of which less than a quarter is still needed. */
  readonly #sparse = new Set<Page>();
  /** Keys of pages that a failed batch may have left in the store. */
  #unsure: readonly number[] = [];

  constructor(state: Pick<StateRecord, "nextOrdinal" | "lastPage" | "pageBytes">) {
    this.#nextOrdinal = state.nextOrdinal;
    this.#lastPage = state.lastPage;
    this.#bytes = state.pageBytes;
  }

  /** Bytes of the pages that are there. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The ledger's part of the state record. */
  get state(): Pick<StateRecord, "nextOrdinal" | "lastPage" | "pageBytes"> {
    return { nextOrdinal: this.#nextOrdinal, lastPage: this.#lastPage, pageBytes: this.#bytes };
  }

  get hasEmptied(): boolean {
    return this.#emptied.size > 0;
  }

  /** Pages that are in the store by mistake, by their first sequence number. */
  unsure(entry: LedgerEntry | null): ReadonlySet<number> {
    return new Set([...this.#unsure, ...(entry?.unsure ?? [])]);
  }

  /** An item of the page is gone. */
  release(page: Page): void {
    page.live--;
    this.check(page);
  }

  /** Notes a written page that is not needed, or hardly. */
  check(page: Page): void {
    if (page.state !== "written") return;
    if (page.live === 0) this.#emptied.add(page);
    else if (page.live * 4 < page.total) this.#sparse.add(page);
  }

  /** Pages that the head has passed and that hold little; their items are to be moved out of them. */
  takeSparse(head: number): Page[] {
    const taken: Page[] = [];
    for (const page of this.#sparse) {
      // One that the head is in has its turn when the head has passed it.
      if (page.live > 0 && page.last >= head) continue;
      this.#sparse.delete(page);
      if (page.live > 0) taken.push(page);
    }
    return taken;
  }

  /** All items of the page have been moved out of it. */
  clear(page: Page): void {
    page.live = 0;
    this.#emptied.add(page);
  }

  /** Writes fresh pages and deletes those that nobody needs; answers what that changed. */
  compose(batch: StoreBatch, queueId: number, fresh: readonly Page[], head: number): LedgerEntry {
    const before = { nextOrdinal: this.#nextOrdinal, lastPage: this.#lastPage, unsure: this.#unsure };
    for (const first of this.#unsure) batch.del(pageKey(queueId, first));
    this.#unsure = [];
    const written = fresh.filter((page) => this.#write(batch, queueId, page));
    // A page that was found at the start may hold items in line that have not been read yet.
    const deleted = [...this.#emptied].filter((page) => page.live === 0 && page.last < head);
    this.#emptied.clear();
    for (const page of deleted) this.#delete(batch, queueId, page);
    return { ...before, written, deleted };
  }

  /** The batch failed: nothing of it may be counted on, and all of it may be in the store. */
  undo(entry: LedgerEntry): void {
    this.#unsure = [...entry.unsure, ...entry.written.map((page) => page.first)];
    this.#nextOrdinal = entry.nextOrdinal;
    this.#lastPage = entry.lastPage;
    for (const page of entry.written) this.#shrink(page.bytes);
    for (const page of entry.deleted) {
      this.#bytes += page.bytes;
      this.#emptied.add(page);
    }
  }

  /** The queue has a new id, and no page yet. */
  reset(): void {
    this.#emptied.clear();
    this.#sparse.clear();
    this.#unsure = [];
    this.#nextOrdinal = 0;
    this.#lastPage = 0;
    this.#bytes = 0;
  }

  #write(batch: StoreBatch, queueId: number, page: Page): boolean {
    const record = page.seal(this.#nextOrdinal, this.#lastPage);
    if (record === null) return false;
    batch.put(pageKey(queueId, page.first), record);
    this.#nextOrdinal += page.total;
    this.#lastPage = page.first;
    this.#bytes += page.bytes;
    return true;
  }

  #delete(batch: StoreBatch, queueId: number, page: Page): void {
    batch.del(pageKey(queueId, page.first));
    this.#shrink(page.bytes);
  }

  // Damage may have made the count too low; a negative one could not be written.
  #shrink(bytes: number): void {
    this.#bytes = Math.max(0, this.#bytes - bytes);
  }
}
