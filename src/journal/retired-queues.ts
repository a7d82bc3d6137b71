import type { Clock, Timer } from "../clock.js";
import { describeError } from "../errors.js";
import type { Log } from "../log.js";
import type { Compaction } from "./compaction.js";
import type { Committer, GroupCommit } from "./group-commit.js";
import { queueKey, queueRange, retiredKey, sequenceInKey, stateKey } from "./keys.js";
import type { SyncJournal } from "./queue-journal.js";
import { isDamage, type Store, type StoreBatch } from "./store.js";
import { strictest } from "./sync-policy.js";

/** Records that one batch removes: enough to be quick, few enough not to hold up the sets that ride along. */
const PURGE_KEYS = 256;
const RETRY_MS = 1000;

/** A queue id that is no more. */
export interface Retirement {
  readonly queueId: number;
  /** The queue of this name was deleted; null if it was only flushed. */
  readonly deletedName: string | null;
  readonly sync: SyncJournal;
}

interface Announcement extends Retirement {
  readonly done: () => void;
}

/** Records that are to be removed next. */
interface Removal {
  readonly keys: readonly Buffer[];
  readonly done: () => void;
}

/**
 * Queue ids that are no more, because their queue was deleted or flushed. For the client that is one record in one batch;
 * their pages are removed afterwards, bit by bit, and after a crash again from where it stopped.
 */
export class RetiredQueues implements Committer {
  readonly #store: () => Promise<Store>;
  readonly #commits: GroupCommit;
  readonly #compaction: Compaction;
  readonly #clock: Clock;
  readonly #log: Log;
  #announced: Announcement[] = [];
  #removal: Removal | null = null;
  /** What the batch on its way carries. */
  #flight: { readonly announced: readonly Announcement[]; readonly removal: Removal | null } | null = null;
  /** Ids whose records are still there, in the order in which they go. */
  readonly #ids: number[] = [];
  #purging: Promise<void> | null = null;
  #retry: Timer | null = null;
  #closed = false;

  constructor(options: {
    readonly store: () => Promise<Store>;
    readonly commits: GroupCommit;
    readonly compaction: Compaction;
    readonly clock: Clock;
    readonly log: Log;
  }) {
    this.#store = options.store;
    this.#commits = options.commits;
    this.#compaction = options.compaction;
    this.#clock = options.clock;
    this.#log = options.log;
  }

  /**
   * Retires an id with the next batch. While nothing can be written there is nothing to wait for: in memory the queue is
   * gone, and the record is written as soon as the store is there again.
   */
  retire(queue: Retirement): Promise<void> {
    return new Promise((done) => {
      this.#announced.push({ ...queue, done });
      if (this.#commits.shut) done();
      this.#commits.touch(this, true);
    });
  }

  /** Goes on with ids that a former run had retired. */
  resume(queueIds: readonly number[]): void {
    this.#ids.push(...queueIds);
    this.#purgeAll();
  }

  /** Stops between two batches; the next start goes on. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#retry?.clear();
    this.#removal?.done();
    await this.#purging;
  }

  compose(batch: StoreBatch): SyncJournal | null {
    const announced = this.#announced;
    this.#announced = [];
    this.#flight = { announced, removal: this.#removal };
    for (const { queueId, deletedName } of announced) {
      batch.put(retiredKey(queueId), Buffer.alloc(1));
      batch.del(stateKey(queueId));
      if (deletedName !== null) batch.del(queueKey(deletedName));
    }
    for (const key of this.#removal?.keys ?? []) batch.del(key);
    if (announced.length > 0) return strictest(announced.map(({ sync }) => sync));
    return this.#removal === null ? null : { kind: "never" };
  }

  committed(): void {
    const { announced, removal } = this.#flight ?? { announced: [], removal: null };
    this.#flight = null;
    if (removal !== null) this.#removal = null;
    removal?.done();
    for (const { queueId, done } of announced) {
      done();
      this.#ids.push(queueId);
    }
    this.#purgeAll();
  }

  failed(_error: Error, composed: boolean): void {
    if (composed) this.#announced.unshift(...(this.#flight?.announced ?? []));
    this.#flight = null;
    for (const { done } of this.#announced) done();
    this.#commits.touch(this, true);
  }

  #purgeAll(): void {
    if (this.#closed || this.#purging !== null || this.#retry !== null || this.#ids.length === 0) return;
    this.#purging = this.#purgeInTurn().then(() => {
      this.#purging = null;
      this.#purgeAll();
    });
  }

  async #purgeInTurn(): Promise<void> {
    for (let queueId = this.#ids[0]; queueId !== undefined && !this.#closed; queueId = this.#ids[0]) {
      try {
        await this.#purge(queueId);
      } catch (error) {
        if (!this.#closed)
          this.#log.warn({ queueId, error: describeError(error) }, "records of a retired queue could not be removed");
        // Damage stays until the next start, and must not keep the others from going.
        if (!isDamage(error)) return this.#tryAgainLater();
      }
      this.#ids.shift();
    }
  }

  #tryAgainLater(): void {
    if (this.#closed) return;
    const again = (): void => {
      this.#retry = null;
      this.#purgeAll();
    };
    this.#retry = this.#clock.after(RETRY_MS, again, { background: true });
  }

  async #purge(queueId: number): Promise<void> {
    for (const kind of ["p", "o", "d"] as const) {
      for (let keys = await this.#keys(kind, queueId); keys.length > 0; keys = await this.#keys(kind, queueId)) {
        await this.#remove(keys);
        const last = keys.at(-1);
        // The size of a page is not read only to delete it: half of the largest is the guess.
        if (kind === "p" && last !== undefined)
          this.#compaction.evicted(queueId, sequenceInKey(last), keys.length * 65536);
      }
    }
    if (this.#closed) return;
    await this.#remove([retiredKey(queueId)]);
    this.#compaction.forget(queueId);
  }

  async #keys(kind: "p" | "o" | "d", queueId: number): Promise<Buffer[]> {
    if (this.#closed) return [];
    const store = await this.#store();
    return store.keys(queueRange(kind, queueId), PURGE_KEYS);
  }

  #remove(keys: readonly Buffer[]): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((done) => {
      this.#removal = { keys, done };
      this.#commits.touch(this, false);
    });
  }
}
