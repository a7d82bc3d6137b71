import type { Queue } from "../queue/queue.js";

/** What a session waits for: an item of a queue, or something that the commands behind must not overtake. */
export interface ParkedFetch {
  /** The queue, null where it is no item that it waits for. */
  readonly queue: Queue | null;
  /** The client asked to wait; otherwise it waits only until what is there has been read from the disk. */
  readonly isPoll: boolean;
  /** Ends the wait without an item. */
  cancel(): void;
}

/** Who has a fetch that waits. */
export interface Parked {
  /** Ends the wait now, without an item, if the client asked to wait. */
  endPoll(): void;
}

/** All sessions that wait, so that they can be sent home together. */
export class ParkedSessions {
  readonly #sessions = new Set<Parked>();

  add(session: Parked): void {
    this.#sessions.add(session);
  }

  delete(session: Parked): void {
    this.#sessions.delete(session);
  }

  /** Ends every wait that a client asked for. */
  endPolls(): void {
    for (const session of [...this.#sessions]) session.endPoll();
  }
}
