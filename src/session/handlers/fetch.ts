import type { FetchCommand, FetchExtras } from "../../protocol/command.js";
import { clientError, END, type Reply, stateError } from "../../protocol/reply.js";
import type { Queue } from "../../queue/queue.js";
import type { OpenRead } from "../../queue/transactions.js";
import type { FetchMode } from "../../queue/wait-list.js";
import { type Answer, whenToldOf } from "../answer.js";
import { deliver } from "../delivery.js";
import { confirmReads, giveBackReads } from "../open-reads.js";
import { faultOf, openQueue, trace } from "../queue-access.js";
import { dequeueRefusal, readRefusal } from "../refusals.js";
import type { Session } from "../session.js";
import { peekAround } from "./peek.js";

/** `get`: confirms first what it is to confirm, then gives back or serves. */
export function fetchItem(session: Session, command: FetchCommand): Answer {
  if (command.ignoredOption !== null) session.context.ignoredOptions.note(command.ignoredOption, session.peer);
  if (!command.close && !command.abort) return serve(session, command);
  const { queues } = session.context;
  const fault = faultOf(queues, command.queue);
  if (fault !== null) return clientError(fault, false);
  const reads = takeReads(session, command);
  trace(session, queues.find(command.queue), command.abort ? "abort" : "close", reads.length);
  if (command.abort) {
    giveBackReads(reads, command.extras?.delayMs);
    return END;
  }
  return whenToldOf(confirmReads(reads), command.open ? serve(session, command) : END);
}

/** The reads that a fetch closes or aborts: those that it names, or the oldest. */
function takeReads(session: Session, { queue, extras }: FetchCommand): readonly OpenRead[] {
  const { queues, counters } = session.context;
  if (session.reads.count(queue) === 0) counters.closesOfNothing++;
  if (extras === null || extras.ids.length === 0) return session.reads.takeOldest(queue);
  const ids = extras.ids.map((id) => queues.readIdOf(id)).filter((id) => id !== null);
  return session.reads.takeByIds(queue, ids);
}

function serve(session: Session, command: FetchCommand): Answer {
  const { queues, counters } = session.context;
  const refusal = readRefusal(session) ?? openReadFault(session, command);
  if (refusal !== null) return refusal;
  const queue = openQueue(queues, command.queue);
  if (typeof queue === "string") return clientError(queue, false);
  const denial = queue === null ? null : dequeueRefusal(queue);
  if (denial !== null) return denial;
  if (command.peek) counters.peeks++;
  else counters.gets++;
  return queue === null ? nothing(session) : fetchFrom(session, queue, command);
}

const TOO_MANY = stateError("too many open reads on this queue: close or abort one first", true);
const UNCLOSED = stateError("a read is open on this queue: close or abort it first", true);

/** What is open already may forbid the fetch. A peek is always allowed. */
function openReadFault({ reads, context }: Session, { queue, open, peek }: FetchCommand): Reply | null {
  if (peek) return null;
  if (open) return reads.roomFor(queue, context.maxOpenTransactions) <= 0 ? TOO_MANY : null;
  return reads.has(queue) ? UNCLOSED : null;
}

function nothing(session: Session): Reply {
  session.context.counters.misses++;
  return END;
}

function fetchFrom(session: Session, queue: Queue, command: FetchCommand): Answer {
  const { peek, open, extras } = command;
  if (peek && extras !== null) return peekAround(session, queue, extras);
  const mode = open ? "open" : peek ? "peek" : "take";
  const fetched = queue.fetchNow(mode);
  if (fetched !== null && fetched !== "loading") return deliver(session, { queue, mode, extras, fetched });
  const waitMs = session.mayWait ? command.waitMs : 0;
  if (fetched === null && waitMs <= 0) return nothing(session);
  return park(session, queue, { mode, extras, waitMs });
}

function park(
  session: Session,
  queue: Queue,
  how: { readonly mode: FetchMode; readonly extras: FetchExtras | null; readonly waitMs: number },
): Promise<Reply> {
  const { mode, extras, waitMs } = how;
  const waiter = queue.wait(mode, waitMs, session);
  session.park({ queue, isPoll: waitMs > 0, cancel: () => waiter.cancel() });
  return waiter.outcome.then((fetched) => {
    session.unpark();
    return fetched === null ? nothing(session) : deliver(session, { queue, mode, extras, fetched });
  });
}
