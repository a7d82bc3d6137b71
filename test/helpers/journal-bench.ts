import { cp, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "tap";
import type { Item, NewItem } from "../../src/item.js";
import { LevelJournal, type LevelJournalOptions } from "../../src/journal/level-journal.js";
import type { QueueJournal, SyncJournal } from "../../src/journal/queue-journal.js";
import { FaultyDisk } from "./faulty-store.js";
import { RecordingLog } from "./recording-log.js";
import { TestClock } from "./test-clock.js";
import { until } from "./within.js";

/** An item for a put, with no more said than its data. */
export function newItem(data: string | Buffer, more: Partial<NewItem> = {}): NewItem {
  return { data: Buffer.from(data), flags: 0, addedAt: 1, expiresAt: 0, ...more };
}

/** Puts an item into a queue's journal, as a queue does that keeps it in memory. */
export function put(journal: QueueJournal, data: string | Buffer, more: Partial<NewItem> = {}): Put {
  const item = journal.append(newItem(data, more), true, true);
  return { item, written: journal.written(item) ?? Promise.resolve() };
}

/** What a put came to. */
export interface Put {
  readonly item: ReturnType<QueueJournal["append"]>;
  readonly written: Promise<void>;
}

/** A directory for a journal, with a disk that has faults on command, a clock that stands still and a log that is kept. */
export class JournalBench {
  readonly disk = new FaultyDisk();
  readonly clock = new TestClock();
  readonly log = new RecordingLog();
  /** `sync_journal` by queue; `never` for the others. */
  readonly sync = new Map<string, SyncJournal>();
  /** Where `open` opens the journal. */
  directory: string;
  readonly #home: string;
  readonly #open = new Set<LevelJournal>();
  #copies = 0;

  private constructor(home: string) {
    this.#home = home;
    this.directory = join(home, "journal");
  }

  /** Goes away with the test. */
  static async for(t: Test): Promise<JournalBench> {
    const bench = await JournalBench.make();
    t.teardown(() => bench.dispose());
    return bench;
  }

  /** To be disposed of. */
  static async make(): Promise<JournalBench> {
    return new JournalBench(await mkdtemp(join(tmpdir(), "windhover-test-")));
  }

  /** Closes all journals, and removes their directories. */
  async dispose(): Promise<void> {
    await this.closeAll();
    await rm(this.#home, { recursive: true });
  }

  /** Opens the journal; a second time it is a restart. */
  async open(more: Partial<LevelJournalOptions> = {}): Promise<LevelJournal> {
    const journal = await LevelJournal.open({
      directory: this.directory,
      settings: { syncJournal: (queue) => this.sync.get(queue) ?? { kind: "never" } },
      minFreeBytes: 0,
      clock: this.clock,
      log: this.log,
      openStore: this.disk.open,
      ...more,
    });
    this.#open.add(journal);
    return journal;
  }

  /** Lets time pass until nothing is left to be written. */
  async idle(): Promise<void> {
    let seen = -1;
    while (seen !== this.disk.batches.length || this.disk.inFlight > 0) {
      seen = this.disk.batches.length;
      this.clock.advance(5);
      await turn();
    }
  }

  /** Lets the time to the next attempt pass, and waits until the journal that had failed is open again. */
  async reopened(): Promise<void> {
    const before = this.#timesReopened();
    await until("the journal is open again", async () => {
      this.clock.advance(1000);
      await turn();
      return this.#timesReopened() > before;
    });
  }

  #timesReopened(): number {
    return this.log.lines.filter(({ message }) => message === "the journal is open again").length;
  }

  /** Closes all journals that were opened here. */
  async closeAll(): Promise<void> {
    await Promise.all([...this.#open].map((journal) => journal.close()));
  }

  /** A copy of the directory as it is now, as a kill leaves it. Batches must not be in flight. */
  async copy(): Promise<string> {
    const copy = join(this.#home, `copy-${++this.#copies}`);
    const before = await this.#files();
    const copied = await cp(this.directory, copy, { recursive: true }).then(
      () => true,
      () => false,
    );
    // LevelDB tidied up meanwhile: a kill shows one moment, not two.
    return copied && (await this.#files()) === before ? copy : this.copy();
  }

  async #files(): Promise<string> {
    const names = await readdir(this.directory);
    const sizes = await Promise.all(
      names.map((name) =>
        stat(join(this.directory, name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
    );
    return JSON.stringify(names.map((name, i) => [name, sizes[i]]).sort());
  }

  /** What a kill at this moment leaves: the journal is opened anew from a copy, the old one is left as it is. */
  async crash(more: Partial<LevelJournalOptions> = {}): Promise<LevelJournal> {
    return this.open({ directory: await this.copy(), openStore: new FaultyDisk().open, ...more });
  }

  /** Lets the lazy time pass and waits until what was waiting for it is written. */
  async settle(): Promise<void> {
    const written = this.disk.ended(1);
    this.clock.advance(5);
    await written;
  }
}

/** Waits until all that happens within this turn of the event loop, and at its end, has happened. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

/** Whether a promise is still open after a turn. */
export async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let pending = true;
  const ended = (): void => {
    pending = false;
  };
  promise.then(ended, ended);
  await turn();
  return pending;
}

/** All that a start found of a queue, in the order in which it is served: what was open or back, then the line. Null without such a queue. */
export async function contents(journal: Pick<LevelJournal, "recovered">, name: string): Promise<string[] | null> {
  const found = journal.recovered.find((queue) => queue.name === name);
  if (found === undefined) return null;
  const line = await readLine(found.journal);
  return [...found.back, ...line].map((item) => item.data.toString());
}

/** Reads a queue that has nothing in memory to its end. */
export async function readLine(journal: QueueJournal, maxBytes = 1_000_000): Promise<Item[]> {
  const line: Item[] = [];
  for (let from = journal.head; from < journal.next; ) {
    const { items, next } = await journal.readAhead(from, maxBytes);
    line.push(...items);
    from = next;
  }
  return line;
}
