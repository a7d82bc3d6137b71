import { describeError } from "../../errors.js";
import type { Item } from "../../item.js";
import type { FetchExtras } from "../../protocol/command.js";
import { END, type ItemReply, type Reply, serverError } from "../../protocol/reply.js";
import type { Queue } from "../../queue/queue.js";
import { MAX_BATCH_BYTES } from "../delivery.js";
import type { Session } from "../session.js";

/** More items than this are not looked at in one go. */
const MAX_PEEK = 1000;

/** Looks at several items from the head on, or at one that stands behind it. They may have to be read from the disk. */
export function peekAround(session: Session, queue: Queue, extras: FetchExtras): Promise<Reply> {
  const found = lookUp(queue, extras).then(
    (items) => shown(session, queue, items),
    (error: unknown) => serverError(describeError(error), false),
  );
  return session.hold(found);
}

async function lookUp(queue: Queue, { at, count }: FetchExtras): Promise<readonly Item[]> {
  if (at === null) return queue.peekMany(Math.min(count ?? 1, MAX_PEEK));
  const item = await queue.peekAt(at);
  return item === null ? [] : [item];
}

function shown(session: Session, queue: Queue, found: readonly Item[]): Reply {
  const { counters } = session.context;
  if (found.length === 0) {
    counters.misses++;
    return END;
  }
  counters.hits++;
  const { keepFlags } = queue.settings;
  const items = upToMaxBytes(found).map((item): ItemReply => {
    return { kind: "item", queue: queue.name, item, keepFlags, id: null };
  });
  return { kind: "items", items };
}

function upToMaxBytes(items: readonly Item[]): readonly Item[] {
  let bytes = 0;
  const end = items.findIndex((item) => {
    bytes += item.data.length;
    return bytes >= MAX_BATCH_BYTES;
  });
  return end === -1 ? items : items.slice(0, end + 1);
}
