import type { DeleteCommand } from "../../protocol/command.js";
import { clientError, DELETED } from "../../protocol/reply.js";
import { type Answer, silenceable, whenWritten } from "../answer.js";
import { faultOf } from "../queue-access.js";
import type { Session } from "../session.js";

/** `delete`: DELETED, whether or not there was such a queue. */
export function deleteQueue(session: Session, command: DeleteCommand): Answer {
  const { queues } = session.context;
  const fault = faultOf(queues, command.queue);
  if (fault !== null) return silenceable(command, clientError(fault, false));
  return silenceable(command, whenWritten(queues.delete(command.queue), DELETED));
}
