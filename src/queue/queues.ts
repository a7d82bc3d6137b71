import type { Clock } from "../clock.js";
import { settingsFor } from "../config/inheritance.js";
import type { QueueSettings, ServerSettings } from "../config/settings.js";
import { NoJournal } from "../journal/no-journal.js";
import type { Journal, QueueJournal } from "../journal/queue-journal.js";
import type { Log } from "../log.js";
import { Queue } from "./queue.js";
import { showName } from "./queue-name.js";

/** What the queues are made with. */
export interface QueuesOptions {
  readonly journal: Journal;
  readonly settings: Pick<ServerSettings, "queueDefaults" | "queues">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Delivery ids count on from here at each start, so that none that a client has seen comes again, not after a crash either. */
const READ_IDS_OF_A_BOOT = 2 ** 36;

/** All queues of a server, by name. */
export class Queues {
  readonly #options: QueuesOptions;
  readonly #queues = new Map<string, Queue>();
  #lastReadId: number;
  #closed = false;
  /** Queues made and deleted since the start. */
  creates = 0;
  deletes = 0;
  /** Items ever put, into queues that were deleted since as well. */
  #itemsOfDeleted = 0;

  constructor(options: QueuesOptions) {
    this.#options = options;
    this.#lastReadId = options.journal.boots * READ_IDS_OF_A_BOOT;
    for (const { name, journal, back, headAddedAt, lost } of options.journal.recovered) {
      this.#queues.set(name, this.#make(name, journal, { returned: back, headAddedAt, lost }));
    }
  }

  /** Items ever put since the start. */
  get totalItems(): number {
    let total = this.#itemsOfDeleted;
    for (const queue of this.#queues.values()) total += queue.counters.totalItems;
    return total;
  }

  find(name: string): Queue | undefined {
    return this.#queues.get(name);
  }

  /** The queue of this name, made if it does not exist. The name must be a legal one. */
  open(name: string): Queue {
    const found = this.#queues.get(name);
    if (found !== undefined) return found;
    const { keepJournal } = this.#settings(name);
    const queue = this.#make(name, keepJournal ? this.#options.journal.create(name) : new NoJournal(), {});
    if (this.#closed) queue.endWaits();
    this.#queues.set(name, queue);
    this.creates++;
    return queue;
  }

  /** Deletes a queue with all its items; null when there is none, or nothing to wait for. */
  delete(name: string): Promise<void> | null {
    const queue = this.#queues.get(name);
    if (queue === undefined) return null;
    this.#queues.delete(name);
    this.deletes++;
    this.#itemsOfDeleted += queue.counters.totalItems;
    return queue.delete();
  }

  /** Removes all items that wait in a queue; null when there is none, or nothing to wait for. */
  flush(name: string): Promise<void> | null {
    return this.#queues.get(name)?.flush() ?? null;
  }

  async flushAll(): Promise<void> {
    const flushed = [...this.#queues.values()].map(async (queue) => queue.flush());
    await Promise.all(flushed);
  }

  list(): readonly Queue[] {
    return [...this.#queues.values()];
  }

  /** The server stops: every wait ends without an item, and later ones at once. */
  endWaits(): void {
    this.#closed = true;
    for (const queue of this.#queues.values()) queue.endWaits();
  }

  /** `max_item_size` of a queue in bytes, Infinity without one; the queue need not exist. */
  maxItemBytes(name: string): number {
    return (this.#queues.get(name)?.settings ?? this.#settings(name)).maxItemBytes;
  }

  #settings(name: string): QueueSettings {
    return settingsFor(this.#options.settings, name);
  }

  #make(
    name: string,
    journal: QueueJournal,
    found: Pick<ConstructorParameters<typeof Queue>[0], "returned" | "headAddedAt" | "lost">,
  ): Queue {
    const { clock, log } = this.#options;
    return new Queue({
      name,
      settings: this.#settings(name),
      journal,
      clock,
      log: log.child({ queue: showName(name) }),
      nextReadId: () => ++this.#lastReadId,
      ...found,
    });
  }
}
