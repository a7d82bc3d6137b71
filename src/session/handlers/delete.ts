import type { DeleteCommand } from "../../protocol/command.js";
import { clientError, DELETED, NOTHING_TO_DELETE } from "../../protocol/reply.js";
import { type Answer, silenceable, whenWritten } from "../answer.js";
import { faultOf, trace } from "../queue-access.js";
import { writeRefusal } from "../refusals.js";
import type { Session } from "../session.js";

/** `delete`: DELETED, whether or not there was such a queue. */
export function deleteQueue(session: Session, command: DeleteCommand): Answer {
  return silenceable(command, remove(session, command.queue));
}

function remove(session: Session, name: string): Answer {
  const { queues } = session.context;
  const refusal = writeRefusal(session);
  if (refusal !== null) return refusal;
  const fault = faultOf(queues, name);
  if (fault !== null) return clientError(fault, false);
  const queue = queues.find(name);
  trace(session, queue, "delete");
  return whenWritten(queues.delete(name), queue === undefined ? NOTHING_TO_DELETE : DELETED);
}
