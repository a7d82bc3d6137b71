import type { Queue } from "../queue/queue.js";
import type { OpenRead } from "../queue/transactions.js";

/** A list is cleared of ended reads when it has so many places, and again each time that it has doubled. */
const FIRST_SWEEP = 16;
/** Empty places beyond this are given up, the oldest first: their client never closes anything. */
const MAX_EMPTY = 10_000;

/** Where a read stands in its connection's list: null once it has ended and its item was let go. */
type Place = OpenRead | null;

/**
 * The items that one connection has open, by queue name, the oldest first. A read is bound to the queue that it came from,
 * also when that was deleted since and another one has its name.
 *
 * A read that timed out keeps its place, as an empty one: the `close` that was meant for it must not confirm the next.
 */
export class OpenReads {
  // Most connections never open a read, so they do not pay for the map.
  #byName: Map<string, Place[]> | null = null;
  #sweepAt = FIRST_SWEEP;

  /** How many more may be opened on the queue of that name, if `limit` may be open at a time. */
  roomFor(name: string, limit: number): number {
    let room = limit;
    for (const place of this.#byName?.get(name) ?? []) if (isOpen(place)) room--;
    return room;
  }

  /** Whether one is open on the queue of that name. */
  has(name: string): boolean {
    return this.#byName?.get(name)?.some(isOpen) ?? false;
  }

  /** How many places there are, empty ones among them. */
  count(name: string): number {
    return this.#byName?.get(name)?.length ?? 0;
  }

  /** Adds the newest. */
  add(name: string, read: OpenRead): void {
    this.#byName ??= new Map();
    const places = this.#byName.get(name);
    if (places === undefined) this.#byName.set(name, [read]);
    else if (places.push(read) >= this.#sweepAt) this.#sweep(places);
  }

  /** Takes out the `count` oldest, whether they are still open or have ended; fewer if there are fewer. */
  takeOldest(name: string, count = 1): readonly OpenRead[] {
    const places = this.#byName?.get(name);
    if (places === undefined) return [];
    const taken = places.splice(0, count);
    if (places.length === 0) this.#byName?.delete(name);
    return taken.filter((place) => place !== null);
  }

  /** Takes out those with these ids. */
  takeByIds(name: string, ids: readonly number[]): readonly OpenRead[] {
    const places = this.#byName?.get(name);
    if (places === undefined) return [];
    const taken: OpenRead[] = [];
    for (const id of ids) {
      const at = places.findIndex((place) => place?.id === id);
      if (at !== -1) taken.push(...places.splice(at, 1).filter((place) => place !== null));
    }
    if (places.length === 0) this.#byName?.delete(name);
    return taken;
  }

  /** Takes out all. */
  takeAll(): readonly OpenRead[] {
    const byName = this.#byName;
    this.#byName = null;
    if (byName === null) return [];
    return [...byName.values()].flat().filter((place) => place !== null);
  }

  // Lets go of the items of ended reads, which may be large.
  #sweep(places: Place[]): void {
    let empty = 0;
    for (let i = places.length - 1; i >= 0; i--) {
      if (isOpen(places[i])) continue;
      places[i] = null;
      if (++empty > MAX_EMPTY) places.splice(i, 1);
    }
    this.#sweepAt = Math.max(FIRST_SWEEP, 2 * places.length);
  }
}

function isOpen(place: Place | undefined): place is OpenRead {
  return place != null && !place.ended;
}

/** Confirms them: their items are gone for good. The promise, if there is one, tells when the journal was told. */
export function confirmReads(reads: readonly OpenRead[]): Promise<unknown> | null {
  const [first] = reads;
  if (first === undefined) return null;
  if (reads.length === 1) return first.queue.confirm(first);
  const told = reads.map((read) => read.queue.confirm(read)).filter((promise) => promise !== null);
  return told.length === 0 ? null : Promise.allSettled(told);
}

/** Gives them back at once, each queue's in their old order; with a delay to the end of its line, so much later. */
export function giveBackReads(reads: readonly OpenRead[], delayMs = 0): void {
  for (const [queue, its] of byQueue(reads)) queue.giveBack(its, delayMs);
}

function byQueue(reads: readonly OpenRead[]): Map<Queue, OpenRead[]> {
  const groups = new Map<Queue, OpenRead[]>();
  for (const read of reads) {
    const group = groups.get(read.queue);
    if (group === undefined) groups.set(read.queue, [read]);
    else group.push(read);
  }
  return groups;
}
