import type { FetchExtras } from "../protocol/command.js";
import { type ItemReply, type Reply, SILENCE } from "../protocol/reply.js";
import type { Queue } from "../queue/queue.js";
import type { Fetched, FetchMode } from "../queue/wait-list.js";
import type { Answer } from "./answer.js";
import { trace } from "./queue-access.js";
import type { Session } from "./session.js";

/** Beyond this a batch takes no further item: what a connection has in memory is bounded. */
export const MAX_BATCH_BYTES = 1024 * 1024;

/** How a fetch was meant that has brought something. */
export interface Delivery {
  readonly queue: Queue;
  readonly mode: FetchMode;
  readonly extras: FetchExtras | null;
  readonly fetched: Fetched;
}

/** Hands over what was fetched: a batch if one was asked for. A client that is gone meanwhile gets nothing. */
export function deliver(session: Session, delivery: Delivery): Answer {
  const { queue, fetched, extras } = delivery;
  if (session.isClosed) return giveBack(delivery);
  session.context.counters.hits++;
  keep(session, queue, fetched);
  trace(session, queue, delivery.mode, fetched.item.data.length);
  if (extras !== null && extras.count !== null) return deliverBatch(session, delivery, extras.count);
  const reply = itemReply(session, delivery, fetched);
  return fetched.durable === null ? reply : whenDurable(session, delivery, { durable: fetched.durable, reply });
}

function keep(session: Session, queue: Queue, { read }: Fetched): void {
  if (read !== null) session.reads.add(queue.name, read);
}

function itemReply(session: Session, { queue, extras }: Delivery, { item, read }: Fetched): ItemReply {
  const id = extras?.withId === true && read !== null ? session.context.queues.deliveryId(read) : null;
  return { kind: "item", queue: queue.name, item, keepFlags: queue.settings.keepFlags, id };
}

// Only what is there now is added to the first item: a batch is never waited for.
function deliverBatch(session: Session, delivery: Delivery, count: number): Answer {
  const { queue } = delivery;
  const all = [delivery.fetched, ...fetchMore(session, delivery, count - 1)];
  const reply: Reply = { kind: "items", items: all.map((fetched) => itemReply(session, delivery, fetched)) };
  const durables = all.map(({ durable }) => durable).filter((durable) => durable !== null);
  if (durables.length === 0) return reply;
  trace(session, queue, "batch", all.length);
  return whenDurable(session, delivery, { durable: Promise.allSettled(durables), reply });
}

function fetchMore(session: Session, { queue, mode, fetched }: Delivery, count: number): Fetched[] {
  const room = session.reads.roomFor(queue.name, session.context.maxOpenTransactions);
  const more: Fetched[] = [];
  let bytes = fetched.item.data.length;
  while (more.length < Math.min(count, room) && bytes < MAX_BATCH_BYTES) {
    const next = queue.fetchNow(mode);
    if (next === null || next === "loading") break;
    more.push(next);
    bytes += next.item.data.length;
  }
  for (const next of more) keep(session, queue, next);
  return more;
}

/**
 * The item goes out when its removal is on the disk, or has failed to get there: an item that comes twice is better than
 * one that never comes. The client may be gone by then; an open read was given back with the others.
 */
function whenDurable(
  session: Session,
  delivery: Delivery,
  { durable, reply }: { readonly durable: Promise<unknown>; readonly reply: Reply },
): Promise<Reply> {
  const go = (): Reply => {
    if (!session.isClosed) return reply;
    return delivery.mode === "take" ? giveBack(delivery) : SILENCE;
  };
  return durable.then(go, go);
}

/** The client went away between the hand-over and this moment. */
function giveBack({ queue, mode, fetched }: Delivery): Reply {
  if (fetched.read !== null) queue.giveBack([fetched.read]);
  else if (mode === "take") queue.giveBackTaken(fetched.item);
  return SILENCE;
}
