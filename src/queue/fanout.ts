import type { Clock } from "../clock.js";
import { parentOf } from "../config/inheritance.js";
import type { NewItem } from "../item.js";
import type { Log } from "../log.js";
import type { PutResult, Queue } from "./queue.js";
import { showName } from "./queue-name.js";

const COMPLAIN_EVERY_MS = 60_000;

/**
 * Fanout: what is put into `orders` also goes to `orders+audit`, from that child's creation on. A put into the child reaches
 * only the child. The parent decides; a child that is full or broken misses the item and harms nobody.
 *
 * All copies are made in one turn, so they are written in one batch: they become visible and fail together.
 */
export class Fanout {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #children = new Map<string, Set<Queue>>();
  readonly #complainedAt = new Map<Queue, number>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** A queue was made; it may be a child. */
  add(queue: Queue): void {
    const parent = parentOf(queue.name);
    if (parent === null) return;
    const children = this.#children.get(parent);
    if (children === undefined) this.#children.set(parent, new Set([queue]));
    else children.add(queue);
  }

  /** A queue was deleted. The children of a parent that is deleted stay, and are fed again once it is there again. */
  remove(queue: Queue): void {
    const parent = parentOf(queue.name);
    this.#complainedAt.delete(queue);
    if (parent === null) return;
    const children = this.#children.get(parent);
    children?.delete(queue);
    if (children?.size === 0) this.#children.delete(parent);
  }

  /** Whether the queue of that name feeds any. */
  hasChildren(parent: string): boolean {
    return this.#children.has(parent);
  }

  childrenOf(parent: string): readonly Queue[] {
    return [...(this.#children.get(parent) ?? [])];
  }

  /** Puts an item into a queue and its children. */
  put(queue: Queue, item: NewItem, how: { readonly ownsData: boolean; readonly delayMs: number }): PutResult {
    const children = this.#children.get(queue.name);
    const { fanoutOnly, fanoutStrict } = queue.settings;
    if (children === undefined && !fanoutOnly) return queue.put(item, how.ownsData, how.delayMs);
    const refusal = fanoutOnly ? sizeFault(queue, item) : queue.putFault(item.data.length);
    if (refusal !== null) return refusal;
    if (fanoutStrict) {
      for (const child of children ?? []) if (child.putFault(item.data.length) !== null) return "full";
    }
    const results: PutResult[] = [];
    if (!fanoutOnly) results.push(queue.put(item, false, how.delayMs));
    for (const child of children ?? []) results.push(this.#copy(child, item, how.delayMs));
    const written = results.filter((result) => typeof result !== "string");
    return written.length > 1 ? Promise.all(written).then(() => {}) : (written[0] ?? "stored");
  }

  // A child's refusal is its own affair. The caller waits for all promises: a copy that was handed over is answered early.
  #copy(child: Queue, item: NewItem, delayMs: number): PutResult {
    const result = child.put(item, false, delayMs);
    if (typeof result === "string" && result !== "stored") this.#missed(child, result);
    return result;
  }

  #missed(child: Queue, why: string): void {
    child.counters.discarded++;
    const now = this.#clock.monotonicMs();
    if (now - (this.#complainedAt.get(child) ?? Number.NEGATIVE_INFINITY) < COMPLAIN_EVERY_MS) return;
    this.#complainedAt.set(child, now);
    this.#log.warn({ queue: showName(child.name), why }, "a fanout child does not take its items");
  }
}

// A queue that keeps nothing has no room to run out of.
function sizeFault(queue: Queue, item: NewItem): PutResult | null {
  if (queue.refusal !== null) return "blocked";
  return item.data.length > queue.settings.maxItemBytes ? "too-large" : null;
}
