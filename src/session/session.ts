import { describeError } from "../errors.js";
import type { Command } from "../protocol/command.js";
import { HANG_UP, type Reply, type ReplyStream, serverError } from "../protocol/reply.js";
import type { Patron } from "../queue/wait-list.js";
import type { Answer } from "./answer.js";
import { dispatch } from "./dispatch.js";
import { giveBackReads, OpenReads } from "./open-reads.js";
import type { Parked, ParkedFetch } from "./parked-fetch.js";
import type { SessionContext } from "./session-context.js";

/**
 * What one connected client may do and what it holds: its open reads and the one fetch that it may be waiting in. It is
 * free of sockets and of bytes.
 *
 * `open`. `ended`: the client sends no more, so it waits for nothing that is not there, but is still answered.
 * `closed`: it is gone; all it held was given back. States are only left forwards.
 */
export class Session implements Patron, Parked {
  readonly context: SessionContext;
  readonly reads = new OpenReads();
  /** There were too many connections when this one was opened: it may not fetch, or not put. */
  readonly mayFetch: boolean;
  readonly mayPut: boolean;
  readonly #describePeer: () => string;
  #peer: string | null = null;
  #state: "open" | "ended" | "closed" = "open";
  #parked: ParkedFetch | null = null;
  #isMuted = false;

  /** `describePeer` tells the client's address. The connection is among those that are counted already. */
  constructor(context: SessionContext, describePeer: () => string) {
    this.context = context;
    this.#describePeer = describePeer;
    this.mayFetch = context.connections.current <= context.connectionLimitRefuseReads;
    this.mayPut = context.connections.current <= context.connectionLimitRefuseWrites;
    if (context.enableSessionTrace) context.log.info({ peer: this.peer }, "a session began");
  }

  /** The client's address, for the log. Once it was asked for it is known also after the client has gone. */
  get peer(): string {
    this.#peer ??= this.#describePeer();
    return this.#peer;
  }

  /** Something is waited for: what came behind it has to wait as well. */
  get waiting(): boolean {
    return this.#parked !== null;
  }

  get isClosed(): boolean {
    return this.#state === "closed";
  }

  /** The client may be kept waiting: it has not ended its side. */
  get mayWait(): boolean {
    return this.#state === "open";
  }

  /** Asked by the queue right before it hands over an item. */
  get canTake(): boolean {
    return this.#state !== "closed" && !this.#isMuted;
  }

  /** Executes a command. What must be waited for comes as a promise, which is never rejected. */
  handle(command: Command): Answer | ReplyStream {
    if (this.#state === "closed") return HANG_UP;
    try {
      return dispatch(this, command);
    } catch (error) {
      this.context.log.error(
        { peer: this.peer, command: command.kind, error: describeError(error) },
        "a command failed",
      );
      return serverError("internal error", true);
    }
  }

  /** A fetch begins to wait. */
  park(fetch: ParkedFetch): void {
    this.#parked = fetch;
    this.context.parked.add(this);
  }

  /** Its wait is over. */
  unpark(): void {
    this.#parked = null;
    this.context.parked.delete(this);
  }

  /** `reply`, with the commands behind it held until it is known. */
  hold<R extends Reply>(reply: Promise<R>): Promise<R> {
    this.park({ queue: null, isPoll: false, cancel: () => {} });
    return reply.finally(() => this.unpark());
  }

  /** Ends a waiting fetch now, without an item. Says whether it did: a fetch of items that are there goes on. */
  cutWaitShort(): boolean {
    const parked = this.#parked;
    if (parked === null || !parked.isPoll) return false;
    if (parked.queue !== null && parked.queue.items > 0 && !this.#isMuted) return false;
    parked.cancel();
    return true;
  }

  endPoll(): void {
    if (this.#parked?.isPoll === true) this.#parked.cancel();
  }

  /** The client does not read what it gets, or reads again. Meanwhile it is passed over. */
  mute(isMuted: boolean): void {
    this.#isMuted = isMuted;
    if (!isMuted) this.#parked?.queue?.patronReady();
  }

  /** The client has ended its side: nobody keeps it waiting any more. What is being read from the disk it still gets. */
  endInput(): void {
    if (this.#state !== "open") return;
    this.#state = "ended";
    this.cutWaitShort();
  }

  /** The client is gone. May be called twice. */
  close(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#parked?.cancel();
    const reads = this.reads.takeAll();
    giveBackReads(reads);
    if (this.context.enableSessionTrace) {
      this.context.log.info({ peer: this.peer, givenBack: reads.length }, "a session ended");
    }
  }
}

/**
 * Whether a command may only be executed when its reply can leave at once. A plain get takes its item for good: held back
 * behind another reply, the item would be nowhere if the connection or the server broke meanwhile. What answers with a
 * stream of replies is not begun before those replies can be sent.
 */
export function mustLeaveAtOnce(command: Command): boolean {
  if (command.kind === "fetch") return !(command.open || command.close || command.abort || command.peek);
  return STREAMED.has(command.kind);
}

const STREAMED: ReadonlySet<Command["kind"]> = new Set(["monitor", "stats", "dump-stats", "dump-config"]);
