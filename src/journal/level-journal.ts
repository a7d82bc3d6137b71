import type { Clock, Timer } from "../clock.js";
import { describeError, WindhoverError } from "../errors.js";
import type { Log } from "../log.js";
import { Compaction } from "./compaction.js";
import { CurrentStore } from "./current-store.js";
import { DiskSpace } from "./disk-space.js";
import { GroupCommit } from "./group-commit.js";
import { FORMAT_KEY } from "./keys.js";
import { EMPTY_STATE, LevelQueueJournal, type QueueJournalHost } from "./level-queue-journal.js";
import { tornBytes } from "./log-tail.js";
import type { Page } from "./page.js";
import { PageReader } from "./page-reader.js";
import type { Journal, JournalSettings, QueueJournal, RecoveredQueue, SyncJournal } from "./queue-journal.js";
import { FORMAT, type FormatRecord, writeFormat } from "./records.js";
import { checkFormat, droppedBytes, type FoundQueue, findOutOfLine, findQueues, findRetired } from "./recovery.js";
import { RetiredQueues, type Retirement } from "./retired-queues.js";
import { type OpenStore, openLevelStore, type Store } from "./store.js";
import { SyncPolicy } from "./sync-policy.js";

/** What the journal on LevelDB is made with. */
export interface LevelJournalOptions {
  /** Made if it does not exist. */
  readonly directory: string;
  readonly settings: JournalSettings;
  /** Puts are refused while the disk has less room than this, in bytes. */
  readonly minFreeBytes: number;
  readonly clock: Clock;
  readonly log: Log;
  /** How long removals may wait for a batch to ride with. Default 5 ms. */
  readonly lazyMs?: number;
  /** Opens the store; tests put one with faults in its place. */
  readonly openStore?: OpenStore;
  /** How much room the disk has, in bytes; tests say it themselves. */
  readonly freeBytes?: (directory: string) => Promise<number>;
}

/**
 * Sequence numbers jump by this at a start, so that none which a client may have seen before a crash comes again.
 */
const SEQUENCE_JUMP = 2 ** 20;
/** Queue ids are reserved in blocks, so that a new queue costs no write of its own. */
const QUEUE_ID_BLOCK = 1024;
const REOPEN_FIRST_MS = 100;
const REOPEN_LAST_MS = 5000;

/**
 * The journal of all queues in one LevelDB.
 *
 * `open`; a failed write makes it `broken`: puts are refused, all else goes on in memory, reads still come from the old
 * store; when the disk has room again the store is closed and opened anew, what had changed meanwhile is written, and it is
 * `open`. `closed` is final.
 */
export class LevelJournal implements Journal, QueueJournalHost {
  readonly commits: GroupCommit;
  readonly #options: LevelJournalOptions;
  readonly #store: CurrentStore;
  readonly #sync: SyncPolicy;
  readonly #space: DiskSpace;
  readonly #compaction: Compaction;
  readonly #retired: RetiredQueues;
  #format: FormatRecord;
  #nextQueueId: number;
  #recovered: RecoveredQueue[] = [];
  #broken: Error | null = null;
  #reopenTimer: Timer | null = null;
  #reopening: Promise<void> | null = null;
  #closing: Promise<void> | null = null;

