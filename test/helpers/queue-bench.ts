import type { Test } from "tap";
import { DEFAULT_QUEUE_SETTINGS } from "../../src/config/defaults.js";
import type { AliasSettings, QueueSettings } from "../../src/config/settings.js";
import type { NewItem } from "../../src/item.js";
import type { LevelJournalOptions } from "../../src/journal/level-journal.js";
import type { Journal } from "../../src/journal/queue-journal.js";
import type { PutResult, Queue } from "../../src/queue/queue.js";
import { Queues, type QueuesSettings } from "../../src/queue/queues.js";
import type { OpenRead } from "../../src/queue/transactions.js";
import type { Fetched, FetchMode, Patron, Waiter } from "../../src/queue/wait-list.js";
import { JournalBench, newItem } from "./journal-bench.js";
import { within } from "./within.js";

/** A client that can always take an item. */
export const PATIENT: Patron = { canTake: true };

/** Queues on a journal with faults on command and a clock that stands still. */
export class QueueBench {
  queues: Queues;
  #settings: Partial<QueueSettings>;
  /** What single queues say, and the aliases; counts from the next restart or `configure`. */
  readonly sections = new Map<string, Partial<QueueSettings>>();
  readonly aliases = new Map<string, AliasSettings>();

  private constructor(
    readonly disk: JournalBench,
    settings: Partial<QueueSettings>,
    journal: Journal,
  ) {
    this.#settings = settings;
    this.queues = this.#queuesOn(journal);
  }

  /** With these settings for all queues. Goes away with the test. */
  static async for(
    t: Test,
    settings: Partial<QueueSettings> = {},
    options: Partial<LevelJournalOptions> = {},
  ): Promise<QueueBench> {
    const bench = await QueueBench.make(settings, options);
    t.teardown(() => bench.disk.dispose());
    return bench;
  }

  /** To be disposed of, with its disk. */
  static async make(
    settings: Partial<QueueSettings> = {},
    options: Partial<LevelJournalOptions> = {},
  ): Promise<QueueBench> {
    const disk = await JournalBench.make();
    return new QueueBench(disk, settings, await disk.open(options));
  }

  get clock(): JournalBench["clock"] {
    return this.disk.clock;
  }

  /** Stops and starts again: all that was in memory is gone. */
  async restart(): Promise<Queues> {
    this.queues.endWaits();
    await this.disk.closeAll();
    return this.resume(await this.disk.open());
  }

  /** Goes on with the queues that are in `journal`. */
  resume(journal: Journal): Queues {
    this.queues = this.#queuesOn(journal);
    return this.queues;
  }

  /** Loads the settings anew, as a reload does: these for all queues, and the sections and aliases as they are now. */
  configure(settings: Partial<QueueSettings> = this.#settings): void {
    this.#settings = settings;
    this.queues.configure(this.#all());
  }

  #all(): QueuesSettings {
    return {
      queueDefaults: { ...DEFAULT_QUEUE_SETTINGS, ...this.#settings },
      queues: new Map(this.sections),
      aliases: new Map(this.aliases),
      expirationTimerMs: 1000,
    };
  }

  #queuesOn(journal: Journal): Queues {
    return new Queues({
      journal,
      settings: this.#all(),
      clock: this.clock,
      log: this.disk.log,
    });
  }
}

/** Puts items without waiting for any. */
export function putAll(queue: Queue, ...items: readonly string[]): PutResult[] {
  return items.map((data) => queue.put(newItem(data, { addedAt: 1 }), true));
}

/** Puts items and waits until they are written. */
export async function store(queue: Queue, ...items: readonly string[]): Promise<void> {
  await Promise.all(putAll(queue, ...items));
}

/** What a fetch brings that waits only for items that are being read. */
export async function fetch(queue: Queue, mode: FetchMode): Promise<Fetched | null> {
  const now = queue.fetchNow(mode);
  const fetched = now === "loading" ? await within(queue.wait(mode, 0, PATIENT).outcome, "items from behind") : now;
  await fetched?.durable;
  return fetched;
}

/** Takes the next item; null from an empty queue. */
export async function take(queue: Queue): Promise<string | null> {
  return (await fetch(queue, "take"))?.item.data.toString("latin1") ?? null;
}

/** Opens the next item, which must be there. */
export async function open(queue: Queue): Promise<OpenRead> {
  const read = (await fetch(queue, "open"))?.read;
  if (read === null || read === undefined) throw new Error("nothing to open");
  return read;
}

/** Takes all that is in a queue. */
export async function drain(queue: Queue): Promise<string[]> {
  const items: string[] = [];
  for (let item = await take(queue); item !== null; item = await take(queue)) items.push(item);
  return items;
}

/** What a waiter got: its item's data, or null. */
export async function got(waiter: Waiter): Promise<string | null> {
  return (await within(waiter.outcome, "the end of a wait"))?.item.data.toString() ?? null;
}

/** Puts into the queue of that name what was put just now, and waits until it is written; answers a refusal. */
export async function putNow(
  bench: QueueBench,
  name: string,
  data: string,
  more: Partial<NewItem> & { readonly delayMs?: number } = {},
): Promise<PutResult | undefined> {
  const result = bench.queues.put(name, { ...newItem(data, { addedAt: bench.clock.wallMs() }), ...more }, false);
  return typeof result === "string" ? result : void (await result);
}

/** The items of a queue, taken one by one; of one that does not exist none. */
export async function drainNamed(bench: QueueBench, name: string): Promise<string[]> {
  const queue = bench.queues.find(name);
  return queue === undefined ? [] : drain(queue);
}
