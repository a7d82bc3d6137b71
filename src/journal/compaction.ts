import type { Clock, Timer } from "../clock.js";
import { describeError } from "../errors.js";
import type { Log } from "../log.js";
import { pageKey, queueRange } from "./keys.js";
import type { KeyRange, Store } from "./store.js";

/** After so many bytes of deleted pages, their range is compacted. */
const EVICTED_BYTES = 32 * 1024 * 1024;
/** Less than this is not worth a compaction, also when nothing else happens. */
const IDLE_BYTES = 1024 * 1024;
/** So long after the last deletion the journal counts as idle. */
const IDLE_MS = 2000;
/** Queues that one round looks at; those that take the most space first. */
const ROUND_QUEUES = 16;
/** A range that still takes more than this afterwards is compacted once more: one pass may not reach every level. */
const LEFT_BYTES = 4 * 1024 * 1024;

/**
 * Gives the space of deleted pages back to the disk. LevelDB does not do it by itself where records are only appended and
 * deleted in order: the deletions never meet what they delete.
 *
 * One compaction at a time, in the background: it holds one of Node's four pool threads and flushes the memtable.
 */
export class Compaction {
  readonly #store: () => Promise<Store>;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #evicted = new Map<number, { bytes: number; last: number }>();
  #evictedBytes = 0;
  #running: Promise<void> | null = null;
  #idle: Timer | null = null;
  #closed = false;
  readonly #rounds = new Map<number, number>();
  readonly #forgotten = new Set<number>();
  /** Rounds so far, for statistics. */
  rounds = 0;

  constructor(store: () => Promise<Store>, clock: Clock, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  /** A page of `bytes` that began at sequence number `first` was deleted. */
  evicted(queueId: number, first: number, bytes: number): void {
    const queue = this.#evicted.get(queueId) ?? { bytes: 0, last: 0 };
    queue.bytes += bytes;
    queue.last = Math.max(queue.last, first);
    this.#evicted.set(queueId, queue);
    this.#evictedBytes += bytes;
    if (this.#evictedBytes >= EVICTED_BYTES) this.#start();
    else this.#waitForIdle();
  }

  /** Compactions that covered a queue id. */
  roundsOf(queueId: number): number {
    return this.#rounds.get(queueId) ?? 0;
  }

  /** A queue id is no more, though its range may still be compacted. */
  forget(queueId: number): void {
    this.#rounds.delete(queueId);
    if (this.#evicted.has(queueId)) this.#forgotten.add(queueId);
  }

  /** Ends the round that is running, and begins no other. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#idle?.clear();
    await this.#running;
  }

  #waitForIdle(): void {
    if (this.#closed || this.#idle !== null) return;
    const seen = this.#evictedBytes;
    this.#idle = this.#clock.after(IDLE_MS, () => this.#idleDue(seen), { background: true });
  }

  #idleDue(seen: number): void {
    this.#idle = null;
    if (this.#evictedBytes !== seen) this.#waitForIdle();
    else if (seen >= IDLE_BYTES) this.#start();
  }

  #start(): void {
    if (this.#closed || this.#running !== null) return;
    this.#running = this.#round().then(() => {
      this.#running = null;
      if (this.#evictedBytes > 0) this.#waitForIdle();
    });
  }

  async #round(): Promise<void> {
    const queues = [...this.#evicted].sort((a, b) => b[1].bytes - a[1].bytes).slice(0, ROUND_QUEUES);
    for (const [queueId, { bytes, last }] of queues) {
      this.#evicted.delete(queueId);
      if (!this.#forgotten.delete(queueId)) this.#rounds.set(queueId, this.roundsOf(queueId) + 1);
      this.#evictedBytes -= bytes;
      if (this.#closed) return;
      try {
        await this.#compact({ from: pageKey(queueId, 0), to: pageKey(queueId, last + 1) });
        await this.#compact(queueRange("o", queueId));
      } catch (error) {
        this.#log.warn({ queueId, error: describeError(error) }, "a compaction failed");
      }
    }
    this.rounds++;
  }

  async #compact(range: KeyRange): Promise<void> {
    const store = await this.#store();
    await store.compact(range);
    if ((await store.tableBytes(range)) > LEFT_BYTES) await store.compact(range);
  }
}
