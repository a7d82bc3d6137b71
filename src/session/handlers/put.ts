import type { NewItem } from "../../item.js";
import type { OversizedPutCommand, PutCommand } from "../../protocol/command.js";
import { clientError, NOT_STORED, type Reply, STORED, serverError } from "../../protocol/reply.js";
import type { Queue } from "../../queue/queue.js";
import { type Answer, notWritten, silenceable } from "../answer.js";
import { faultOf, openQueue } from "../queue-access.js";
import type { Session } from "../session.js";

/** `set`: STORED once the journal has the item. */
export function putItem(session: Session, command: PutCommand): Answer {
  const { queues, counters, clock } = session.context;
  const queue = openQueue(queues, command.queue);
  if (typeof queue === "string") return silenceable(command, clientError(queue, false));
  counters.sets++;
  const result = queue.put(newItem(command, clock.wallMs()), command.ownsData);
  if (typeof result !== "string") return silenceable(command, result.then(stored, notWritten));
  return silenceable(command, result === "blocked" ? blocked(queue) : verdicts[result]);
}

/** An item over `max_item_size`, whose bytes were thrown away while they came in. */
export function oversizedPut(session: Session, command: OversizedPutCommand): Answer {
  const { queues, counters } = session.context;
  const fault = faultOf(queues, command.queue);
  if (fault !== null) return silenceable(command, clientError(fault, false));
  counters.sets++;
  return silenceable(command, NOT_STORED);
}

const verdicts = { stored: STORED, full: NOT_STORED, "too-large": NOT_STORED } as const;

const stored = (): Reply => STORED;

function blocked(queue: Queue): Reply {
  return serverError(`writes are blocked: ${queue.refusal ?? "try again"}`, false);
}

function newItem(command: PutCommand, now: number): NewItem {
  return { data: command.data, flags: command.flags, addedAt: now, expiresAt: expiresAt(command, now) };
}

// 0 says never, so a moment that is 1970 or earlier becomes its first millisecond.
function expiresAt(command: PutCommand, now: number): number {
  if (command.expiryKind === "never") return 0;
  return Math.max(1, command.expiryKind === "in" ? now + command.expiryMs : command.expiryMs);
}
