import type {
  FlushAllCommand,
  FlushAllExpiredCommand,
  FlushCommand,
  FlushExpiredCommand,
} from "../../protocol/command.js";
import { clientError, END, FLUSHED_ALL, type Reply, serverError } from "../../protocol/reply.js";
import { type Answer, silenceable, whenWritten } from "../answer.js";
import { faultOf, trace } from "../queue-access.js";
import { writeRefusal } from "../refusals.js";
import type { Session } from "../session.js";

/** `flush`: empties a queue. What is open stays open, who waits goes on waiting. */
export function flushQueue(session: Session, { queue }: FlushCommand): Answer {
  const refusal = flushRefusal(session, queue);
  if (refusal !== null) return refusal;
  const { queues } = session.context;
  trace(session, queues.find(queue), "flush");
  return whenWritten(queues.flush(queue), END);
}

/** `flush_all`: empties every queue, unless that is forbidden; client libraries have sent it without being asked to. */
export function flushAll(session: Session, command: FlushAllCommand): Answer {
  return silenceable(command, flushEach(session));
}

const FORBIDDEN = serverError("flush_all is disabled", false);

function flushEach(session: Session): Answer {
  const { queues, allowFlushAll, log } = session.context;
  if (!allowFlushAll) return FORBIDDEN;
  const refusal = writeRefusal(session);
  if (refusal !== null) return refusal;
  log.info({ peer: session.peer }, "a client flushed all queues");
  return whenWritten(queues.flushAll(), FLUSHED_ALL);
}

/** `flush_expired`: removes what has expired in a queue, and says how many items that were. */
export function flushExpired(session: Session, { queue }: FlushExpiredCommand): Reply {
  const refusal = flushRefusal(session, queue);
  if (refusal !== null) return refusal;
  const { queues } = session.context;
  trace(session, queues.find(queue), "flush_expired");
  return { kind: "count", count: queues.flushExpired(queue) };
}

/** `flush_all_expired`: the same in every queue. */
export function flushAllExpired(session: Session, _command: FlushAllExpiredCommand): Reply {
  return writeRefusal(session) ?? { kind: "count", count: session.context.queues.flushAllExpired() };
}

function flushRefusal(session: Session, queue: string): Reply | null {
  const refusal = writeRefusal(session);
  if (refusal !== null) return refusal;
  const fault = faultOf(session.context.queues, queue);
  return fault === null ? null : clientError(fault, false);
}
