import type { Reply, ReplyStream } from "../protocol/reply.js";

/** Queues that one slice tells of. They take a millisecond or two; meanwhile nobody else is served. */
const SLICE = 64;

/** Where in the whole a slice stands. */
export interface SlicePlace {
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/**
 * A reply about many things, some of them at a time: between two slices all other clients have their turn. Of a few things
 * it is one reply.
 */
export function inSlices<T>(
  things: readonly T[],
  replyOf: (slice: readonly T[], place: SlicePlace) => Reply,
): Reply | ReplyStream {
  if (things.length <= SLICE) return replyOf(things, { isFirst: true, isLast: true });
  let at = 0;
  const nextSlice = (): Reply => {
    const from = at;
    at += SLICE;
    return replyOf(things.slice(from, at), { isFirst: from === 0, isLast: at >= things.length });
  };
  const next = (): Reply | null | Promise<Reply> => {
    if (at >= things.length) return null;
    return at === 0 ? nextSlice() : nextTurn().then(nextSlice);
  };
  return { kind: "stream", next };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
