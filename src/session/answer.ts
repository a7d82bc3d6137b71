import { describeError } from "../errors.js";
import { HANG_UP, type Reply, SILENCE, serverError } from "../protocol/reply.js";

/** What a handler returns: the reply, or its promise when something must be waited for. The promise is never rejected. */
export type Answer = Reply | Promise<Reply>;

/** `reply` once the journal has it; `SERVER_ERROR` when it could not be written. */
export function whenWritten(written: Promise<void> | null, reply: Reply): Answer {
  if (written === null) return reply;
  return written.then(() => reply, notWritten);
}

/** The reply to what the journal did not take. The connection stays open: the next write may succeed. */
export function notWritten(error: unknown): Reply {
  return serverError(describeError(error), false);
}

/**
 * `answer` after the journal was told of a removal, whether or not that reached the disk: an item that is not delivered is
 * lost, one that is delivered twice is not.
 */
export function whenToldOf(removal: Promise<unknown> | null, answer: Answer): Answer {
  if (removal === null) return answer;
  const go = (): Answer => answer;
  return removal.then(go, go);
}

/** `answer`, unless the client said `noreply`; it still holds its place until it is known, and still closes if it closes. */
export function silenceable(command: { readonly noreply: boolean }, answer: Answer): Answer {
  if (!command.noreply) return answer;
  return answer instanceof Promise ? answer.then(silence) : silence(answer);
}

const silence = (reply: Reply): Reply => (reply.kind === "error" && reply.close ? HANG_UP : SILENCE);
