import type { FlushAllCommand, FlushCommand } from "../../protocol/command.js";
import { clientError, END, FLUSHED_ALL, serverError } from "../../protocol/reply.js";
import { type Answer, silenceable, whenWritten } from "../answer.js";
import { faultOf } from "../queue-access.js";
import type { Session } from "../session.js";

/** `flush`: empties a queue. What is open stays open, who waits goes on waiting. */
export function flushQueue(session: Session, command: FlushCommand): Answer {
  const { queues } = session.context;
  const fault = faultOf(queues, command.queue);
  if (fault !== null) return clientError(fault, false);
  return whenWritten(queues.flush(command.queue), END);
}

/** `flush_all`: empties every queue, unless that is forbidden; client libraries have sent it without being asked to. */
export function flushAll(session: Session, command: FlushAllCommand): Answer {
  const { queues, allowFlushAll } = session.context;
  if (!allowFlushAll) return silenceable(command, serverError("flush_all is disabled", false));
  return silenceable(command, whenWritten(queues.flushAll(), FLUSHED_ALL));
}
