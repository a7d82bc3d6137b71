import type { Clock } from "../clock.js";
import { deadLetterQueueOf, parentOf, settingsFor } from "../config/inheritance.js";
import type { ServerSettings } from "../config/settings.js";
import type { NewItem } from "../item.js";
import { NoJournal } from "../journal/no-journal.js";
import type { Journal, QueueJournal } from "../journal/queue-journal.js";
import type { Log } from "../log.js";
import { Alias } from "./alias.js";
import { Fanout } from "./fanout.js";
import { type MoveTarget, type PutResult, Queue, type QueueOptions } from "./queue.js";
import { nameFault, showName } from "./queue-name.js";
import { Sweeper } from "./sweeper.js";
import type { OpenRead } from "./transactions.js";

/** What of the settings the queues go by. */
export type QueuesSettings = Pick<ServerSettings, "queueDefaults" | "queues" | "aliases" | "expirationTimerMs">;

/** What the queues are made with. */
export interface QueuesOptions {
  readonly journal: Journal;
  readonly settings: QueuesSettings;
  readonly clock: Clock;
  readonly log: Log;
}

/** Delivery ids count on from here at each start, so that none that a client has seen comes again, not after a crash either. */
const READ_IDS_OF_A_BOOT = 2 ** 36;

/** All queues of a server, by name. */
export class Queues {
  readonly #options: QueuesOptions;
  #settings: QueuesSettings;
  readonly #fanout: Fanout;
  #aliases = new Map<string, Alias>();
  readonly #sweeper: Sweeper;
  readonly #queues = new Map<string, Queue>();
  #lastReadId: number;
  #closed = false;
  /** Queues made and deleted since the start. */
  creates = 0;
  deletes = 0;
  /** Queues deleted because nobody used them for `max_queue_age`. */
  expires = 0;
  /** Items ever put, into queues that were deleted since as well. */
  #itemsOfDeleted = 0;

