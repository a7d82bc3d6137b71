import { parentOf } from "../config/inheritance.js";
import { type Reply, serverError } from "../protocol/reply.js";
import type { Queue } from "../queue/queue.js";
import type { Session } from "./session.js";

/*
 * Why a client may not do now what it asks for, all of them ends of the connection: SERVER_ERROR is the one word on which
 * Kestrel's own client goes to another server, and it does so on a connection of its own.
 */

const CROWDED = serverError("too many connections", true);
const READS_BLOCKED = serverError("the server's status blocks reads", true);
const WRITES_BLOCKED = serverError("the server's status blocks writes", true);
const NOT_LISTED = serverError("the queue is reserved to the clients of a list", true);

/** Why nothing may be fetched, or null. */
export function readRefusal({ mayFetch, context }: Session): Reply | null {
  if (!mayFetch) return CROWDED;
  return context.status.blocksReads ? READS_BLOCKED : null;
}

/** Why nothing may be put, flushed or deleted, or null. */
export function writeRefusal({ mayPut, context }: Session): Reply | null {
  if (!mayPut) return CROWDED;
  return context.status.blocksWrites ? WRITES_BLOCKED : null;
}

/** Why this client may not get from the queue, or null. A client of this protocol has no id, so it is on no list. */
export function dequeueRefusal(queue: Queue): Reply | null {
  return queue.settings.dequeueClientIds === null ? null : NOT_LISTED;
}

/** Why this client may not put into the queue, or null. A fanout's child has its parent's list. */
export function enqueueRefusal({ context }: Session, name: string): Reply | null {
  const owner = parentOf(name) ?? name;
  const { enqueueClientIds } = context.queues.find(owner)?.settings ?? context.queueSettings(owner);
  return enqueueClientIds === null ? null : NOT_LISTED;
}
