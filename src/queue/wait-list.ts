import type { Clock, Timer } from "../clock.js";
import type { Item } from "../item.js";
import type { OpenRead } from "./transactions.js";

/** What a fetch does with the item: removes it, sets it aside, or only looks at it. */
export type FetchMode = "take" | "open" | "peek";

/** What a fetch brought. */
export interface Fetched {
  readonly item: Item;
  /** The open read, in the mode `open`. */
  readonly read: OpenRead | null;
  /** Where the answer must wait for the disk (`sync_journal = always`), else null. */
  readonly durable: Promise<void> | null;
}

/** Who waits. The queue asks right before it hands an item over. */
export interface Patron {
  /** False once the client is gone, or does not read what it was sent: it gets no item then. */
  readonly canTake: boolean;
}

/** A suspended fetch. */
export interface Waiter {
  /** Fulfilled once: with what it waited for, or with null when its time is over or it was cancelled. */
  readonly outcome: Promise<Fetched | null>;
  /** Leaves the list at once; harmless when it has left it already. */
  cancel(): void;
}

/**
 * One suspended client. `waiting` until exactly one of these: `woken` with an item, `ended` without. Its list is the judge:
 * whoever takes it off the list decides.
 */
class ListedWaiter implements Waiter {
  readonly outcome: Promise<Fetched | null>;
  readonly #list: WaitList;
  #resolve: (fetched: Fetched | null) => void = () => {};
  #timer: Timer | null = null;
  /** Its time is over, but items of the queue are being read from the disk: it waits for those. */
  overdue = false;

  constructor(
    list: WaitList,
    readonly mode: FetchMode,
    readonly patron: Patron,
  ) {
    this.#list = list;
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  setTimer(timer: Timer): void {
    this.#timer = timer;
  }

  cancel(): void {
    if (this.#list.remove(this)) this.settle(null);
  }

  settle(fetched: Fetched | null): void {
    this.#timer?.clear();
    this.#resolve(fetched);
  }
}

/** The clients that wait for one queue, first come first served. */
export class WaitList {
  readonly #clock: Clock;
  readonly #waiters = new Set<ListedWaiter>();
  readonly #mayHaveItems: () => boolean;

  /** `mayHaveItems`: the queue has items that are still being read; a waiter whose time is over stays for them. */
  constructor(clock: Clock, mayHaveItems: () => boolean) {
    this.#clock = clock;
    this.#mayHaveItems = mayHaveItems;
  }

  get size(): number {
    return this.#waiters.size;
  }

  /** Puts a client at the end of the list, for `waitMs` milliseconds. */
  add(mode: FetchMode, waitMs: number, patron: Patron): Waiter {
    const waiter = new ListedWaiter(this, mode, patron);
    this.#waiters.add(waiter);
    if (waitMs > 0) waiter.setTimer(this.#clock.after(waitMs, () => this.#timeIsOver(waiter)));
    else waiter.overdue = true;
    return waiter;
  }

  remove(waiter: ListedWaiter): boolean {
    return this.#waiters.delete(waiter);
  }

  /**
   * Hands out what there is, to each waiter in turn until `fetch` finds nothing more. Whoever cannot take it now is passed
   * over and keeps its place.
   */
  serve(fetch: (mode: FetchMode) => Fetched | null): void {
    for (const waiter of this.#waiters) {
      if (!waiter.patron.canTake) continue;
      const fetched = fetch(waiter.mode);
      if (fetched === null) return;
      this.#waiters.delete(waiter);
      waiter.settle(fetched);
    }
  }

  /** There is no item and none is being read: those whose time is over go. */
  endOverdue(): void {
    for (const waiter of this.#waiters) if (waiter.overdue) waiter.cancel();
  }

  /** Ends every wait. */
  endAll(): void {
    for (const waiter of this.#waiters) waiter.cancel();
  }

  #timeIsOver(waiter: ListedWaiter): void {
    if (this.#mayHaveItems()) waiter.overdue = true;
    else waiter.cancel();
  }
}
