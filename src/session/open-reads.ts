import type { Queue } from "../queue/queue.js";
import type { OpenRead } from "../queue/transactions.js";

/**
 * The items that one connection has open, by queue name, the oldest first. A read is bound to the queue that it came from,
 * also when that was deleted since and another one has its name.
 */
export class OpenReads {
  // Most connections never open a read, so they do not pay for the map.
  #byName: Map<string, OpenRead[]> | null = null;

  /** How many are open on the queue of that name. */
  count(name: string): number {
    return this.#byName?.get(name)?.length ?? 0;
  }

  /** Adds the newest. */
  add(name: string, read: OpenRead): void {
    this.#byName ??= new Map();
    const reads = this.#byName.get(name);
    if (reads === undefined) this.#byName.set(name, [read]);
    else reads.push(read);
  }

  /** Confirms the oldest: its item is gone for good. Nothing happens if none is open. */
  confirmOldest(name: string): Promise<void> | null {
    const read = this.#takeOldest(name);
    return read === undefined ? null : read.queue.confirm(read);
  }

  /** Gives the oldest back to the head of its queue. Nothing happens if none is open. */
  giveBackOldest(name: string): void {
    const read = this.#takeOldest(name);
    read?.queue.giveBack([read]);
  }

  /** Gives all of them back at once, each queue's in their old order. */
  giveBackAll(): void {
    const byName = this.#byName;
    this.#byName = null;
    if (byName === null) return;
    for (const reads of byName.values()) {
      for (const [queue, its] of byQueue(reads)) queue.giveBack(its);
    }
  }

  #takeOldest(name: string): OpenRead | undefined {
    const reads = this.#byName?.get(name);
    if (reads === undefined) return undefined;
    const read = reads.shift();
    if (reads.length === 0) this.#byName?.delete(name);
    return read;
  }
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
