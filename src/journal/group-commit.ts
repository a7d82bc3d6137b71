import type { Clock, Timer } from "../clock.js";
import { WindhoverError } from "../errors.js";
import type { JournalItem } from "./journal-item.js";
import type { SyncJournal } from "./queue-journal.js";
import type { Store, StoreBatch } from "./store.js";
import type { SyncPolicy } from "./sync-policy.js";

/** Whoever has something to write. */
export interface Committer {
  /** Adds all that is to be written; answers how it must be synced, or null if there was nothing. */
  compose(batch: StoreBatch): SyncJournal | null;
  /** What was composed is in the store. */
  committed(): void;
  /** What was composed, or waits to be, will not be written as it stands: WH_WRITE_FAILED. */
  failed(error: WindhoverError, composed: boolean): void;
}

/**
 * Group commit: while one batch is being written, what all connections do collects for the next. A batch costs about as
 * much as ten items, so they share it.
 *
 * `idle`, nothing to write. `scheduled`, at the end of this turn of the event loop. `writing`. A failed write makes it
 * `shut`: LevelDB would acknowledge the next write and lose it, so no write goes to that store again; `reopen` brings a new
 * one. What only removes may wait for `lazyMs`, because it rides along with any batch. `closed` is final: what comes after
 * that is not written.
 */
export class GroupCommit {
  #store: Store;
  readonly #clock: Clock;
  readonly #sync: SyncPolicy;
  readonly #lazyMs: number;
  readonly #onFailure: (error: Error) => void;
  readonly #dirty = new Set<Committer>();
  #urgent = false;
  #scheduled = false;
  #writing: Promise<void> | null = null;
  #shut = false;
  #closed = false;
  #lazyTimer: Timer | null = null;
  #delivered: JournalItem[] = [];
  /** Batches written so far, for statistics. */
  batches = 0;

  constructor(
    store: Store,
    options: {
      readonly clock: Clock;
      readonly sync: SyncPolicy;
      readonly lazyMs: number;
      readonly onFailure: (error: Error) => void;
    },
  ) {
    this.#store = store;
    this.#clock = options.clock;
    this.#sync = options.sync;
    this.#lazyMs = options.lazyMs;
    this.#onFailure = options.onFailure;
  }

  /** Nothing is written now: whoever waits for the next batch may wait long. */
  get shut(): boolean {
    return this.#shut || this.#closed;
  }

  /** `committer` has something to write: now, or whenever it suits. */
  touch(committer: Committer, urgent: boolean): void {
    if (this.#closed) return;
    this.#dirty.add(committer);
    if (urgent) {
      this.#urgent = true;
      this.#schedule();
    } else if (this.#lazyTimer === null && !this.#shut) {
      this.#lazyTimer = this.#clock.after(this.#lazyMs, () => this.#lazyDue());
    }
  }

  /**
   * The item was delivered before it was written, and need not be: its put is answered after this turn, when the bytes of
   * the delivery are with the system. The other way round a kill between the two answers would lose it.
   */
  settleDelivered(item: JournalItem): void {
    this.#delivered.push(item);
    this.#schedule();
  }

  /** Writes all that is dirty, and what becomes dirty meanwhile. Returns at once when shut. */
  async drain(): Promise<void> {
    while (!this.#shut && (this.#dirty.size > 0 || this.#writing !== null)) {
      if (this.#writing === null) this.#write();
      await this.#writing;
    }
    this.#settle();
  }

  /** Writes no more. What is still to be written must have been, by `drain`. */
  close(): void {
    this.#closed = true;
    this.#dirty.clear();
    this.#lazyTimer?.clear();
    this.#lazyTimer = null;
  }

  /** Goes on with a store that was opened anew. */
  reopen(store: Store): void {
    this.#store = store;
    this.#shut = false;
    if (this.#dirty.size > 0) this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#turnEnded());
  }

  #turnEnded(): void {
    this.#scheduled = false;
    this.#settle();
    if (this.#writing === null && !this.#shut && this.#dirty.size > 0) this.#write();
  }

  #lazyDue(): void {
    this.#lazyTimer = null;
    if (this.#writing !== null) this.#urgent = true;
    else if (!this.#shut && this.#dirty.size > 0) this.#write();
  }

  #settle(): void {
    if (this.#delivered.length === 0) return;
    const delivered = this.#delivered;
    this.#delivered = [];
    for (const item of delivered) if (item.place === "gone") settle(item, null);
  }

  #write(): void {
    const batch = this.#store.batch();
    const composed: Committer[] = [];
    const syncs: SyncJournal[] = [];
    const dirty = [...this.#dirty];
    this.#dirty.clear();
    this.#urgent = false;
    this.#lazyTimer?.clear();
    this.#lazyTimer = null;
    for (const committer of dirty) {
      const sync = committer.compose(batch);
      if (sync === null) continue;
      composed.push(committer);
      syncs.push(sync);
    }
    if (composed.length > 0) this.#writing = this.#writeBatch(batch, composed, syncs);
  }

  async #writeBatch(batch: StoreBatch, composed: readonly Committer[], syncs: readonly SyncJournal[]): Promise<void> {
    try {
      await batch.write(syncs.some((sync) => sync.kind === "always"));
    } catch (error) {
      this.#writing = null;
      this.#fail(new WindhoverError("WH_WRITE_FAILED", "the journal could not be written", { cause: error }), composed);
      return;
    }
    this.#writing = null;
    this.batches++;
    this.#sync.wrote(syncs);
    for (const committer of composed) committer.committed();
    if (this.#urgent) this.#schedule();
  }

  #fail(error: WindhoverError, composed: readonly Committer[]): void {
    this.#shut = true;
    this.#lazyTimer?.clear();
    this.#lazyTimer = null;
    // What was to be written first comes first again: a queue's deletion before the new queue of the same name.
    const waiting = [...this.#dirty].filter((committer) => !composed.includes(committer));
    this.#dirty.clear();
    for (const committer of composed) committer.failed(error, true);
    for (const committer of waiting) committer.failed(error, false);
    this.#onFailure(error);
  }
}

/** Answers an item's put, once. */
export function settle(item: JournalItem, error: Error | null): void {
  const answer = item.settle;
  if (answer === null) return;
  item.settle = null;
  answer(error);
}
