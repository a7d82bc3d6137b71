import type { Queue } from "../queue/queue.js";
import type { Waiter } from "../queue/wait-list.js";

/** A fetch that waits in its queue's wait-list. */
export interface ParkedFetch {
  readonly queue: Queue;
  readonly waiter: Waiter;
  /** The client asked to wait; otherwise it waits only until what is there has been read from the disk. */
  readonly isPoll: boolean;
}