  private constructor(options: LevelJournalOptions, store: Store, format: FormatRecord) {
    const { directory, clock, log } = options;
    this.#options = options;
    this.#store = new CurrentStore(directory, options.openStore ?? openLevelStore, store);
    this.#format = format;
    this.#nextQueueId = format.nextQueueId;
    this.#sync = new SyncPolicy(directory, clock, log);
    this.commits = new GroupCommit(store, {
      clock,
      sync: this.#sync,
      lazyMs: options.lazyMs ?? 5,
      onFailure: (error) => this.#break(error),
    });
    const currentStore = (): Promise<Store> => this.#store.get();
    this.#compaction = new Compaction(currentStore, clock, log);
    this.#retired = new RetiredQueues({
      store: currentStore,
      commits: this.commits,
      compaction: this.#compaction,
      clock,
      log,
    });
    this.#space = new DiskSpace(directory, {
      minFreeBytes: options.minFreeBytes,
      clock,
      ...(options.freeBytes === undefined ? {} : { freeBytes: options.freeBytes }),
      onChange: (low, free) => this.#spaceChanged(low, free),
    });
  }

  /**
   * Opens the journal and finds its queues. Errors: WH_JOURNAL_LOCKED, WH_JOURNAL_UNREADABLE, WH_JOURNAL_FORMAT.
   */
  static async open(options: LevelJournalOptions): Promise<LevelJournal> {
    const torn = await tornBytes(options.directory);
    const store = await (options.openStore ?? openLevelStore)(options.directory);
    let journal: LevelJournal | null = null;
    try {
      const format = await checkFormat(store, options.directory);
      journal = new LevelJournal(options, store, format);
      await journal.#logDamage(torn);
      await journal.#recover(store);
      return journal;
    } catch (error) {
      await (journal === null ? store.close() : journal.#letGo());
      throw unreadable(options.directory, error);
    }
  }

  get recovered(): readonly RecoveredQueue[] {
    return this.#recovered;
  }

  get boots(): number {
    return this.#format.boots;
  }

  get refusal(): string | null {
    if (this.#closing !== null) return "the journal is closing";
    if (this.#broken !== null) return "the journal cannot be written";
    return this.#space.low ? "the disk of the journal is nearly full" : null;
  }

  create(name: string): QueueJournal {
    const queue = { name, id: this.newQueueId(), createdAt: this.#options.clock.wallMs(), stored: false };
    return new LevelQueueJournal(this, queue, EMPTY_STATE);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  // ---- for the queues' journals

  newQueueId(): number {
    const id = this.#nextQueueId++;
    if (this.#nextQueueId > this.#format.nextQueueId) this.#reserveIds();
    return id;
  }

  reader(queueId: number): PageReader {
    return new PageReader(() => this.#store.get(), queueId);
  }

  retire(retirement: Retirement): Promise<void> {
    return this.#retired.retire(retirement);
  }

  evicted(queueId: number, page: Page): void {
    this.#compaction.evicted(queueId, page.first, page.bytes);
  }

  rotations(queueId: number): number {
    return this.#compaction.roundsOf(queueId);
  }

  lost(queue: string, count: number, why: string): void {
    this.#options.log.error({ queue, lost_items: count }, `items of the journal are lost: ${why}`);
  }

  syncJournal(queue: string): SyncJournal {
    return this.#options.settings.syncJournal(queue);
  }

  // ---- start

  async #logDamage(torn: number): Promise<void> {
    const { directory, log } = this.#options;
    const dropped = await droppedBytes(directory);
    if (dropped > 0)
      log.error({ bytes: dropped }, "LevelDB dropped damaged bytes of its log: the items in them are lost");
    else if (torn > 0) log.warn({ bytes: torn }, "the last write to the journal was cut off: it is dropped");
  }

  async #recover(store: Store): Promise<void> {
    const { log } = this.#options;
    this.#reserveIds();
    await this.#writeFormat(store, { ...this.#format, boots: this.#format.boots + 1 });
    for (const queue of await findQueues(store, log)) this.#recovered.push(await this.#recoverQueue(store, queue));
    // The jump of the sequence numbers must outlive this run, also if it ends before a queue has anything to write.
    await this.commits.drain();
    this.#retired.resume(await findRetired(store));
    await this.#space.watch();
  }

  async #recoverQueue(store: Store, queue: FoundQueue): Promise<RecoveredQueue> {
    const state = { ...queue.state, next: queue.state.next + SEQUENCE_JUMP };
    const { name, id, createdAt } = queue;
    const journal = new LevelQueueJournal(this, { name, id, createdAt, stored: true }, state);
    const { items, orphans, lost } = await findOutOfLine(store, queue, journal.reader);
    journal.adopt(items, orphans);
    if (lost > 0) this.lost(name, lost, "their pages are damaged or missing");
    const back = items.filter(({ place }) => place === "back");
    const delayed = items.filter(({ place }) => place === "delayed").map((item) => ({ item, dueAt: item.dueAt }));
    return { name, journal, back, delayed, headAddedAt: queue.state.headAddedAt, lost };
  }

  #reserveIds(): void {
    this.#format = { ...this.#format, nextQueueId: this.#nextQueueId + QUEUE_ID_BLOCK };
    this.commits.touch(this.#formatCommitter, true);
  }

  readonly #formatCommitter = {
    compose: (batch: { put(key: Buffer, value: Buffer): void }): SyncJournal => {
      batch.put(FORMAT_KEY, writeFormat(this.#format));
      return { kind: "never" };
    },
    committed: (): void => {},
    failed: (): void => this.commits.touch(this.#formatCommitter, true),
  };

  async #writeFormat(store: Store, format: FormatRecord): Promise<void> {
    this.#format = { ...format, format: FORMAT };
    const batch = store.batch();
    batch.put(FORMAT_KEY, writeFormat(this.#format));
    try {
      await batch.write(true);
    } catch (error) {
      const message = `the journal in ${this.#options.directory} cannot be written`;
      throw new WindhoverError("WH_JOURNAL_UNREADABLE", message, { cause: error });
    }
  }

  // ---- failure and return

  #spaceChanged(low: boolean, free: number): void {
    const facts = { free_bytes: free, min_free_bytes: this.#options.minFreeBytes };
    if (low) this.#options.log.error(facts, "the disk of the journal is nearly full: sets are refused");
    else this.#options.log.info(facts, "the disk of the journal has room again");
  }

  #break(error: Error): void {
    this.#broken = error;
    this.#options.log.error(
      { error: describeError(error) },
      "a write to the journal failed: sets are refused until it is open again",
    );
    this.#reopenIn(REOPEN_FIRST_MS);
  }

  #reopenIn(delayMs: number): void {
    if (this.#closing !== null) return;
    const due = (): void => {
      this.#reopening = this.#reopen(delayMs);
    };
    this.#reopenTimer = this.#options.clock.after(delayMs, due, { background: true });
  }

  async #reopen(waitedMs: number): Promise<void> {
    const again = Math.min(waitedMs * 2, REOPEN_LAST_MS);
    if (await this.#space.look()) return this.#reopenIn(again);
    try {
      this.commits.reopen(await this.#store.reopen());
      this.#broken = null;
      this.#options.log.info({}, "the journal is open again");
    } catch (error) {
      this.#options.log.error({ error: describeError(error) }, "the journal could not be opened again");
      this.#reopenIn(again);
    }
  }

  async #close(): Promise<void> {
    this.#reopenTimer?.clear();
    await this.#reopening;
    this.#store.giveUp();
    await this.#retired.close();
    await this.commits.drain();
    await this.#letGo();
  }

  async #letGo(): Promise<void> {
    this.#space.close();
    this.#reopenTimer?.clear();
    this.commits.close();
    await this.#compaction.close();
    await this.#sync.close();
    await this.#store.close();
  }
}

// An error of the store that nobody foresaw is still one of the journal.
function unreadable(directory: string, error: unknown): WindhoverError {
  if (error instanceof WindhoverError) return error;
  return new WindhoverError("WH_JOURNAL_UNREADABLE", `the journal in ${directory} cannot be read`, { cause: error });
}
