import { describeError } from "../errors.js";
import type { Command } from "../protocol/command.js";
import { HANG_UP, serverError } from "../protocol/reply.js";
import type { Patron } from "../queue/wait-list.js";
import type { Answer } from "./answer.js";
import { dispatch } from "./dispatch.js";
import { OpenReads } from "./open-reads.js";
import type { ParkedFetch } from "./parked-fetch.js";
import type { SessionContext } from "./session-context.js";

/**
 * What one connected client may do and what it holds: its open reads and the one fetch that it may be waiting in. It is
 * free of sockets and of bytes.
 *
 * `open`. `ended`: the client sends no more, so it waits for nothing that is not there, but is still answered.
 * `closed`: it is gone; all it held was given back. States are only left forwards.
 */
export class Session implements Patron {
  readonly context: SessionContext;
  readonly reads = new OpenReads();
  readonly #describePeer: () => string;
  #state: "open" | "ended" | "closed" = "open";
  #parked: ParkedFetch | null = null;
  #isMuted = false;

  /** `describePeer` tells the client's address. */
  constructor(context: SessionContext, describePeer: () => string) {
    this.context = context;
    this.#describePeer = describePeer;
  }

  /** The client's address, for the log. */
  get peer(): string {
    return this.#describePeer();
  }

  /** A fetch is waiting: what came behind it has to wait as well. */
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
  handle(command: Command): Answer {
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
  }

  /** Its wait is over. */
  unpark(): void {
    this.#parked = null;
  }

  /** Ends a waiting fetch now, without an item. Says whether it did: a fetch of items that are there goes on. */
  cutWaitShort(): boolean {
    const parked = this.#parked;
    if (parked === null || !parked.isPoll || (parked.queue.items > 0 && !this.#isMuted)) return false;
    parked.waiter.cancel();
    return true;
  }

  /** The client does not read what it gets, or reads again. Meanwhile it is passed over. */
  mute(isMuted: boolean): void {
    this.#isMuted = isMuted;
    if (!isMuted) this.#parked?.queue.patronReady();
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
    this.#parked?.waiter.cancel();
    this.reads.giveBackAll();
  }
}

/**
 * Whether a command may only be executed when its reply can leave at once. A plain get takes its item for good: held back
 * behind another reply, the item would be nowhere if the connection or the server broke meanwhile.
 */
export function mustLeaveAtOnce(command: Command): boolean {
  return command.kind === "fetch" && !(command.open || command.close || command.abort || command.peek);
}
