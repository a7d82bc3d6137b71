import type { FetchCommand } from "../../protocol/command.js";
import { clientError, END, type Reply, SILENCE, stateError } from "../../protocol/reply.js";
import type { Queue } from "../../queue/queue.js";
import type { Fetched, FetchMode } from "../../queue/wait-list.js";
import { type Answer, whenToldOf } from "../answer.js";
import { faultOf, openQueue } from "../queue-access.js";
import type { Session } from "../session.js";

/** `get`: confirms first what it is to confirm, then gives back or serves. */
export function fetchItem(session: Session, command: FetchCommand): Answer {
  if (!command.close && !command.abort) return serve(session, command);
  const fault = faultOf(session.context.queues, command.queue);
  if (fault !== null) return clientError(fault, false);
  if (command.abort) {
    session.reads.giveBackOldest(command.queue);
    return END;
  }
  const confirmed = session.reads.confirmOldest(command.queue);
  return whenToldOf(confirmed, command.open ? serve(session, command) : END);
}

function serve(session: Session, command: FetchCommand): Answer {
  const { queues, counters } = session.context;
  const refusal = openReadFault(session, command);
  if (refusal !== null) return refusal;
  const queue = openQueue(queues, command.queue);
  if (typeof queue === "string") return clientError(queue, false);
  if (command.peek) counters.peeks++;
  else counters.gets++;
  const mode = command.open ? "open" : command.peek ? "peek" : "take";
  const fetched = queue.fetchNow(mode);
  const waitMs = session.mayWait ? command.waitMs : 0;
  if (fetched === "loading" || (fetched === null && waitMs > 0)) return park(session, queue, { mode, waitMs });
  return finish(session, queue, { mode, fetched });
}

const TOO_MANY = stateError("too many open reads on this queue: close or abort one first", true);
const UNCLOSED = stateError("a read is open on this queue: close or abort it first", true);

/** What is open already may forbid the fetch. A peek is always allowed. */
function openReadFault(session: Session, command: FetchCommand): Reply | null {
  if (command.peek) return null;
  const count = session.reads.count(command.queue);
  if (command.open) return count >= session.context.maxOpenTransactions ? TOO_MANY : null;
  return count > 0 ? UNCLOSED : null;
}

function park(
  session: Session,
  queue: Queue,
  how: { readonly mode: FetchMode; readonly waitMs: number },
): Promise<Reply> {
  const waiter = queue.wait(how.mode, how.waitMs, session);
  session.park({ queue, waiter, isPoll: how.waitMs > 0 });
  return waiter.outcome.then((fetched) => {
    session.unpark();
    return finish(session, queue, { mode: how.mode, fetched });
  });
}

interface Outcome {
  readonly mode: FetchMode;
  readonly fetched: Fetched | null;
}

function finish(session: Session, queue: Queue, { mode, fetched }: Outcome): Answer {
  const { counters } = session.context;
  if (fetched === null) {
    counters.misses++;
    return END;
  }
  if (session.isClosed) return giveBack(queue, { mode, fetched });
  counters.hits++;
  if (fetched.read !== null) session.reads.add(queue.name, fetched.read);
  if (fetched.durable !== null) return deliver(session, queue, { mode, fetched });
  return { kind: "item", queue: queue.name, item: fetched.item };
}

/**
 * The item goes out when its removal is on the disk, or has failed to get there: an item that comes twice is better than
 * one that never comes. The client may be gone by then; an open read was given back with the others.
 */
function deliver(session: Session, queue: Queue, outcome: Delivery): Promise<Reply> {
  const { mode, fetched } = outcome;
  const go = (): Reply => {
    if (!session.isClosed) return { kind: "item", queue: queue.name, item: fetched.item };
    return mode === "take" ? giveBack(queue, outcome) : SILENCE;
  };
  return (fetched.durable ?? Promise.resolve()).then(go, go);
}

interface Delivery extends Outcome {
  readonly fetched: Fetched;
}

/** The client went away between the hand-over and this moment. */
function giveBack(queue: Queue, { mode, fetched }: Delivery): Reply {
  if (fetched.read !== null) queue.giveBack([fetched.read]);
  else if (mode === "take") queue.giveBackTaken(fetched.item);
  return SILENCE;
}
