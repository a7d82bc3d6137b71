import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Timer } from "../clock.js";
import { describeError } from "../errors.js";
import type { Log } from "../log.js";
import type { SyncJournal } from "./queue-journal.js";

/**
 * Keeps `sync_journal` periods: at most so long after a batch was written, it is on the disk.
 *
 * LevelDB's own synced write reaches only the log it writes to now, not one that was closed a moment before, so every log of
 * the directory is synced here through descriptors of our own, and then the directory.
 */
export class SyncPolicy {
  readonly #directory: string;
  readonly #clock: Clock;
  readonly #log: Log;
  #timer: Timer | null = null;
  #dueAt = 0;
  #syncing: Promise<void> | null = null;
  #closed = false;
  /** Times that the logs were synced for a period. */
  syncs = 0;

  constructor(directory: string, clock: Clock, log: Log) {
    this.#directory = directory;
    this.#clock = clock;
    this.#log = log;
  }

  /** A batch was written that carries something of queues with these settings. */
  wrote(syncs: readonly SyncJournal[]): void {
    for (const sync of syncs) if (sync.kind === "period") this.#within(sync.periodMs);
  }

  /** Syncs once more if something waits for it. */
  async close(): Promise<void> {
    this.#closed = true;
    const due = this.#timer !== null;
    this.#timer?.clear();
    this.#timer = null;
    await this.#syncing;
    if (due) await this.#sync();
  }

  #within(periodMs: number): void {
    const dueAt = this.#clock.monotonicMs() + periodMs;
    if (this.#closed || (this.#timer !== null && this.#dueAt <= dueAt)) return;
    this.#timer?.clear();
    this.#dueAt = dueAt;
    this.#timer = this.#clock.after(periodMs, () => this.#due(), { background: true });
  }

  #due(): void {
    this.#timer = null;
    // One at a time: a period that ends while the disk is still busy with the last one is served right after it.
    this.#syncing = (this.#syncing ?? Promise.resolve()).then(() => this.#sync());
  }

  async #sync(): Promise<void> {
    try {
      const names = await readdir(this.#directory);
      for (const name of names) if (name.endsWith(".log")) await syncPath(join(this.#directory, name));
      await syncPath(this.#directory);
      this.syncs++;
    } catch (error) {
      this.#log.error({ error: describeError(error) }, "the journal could not be synced to the disk");
    }
  }
}

/** Of several settings the one that asks for most. */
export function strictest(syncs: readonly SyncJournal[]): SyncJournal {
  return syncs.reduce((a, b) => (rank(a) <= rank(b) ? a : b), { kind: "never" });
}

function rank(sync: SyncJournal): number {
  if (sync.kind === "always") return -1;
  return sync.kind === "period" ? sync.periodMs : Number.POSITIVE_INFINITY;
}

async function syncPath(path: string): Promise<void> {
  let file: FileHandle;
  try {
    file = await open(path, "r");
  } catch (error) {
    // LevelDB removes a log once its items are in a table, which it has synced.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return;
    throw error;
  }
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
