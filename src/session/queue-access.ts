import type { Queue } from "../queue/queue.js";
import { nameFault } from "../queue/queue-name.js";
import type { Queues } from "../queue/queues.js";

/** The queue of that name, created if it does not exist; or, as a text, why no queue can have that name. */
export function openQueue(queues: Queues, name: string): Queue | string {
  return queues.find(name) ?? nameFault(name) ?? queues.open(name);
}

/** Why no queue can have that name, or null. Nothing is created. */
export function faultOf(queues: Queues, name: string): string | null {
  return queues.find(name) === undefined ? nameFault(name) : null;
}
