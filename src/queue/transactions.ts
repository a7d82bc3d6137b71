import type { Item } from "../item.js";
import type { Queue } from "./queue.js";

/** An item that is set aside for one client, until that client confirms it or it is given back: an open read. */
export interface OpenRead {
  /** This delivery's own number, never used again: a late confirm of one that was given back finds nothing. */
  readonly id: number;
  readonly item: Item;
  readonly queue: Queue;
  /** When it was handed out, in monotonic milliseconds. */
  readonly openedAt: number;
  /** It was confirmed, given back or timed out. */
  ended: boolean;
}

/** The open reads of one queue. */
export class Transactions {
  readonly #reads = new Map<number, OpenRead>();
  #bytes = 0;

  get size(): number {
    return this.#reads.size;
  }

  /** Bytes of the items' data. */
  get bytes(): number {
    return this.#bytes;
  }

  add(read: OpenRead): void {
    this.#reads.set(read.id, read);
    this.#bytes += read.item.data.length;
  }

  /** Ends a read; false if it had ended before. */
  end(read: OpenRead): boolean {
    if (!this.#reads.delete(read.id)) return false;
    read.ended = true;
    this.#bytes -= read.item.data.length;
    return true;
  }

  /** In the order in which they were opened. */
  [Symbol.iterator](): Iterator<OpenRead> {
    return this.#reads.values();
  }

  /** The one that has been open longest. */
  get oldest(): OpenRead | undefined {
    for (const read of this.#reads.values()) return read;
    return undefined;
  }

  clear(): void {
    for (const read of this.#reads.values()) read.ended = true;
    this.#reads.clear();
    this.#bytes = 0;
  }
}
