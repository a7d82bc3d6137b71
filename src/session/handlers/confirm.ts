import type { ConfirmCommand } from "../../protocol/command.js";
import { clientError, END, stateError } from "../../protocol/reply.js";
import { type Answer, whenToldOf } from "../answer.js";
import { confirmReads } from "../open-reads.js";
import { faultOf, trace } from "../queue-access.js";
import type { Session } from "../session.js";

const NOTHING = stateError("nothing to confirm", false);
const TOO_MANY = stateError("fewer reads are open on this queue", false);

/** `confirm`: the oldest open reads, all of them or none. A read that timed out counts as one that is confirmed. */
export function confirm(session: Session, { queue, count }: ConfirmCommand): Answer {
  const { queues } = session.context;
  const fault = faultOf(queues, queue);
  if (fault !== null) return clientError(fault, false);
  if (count < 1) return NOTHING;
  if (count > session.reads.count(queue)) return TOO_MANY;
  trace(session, queues.find(queue), "confirm", count);
  return whenToldOf(confirmReads(session.reads.takeOldest(queue, count)), END);
}
