import type { NewItem } from "../../item.js";
import type { OversizedPutCommand, PutCommand } from "../../protocol/command.js";
import { clientError, NOT_STORED, type Reply, STORED, serverError } from "../../protocol/reply.js";
import type { Queues } from "../../queue/queues.js";
import { type Answer, notWritten, silenceable } from "../answer.js";
import { faultOf, trace } from "../queue-access.js";
import { enqueueRefusal, writeRefusal } from "../refusals.js";
import type { Session } from "../session.js";

/** `set`: STORED once the journal has the item. */
export function putItem(session: Session, command: PutCommand): Answer {
  const refusal = putRefusal(session, command);
  if (refusal !== null) return silenceable(command, refusal);
  const { queues, counters, clock } = session.context;
  const { queue, data, ownsData } = command;
  counters.sets++;
  const result = queues.put(queue, newItem(command, clock.wallMs()), ownsData);
  trace(session, queues.find(queue), "set", data.length);
  if (typeof result !== "string") return silenceable(command, result.then(stored, notWritten));
  return silenceable(command, result === "blocked" ? blocked(queues, queue) : verdicts[result]);
}

/** An item over `max_item_size`, whose bytes were thrown away while they came in. */
export function oversizedPut(session: Session, command: OversizedPutCommand): Answer {
  const refusal = putRefusal(session, command);
  if (refusal !== null) return silenceable(command, refusal);
  session.context.counters.sets++;
  return silenceable(command, NOT_STORED);
}

const verdicts = { stored: STORED, full: NOT_STORED, "too-large": NOT_STORED } as const;

const stored = (): Reply => STORED;

function putRefusal(session: Session, { queue }: PutCommand | OversizedPutCommand): Reply | null {
  const refusal = writeRefusal(session);
  if (refusal !== null) return refusal;
  const fault = faultOf(session.context.queues, queue);
  return fault === null ? enqueueRefusal(session, queue) : clientError(fault, false);
}

function blocked(queues: Queues, queue: string): Reply {
  return serverError(`writes are blocked: ${queues.find(queue)?.refusal ?? "try again"}`, false);
}

function newItem(command: PutCommand, now: number): NewItem & { readonly delayMs: number } {
  const { data, flags, delayMs } = command;
  return { data, flags, addedAt: now, expiresAt: expiresAt(command, now), delayMs };
}

// 0 says never, so a moment that is 1970 or earlier becomes its first millisecond.
function expiresAt(command: PutCommand, now: number): number {
  if (command.expiryKind === "never") return 0;
  return Math.max(1, command.expiryKind === "in" ? now + command.expiryMs : command.expiryMs);
}