  constructor(options: QueuesOptions) {
    this.#options = options;
    this.#settings = options.settings;
    this.#fanout = new Fanout(options.clock, options.log);
    this.#lastReadId = options.journal.boots * READ_IDS_OF_A_BOOT;
    for (const { name, journal, back, delayed, headAddedAt, lost } of options.journal.recovered) {
      this.#add(name, journal, { returned: back, delayed, headAddedAt, lost });
    }
    this.#applySettings();
    this.#sweeper = new Sweeper(options.clock, {
      everyMs: options.settings.expirationTimerMs,
      sweep: () => this.#sweep(),
    });
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
    const { keepJournal } = settingsFor(this.#settings, name);
    const queue = this.#add(name, keepJournal ? this.#options.journal.create(name) : new NoJournal(), {});
    if (this.#closed) queue.endWaits();
    this.creates++;
    return queue;
  }

  /**
   * Puts an item into the queue of that name, which is made if it does not exist, and into what hangs on it: the children of
   * a fanout, the destinations of an alias. The name must be a legal one.
   */
  put(name: string, item: NewItem & { readonly delayMs?: number }, ownsData: boolean): PutResult {
    const delayMs = item.delayMs ?? 0;
    const alias = this.#aliases.get(name);
    if (alias === undefined) return this.#fanout.put(this.open(name), item, { ownsData, delayMs });
    alias.putItems++;
    alias.putBytes += item.data.length;
    const results = alias.destinations.map((to) => this.#fanout.put(this.open(to), item, { ownsData: false, delayMs }));
    const refused = results.find((result) => typeof result === "string" && result !== "stored");
    const written = results.filter((result) => typeof result !== "string");
    if (refused !== undefined || written.length === 0) {
      for (const promise of written) promise.catch(() => {});
      return refused ?? "stored";
    }
    return Promise.all(written).then(() => {});
  }

  /** An alias takes puts and has nothing to get; flush and delete do nothing to it. */
  isAlias(name: string): boolean {
    return this.#aliases.has(name);
  }

  aliases(): readonly AliasFigures[] {
    return [...this.#aliases.values()].map(({ name, putItems, putBytes, destinations }) => {
      return { name, putItems, putBytes, children: destinations };
    });
  }

  /** The names of the fanout children of a queue. */
  childrenOf(name: string): readonly string[] {
    return this.#fanout.childrenOf(name).map((child) => child.name);
  }

  /** Deletes a queue with all its items; null when there is none, or nothing to wait for. */
  delete(name: string): Promise<void> | null {
    const queue = this.#reachable(name);
    if (queue === undefined) return null;
    this.#queues.delete(name);
    this.#fanout.remove(queue);
    this.deletes++;
    this.#itemsOfDeleted += queue.counters.totalItems;
    return queue.delete();
  }

  /** Removes all items that wait in a queue; null when there is none, or nothing to wait for. */
  flush(name: string): Promise<void> | null {
    return this.#reachable(name)?.flush() ?? null;
  }

  // A queue from before its name was made an alias is left alone.
  #reachable(name: string): Queue | undefined {
    return this.#aliases.has(name) ? undefined : this.#queues.get(name);
  }

  async flushAll(): Promise<void> {
    const flushed = [...this.#queues.keys()].map(async (name) => this.flush(name));
    await Promise.all(flushed);
  }

  /** Takes all expired items from the head of a queue; answers how many. */
  flushExpired(name: string): number {
    return this.#queues.get(name)?.expire(Number.POSITIVE_INFINITY) ?? 0;
  }

  flushAllExpired(): number {
    let count = 0;
    for (const queue of this.list()) count += queue.expire(Number.POSITIVE_INFINITY);
    return count;
  }

  /** The settings were loaded anew and are right: from now on they count. */
  configure(settings: QueuesSettings): void {
    this.#settings = settings;
    for (const [name, queue] of this.#queues) queue.configure(settingsFor(settings, name));
    this.#applySettings();
    this.#sweeper.configure(settings.expirationTimerMs);
  }

  /** The number by which a client may name a delivery, never used again. */
  deliveryId(read: OpenRead): bigint {
    return BigInt(read.id);
  }

  /** The read that a client's number means, as `OpenRead.id` has it; null if it can be none. */
  readIdOf(id: bigint): number | null {
    const first = this.#options.journal.boots * READ_IDS_OF_A_BOOT;
    return id > BigInt(first) && id <= BigInt(this.#lastReadId) ? Number(id) : null;
  }

  list(): readonly Queue[] {
    return [...this.#queues.values()];
  }

  /** The server stops: every wait ends without an item, and later ones at once. */
  endWaits(): void {
    this.#closed = true;
    this.#sweeper.close();
    for (const queue of this.#queues.values()) queue.endWaits();
  }

  /** `max_item_size` of a queue in bytes, Infinity without one; the queue need not exist. */
  maxItemBytes(name: string): number {
    return (this.#queues.get(name)?.settings ?? settingsFor(this.#settings, name)).maxItemBytes;
  }

  // Aliases and children that are named in the configuration exist from the start.
  #applySettings(): void {
    const { aliases, queues } = this.#settings;
    const before = this.#aliases;
    this.#aliases = new Map();
    for (const [name, { destinationQueues }] of aliases) {
      const alias = new Alias(name, destinationQueues);
      alias.putItems = before.get(name)?.putItems ?? 0;
      alias.putBytes = before.get(name)?.putBytes ?? 0;
      this.#aliases.set(name, alias);
    }
    for (const name of queues.keys()) if (parentOf(name) !== null && nameFault(name) === null) this.open(name);
  }

  #sweep(): void {
    for (const [name, queue] of this.#queues) {
      queue.sweep();
      if (!queue.isStale || this.#aliases.has(name) || this.#fanout.hasChildren(name)) continue;
      this.expires++;
      void this.delete(name);
    }
  }

  // The item goes from one queue to another in one batch: both are touched in this turn.
  #move(source: string, target: MoveTarget, item: NewItem, undo: () => void): boolean {
    const settings = settingsFor(this.#settings, source);
    const name = target === "dead" ? deadLetterQueueOf(this.#settings, source) : settings.expireToQueue;
    if (name === null || nameFault(name) !== null) return false;
    const result = this.open(name).take(item);
    if (typeof result !== "string") result.catch(undo);
    return typeof result !== "string" || result === "stored";
  }

  #add(
    name: string,
    journal: QueueJournal,
    found: Pick<QueueOptions, "returned" | "delayed" | "headAddedAt" | "lost">,
  ): Queue {
    const { clock, log } = this.#options;
    const queue = new Queue({
      name,
      settings: settingsFor(this.#settings, name),
      journal,
      clock,
      log: log.child({ queue: showName(name) }),
      nextReadId: () => ++this.#lastReadId,
      move: (target, item, undo) => this.#move(name, target, item, undo),
      ...found,
    });
    this.#queues.set(name, queue);
    this.#fanout.add(queue);
    return queue;
  }
}

/** What there is to say of an alias. */
export interface AliasFigures {
  readonly name: string;
  readonly putItems: number;
  readonly putBytes: number;
  readonly children: readonly string[];
}
