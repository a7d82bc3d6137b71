import type { MonitorCommand } from "../../protocol/command.js";
import { clientError, END, type Reply, type ReplyStream } from "../../protocol/reply.js";
import type { Queue } from "../../queue/queue.js";
import type { Fetched } from "../../queue/wait-list.js";
import { deliver } from "../delivery.js";
import { openQueue } from "../queue-access.js";
import { dequeueRefusal, readRefusal } from "../refusals.js";
import type { Session } from "../session.js";

/** `monitor`: open reads as the items come, for a time. */
export function monitor(session: Session, command: MonitorCommand): Reply | ReplyStream {
  const refusal = readRefusal(session);
  if (refusal !== null) return refusal;
  const queue = openQueue(session.context.queues, command.queue);
  if (typeof queue === "string") return clientError(queue, false);
  session.context.counters.monitors++;
  if (queue === null) return END;
  return dequeueRefusal(queue) ?? new Monitor(session, queue, command);
}

/**
 * A stream of open reads, each of them an item and its END, and one last END.
 *
 * `on` until so many items were delivered as the client wanted, or as it may have open; until its time is over; until the
 * client has ended its side; until a wait ends early for any other reason. Then it says END and is `over`. For each item it
 * goes back to the end of the wait-list.
 */
class Monitor implements ReplyStream {
  readonly kind = "stream";
  readonly #session: Session;
  readonly #queue: Queue;
  readonly #endsAtMs: number;
  #left: number;
  #isOver = false;

  constructor(session: Session, queue: Queue, { waitMs, maxItems }: MonitorCommand) {
    this.#session = session;
    this.#queue = queue;
    this.#endsAtMs = session.context.clock.monotonicMs() + waitMs;
    this.#left = maxItems ?? session.context.maxOpenTransactions;
  }

  next(): Reply | null | Promise<Reply | null> {
    if (this.#isOver) return null;
    const leftMs = this.#endsAtMs - this.#session.context.clock.monotonicMs();
    if (leftMs <= 0 || !this.#mayGoOn) return this.#end();
    const fetched = this.#queue.fetchNow("open");
    if (fetched === null || fetched === "loading") return this.#wait(leftMs);
    return this.#deliver(fetched);
  }

  get #mayGoOn(): boolean {
    const { reads, context, mayWait } = this.#session;
    return (
      this.#left > 0 &&
      mayWait &&
      !context.status.blocksReads &&
      reads.roomFor(this.#queue.name, context.maxOpenTransactions) > 0
    );
  }

  #wait(leftMs: number): Promise<Reply | null> {
    const session = this.#session;
    const waiter = this.#queue.wait("open", leftMs, session);
    session.park({ queue: this.#queue, isPoll: true, cancel: () => waiter.cancel() });
    return waiter.outcome.then((fetched) => {
      session.unpark();
      if (fetched !== null) return this.#deliver(fetched);
      session.context.counters.misses++;
      return this.#end();
    });
  }

  #deliver(fetched: Fetched): Reply | Promise<Reply> {
    this.#left--;
    return deliver(this.#session, { queue: this.#queue, mode: "open", extras: null, fetched });
  }

  #end(): Reply {
    this.#isOver = true;
    return END;
  }
}
