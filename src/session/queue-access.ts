import type { Queue } from "../queue/queue.js";
import { nameFault, showName } from "../queue/queue-name.js";
import type { Queues } from "../queue/queues.js";
import type { Session } from "./session.js";

/**
 * The queue of that name, created if it does not exist; null for an alias, which has no items; or, as a text, why no queue
 * can have that name.
 */
export function openQueue(queues: Queues, name: string): Queue | null | string {
  const queue = queues.find(name);
  if (queue !== undefined) return queue;
  return nameFault(name) ?? (queues.isAlias(name) ? null : queues.open(name));
}

/** Why no queue can have that name, or null. Nothing is created. */
export function faultOf(queues: Queues, name: string): string | null {
  return queues.find(name) === undefined ? nameFault(name) : null;
}

/** Logs what a client did with a queue whose operations are traced; `amount` is of bytes or of reads. */
export function trace(session: Session, queue: Queue | undefined, operation: string, amount?: number): void {
  if (queue?.settings.enableTrace !== true) return;
  session.context.log.info({ queue: showName(queue.name), peer: session.peer, operation, amount }, "traced");
}
