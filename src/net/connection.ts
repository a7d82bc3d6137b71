import type { Socket } from "node:net";
import type { Clock, Timer } from "../clock.js";
import { describeError } from "../errors.js";
import type { Log } from "../log.js";
import type { Codec } from "../protocol/codec.js";
import { mustLeaveAtOnce, type Session } from "../session/session.js";
import type { ServerCounters } from "../stats/server-counters.js";
import type { Flushable, FlushList } from "./flush-list.js";
import type { Watched } from "./idle-watch.js";
import { Outbox } from "./outbox.js";
import { PendingReplies } from "./pending-replies.js";

/** Input that is held behind a waiting fetch; when it is full the wait ends, so that the socket is never paused during it. */
export const MAX_BYTES_BEHIND_WAIT = 1024 * 1024;
/** Input that is held while a connection is not served for another reason; beyond it the socket is paused. */
const MAX_BYTES_HELD = 64 * 1024;
/** Replies of one turn leave together, but no more than this at a time. */
const MAX_BYTES_UNFLUSHED = 64 * 1024;
/** Commands of one connection that are executed before the others get their turn. */
const MAX_COMMANDS_A_TURN = 256;
/** What a fetch whose item is not known yet counts as, in bytes. */
const UNKNOWN_ITEM_BYTES = 32 * 1024;
/** How long a connection that we ended is still read, so that the last replies are not lost to a reset. */
const LINGER_MS = 500;

type Command = NonNullable<ReturnType<Codec["next"]>>;
type Reply = Parameters<Codec["encode"]>[0];
type ReplyStream = Extract<ReturnType<Session["handle"]>, { readonly kind: "stream" }>;

/** What the connections of a listener share. */
export interface ConnectionContext {
  readonly flushList: FlushList;
  readonly counters: ServerCounters;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * One client's socket. It takes commands from the codec one after the other while they can be served, and sends the replies
 * in the order of the commands.
 *
 * `serving`. `finishing`: no further command is taken; what was executed is answered. `lingering`: all was said and our end
 * is closed; what still comes is thrown away until the client closes its end, or for a short time. `gone`: the socket is
 * closed. States are only left forwards, and whatever the session holds is given back on the way into `lingering` or `gone`.
 *
 * While `serving` it takes no command as long as one of these holds: a fetch waits (the socket is read on all the same, or
 * its end would go unnoticed), a stream of replies is not over, the client does not read its replies, too much is
 * unanswered, or it had its turn. A stream begins when nothing is pending before it; its next reply is asked for when the
 * client has read the ones before.
 */
export class Connection implements Flushable, Watched {
  readonly #socket: Socket;
  readonly #codec: Codec;
  readonly #session: Session;
  readonly #context: ConnectionContext;
  readonly #outbox: Outbox;
  readonly #pending = new PendingReplies<Command, Reply>();
  /** A command that is executed once nothing is pending before it. */
  #held: Command | null = null;
  /** The replies to the command that is being answered by several. */
  #stream: { readonly replies: ReplyStream; readonly command: Command } | null = null;
  #awaitsStream = false;
  #phase: "serving" | "finishing" | "lingering" | "gone" = "serving";
  #inputEnded = false;
  #isPaused = false;
  #isDirty = false;
  #hadItsTurn = false;
  #hasHeard = false;
  #lingerTimer: Timer | null = null;

  constructor(socket: Socket, codec: Codec, parts: { readonly session: Session; readonly context: ConnectionContext }) {
    this.#socket = socket;
    this.#codec = codec;
    this.#session = parts.session;
    this.#context = parts.context;
    this.#outbox = new Outbox(socket, parts.context.counters, () => this.#readsAgain());
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("end", () => this.#endInput());
    socket.on("finish", () => this.#linger());
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#leave());
  }

  /** Ends it in order: what was executed is still answered, a waiting fetch as soon as its wait is over. */
  finish(): void {
    if (this.#phase !== "serving") return;
    this.#phase = "finishing";
    if (this.#isAnswered) this.#hangUp();
  }

  /** The client has sent something since this was asked last, waits for an answer, or has not read one. */
  get wasBusy(): boolean {
    const hasHeard = this.#hasHeard;
    this.#hasHeard = false;
    return hasHeard || this.#session.waiting || !this.#isAnswered || this.#outbox.isBlocked;
  }

  /** Hangs up on a client that has sent nothing for too long. */
  endIdle(): void {
    if (this.#phase !== "serving") return;
    this.#context.log.info({ peer: this.#session.peer }, "an idle client was hung up on");
    this.finish();
  }

  /** Ends it now. */
  destroy(): void {
    this.#socket.destroy();
  }

  // ---- input

  #receive(chunk: Buffer): void {
    this.#context.counters.bytesRead += chunk.length;
    this.#hasHeard = true;
    if (this.#phase === "lingering") return;
    this.#codec.feed(chunk);
    this.#serve();
    if (this.#session.waiting && this.#isFullBehindWait && this.#session.cutWaitShort()) {
      this.#context.counters.waitsCutShort++;
    }
  }

  get #isFullBehindWait(): boolean {
    return this.#codec.bufferedBytes >= MAX_BYTES_BEHIND_WAIT;
  }

  // The client has closed its end: nobody waits for it any more, but what it asked is answered.
  #endInput(): void {
    this.#inputEnded = true;
    this.#session.endInput();
    this.#serve();
  }

  #serve(): void {
    try {
      this.#serveWhileAble();
    } catch (error) {
      this.#breakOff(error);
    }
    this.#adjustReading();
  }

  #serveWhileAble(): void {
    for (let left = MAX_COMMANDS_A_TURN; this.#isServing(); left--) {
      if (left === 0) return this.#yield();
      if (this.#stream !== null) {
        this.#playOn(this.#stream.replies);
        continue;
      }
      const command = this.#nextCommand();
      if (command === null) return this.#outOfInput();
      if (!this.#pending.isEmpty && mustLeaveAtOnce(command)) this.#held = command;
      else this.#execute(command);
    }
  }

  #nextCommand(): Command | null {
    const held = this.#held;
    if (held === null) return this.#codec.next();
    this.#held = null;
    return held;
  }

  #isServing(): boolean {
    if (this.#outbox.isBlocked || this.#hadItsTurn || this.#session.waiting) return false;
    if (this.#stream !== null) return !this.#awaitsStream;
    if (this.#phase !== "serving") return false;
    return this.#held === null ? !this.#pending.isFull : this.#pending.isEmpty;
  }

  get #isAnswered(): boolean {
    return this.#pending.isEmpty && this.#stream === null;
  }

  #outOfInput(): void {
    if (this.#inputEnded) this.finish();
  }

  #yield(): void {
    this.#hadItsTurn = true;
    setImmediate(() => {
      this.#hadItsTurn = false;
      this.#serve();
    });
  }

  #adjustReading(): void {
    // Behind a fetch of items that are being read from the disk there is no early end: the socket is paused for a moment.
    const isHeldByWait = this.#session.waiting && !this.#isFullBehindWait;
    const mayRead = this.#isServing() || isHeldByWait || this.#phase === "lingering";
    const pause = !mayRead && this.#codec.bufferedBytes >= MAX_BYTES_HELD;
    if (pause === this.#isPaused) return;
    this.#isPaused = pause;
    if (pause) this.#socket.pause();
    else this.#socket.resume();
  }

  // ---- execution and replies

  #execute(command: Command): void {
    const answer = this.#session.handle(command);
    if (answer instanceof Promise) return this.#putOff(command, answer, heldBytes(command, UNKNOWN_ITEM_BYTES));
    if (answer.kind === "stream") {
      this.#stream = { replies: answer, command };
      return;
    }
    if (this.#pending.isEmpty) return this.#send(answer, command);
    if (isLast(answer)) this.#phase = "finishing";
    this.#putOff(command, answer, heldBytes(command, itemBytes(answer)));
  }

  #playOn(replies: ReplyStream): void {
    const next = replies.next();
    if (!(next instanceof Promise)) return this.#sendOfStream(next);
    this.#awaitsStream = true;
    next.then(this.#streamed, this.#breakOff);
  }

  readonly #streamed = (reply: Reply | null): void => {
    this.#awaitsStream = false;
    if (this.#stream === null) return;
    try {
      this.#sendOfStream(reply);
    } catch (error) {
      return this.#breakOff(error);
    }
    this.#serve();
  };

  #sendOfStream(reply: Reply | null): void {
    const stream = this.#stream;
    if (stream === null) return;
    if (reply !== null) return this.#send(reply, stream.command);
    this.#stream = null;
    if (this.#phase === "finishing") this.#hangUp();
  }

  #putOff(command: Command, answer: Reply | Promise<Reply>, bytes: number): void {
    const isFirst = this.#pending.isEmpty;
    this.#pending.push({ command, answer, bytes });
    if (isFirst) this.#awaitFirst();
  }

  // Only the first is awaited: the others cannot be sent before it anyway.
  #awaitFirst(): void {
    const answer = this.#pending.first?.answer;
    if (answer instanceof Promise) answer.then(this.#firstAnswered, this.#breakOff);
  }

  readonly #firstAnswered = (reply: Reply): void => {
    if (this.#phase === "lingering" || this.#phase === "gone") return;
    try {
      this.#answerFirst(reply);
    } catch (error) {
      this.#breakOff(error);
    }
  };

  #answerFirst(reply: Reply): void {
    this.#sendFirst(reply);
    for (let next = this.#pending.first; next !== undefined; next = this.#pending.first) {
      if (next.answer instanceof Promise) break;
      this.#sendFirst(next.answer);
    }
    this.#awaitFirst();
    if (this.#phase === "finishing" && this.#pending.isEmpty) this.#hangUp();
    else this.#serve();
  }

  #sendFirst(reply: Reply): void {
    const first = this.#pending.first;
    this.#pending.shift();
    if (first !== undefined) this.#send(reply, first.command);
  }

  #send(reply: Reply, command: Command): void {
    const { bytes } = this.#outbox;
    // A reset could overtake what the client was told before.
    const isUntold = this.#socket.bytesWritten === 0 && bytes.length === 0;
    if (reply.kind === "cut-off" && isUntold) return void this.#socket.resetAndDestroy();
    this.#codec.encode(reply, command, bytes);
    if (isLast(reply)) return this.#hangUp();
    if (bytes.length >= MAX_BYTES_UNFLUSHED) return this.flush();
    if (this.#isDirty || bytes.length === 0) return;
    this.#isDirty = true;
    this.#context.flushList.add(this);
  }

  /** Writes what waits, unless the client has not read what was written before. */
  flush(): void {
    this.#isDirty = false;
    if (this.#phase === "gone") return;
    this.#outbox.flush();
    if (this.#outbox.isBlocked) this.#session.mute(true);
  }

  #readsAgain(): void {
    if (this.#phase === "lingering") return;
    this.#session.mute(false);
    this.#serve();
  }

  // ---- the end

  /** Everything is said: sends it and closes our end. */
  #hangUp(): void {
    this.#phase = "lingering";
    this.#outbox.end();
    this.#release();
    this.#adjustReading();
  }

  #linger(): void {
    if (this.#inputEnded) return;
    this.#lingerTimer = this.#context.clock.after(LINGER_MS, () => this.#socket.destroy(), { background: true });
  }

  // A client that vanishes is nothing to report; its end is handled where the socket closes, which follows.
  #fail(error: Error): void {
    this.#context.log.debug({ error: describeError(error) }, "a connection failed");
    this.#leave();
  }

  #leave(): void {
    this.#phase = "gone";
    this.#lingerTimer?.clear();
    this.#release();
  }

  readonly #breakOff = (error: unknown): void => {
    this.#context.log.error({ error: describeError(error) }, "a connection was cut after an error of the server");
    this.#socket.destroy();
  };

  // Gives back what the client holds. What is still pending is no item that was taken, so it can be dropped.
  #release(): void {
    this.#session.close();
    this.#pending.clear();
    this.#stream = null;
    this.#held = null;
  }
}

/** The connection ends with this reply. */
function isLast(reply: Reply): boolean {
  return reply.kind === "hang-up" || reply.kind === "cut-off" || (reply.kind === "error" && reply.close);
}

function itemBytes(reply: Reply): number {
  if (reply.kind === "items") return reply.items.reduce((sum, { item }) => sum + item.data.length, 0);
  return reply.kind === "item" ? reply.item.data.length : 0;
}

/** What a command that is not answered yet keeps in memory, beside the items of its reply. */
function heldBytes(command: Command, ofItems: number): number {
  return command.kind === "put" ? command.data.length : ofItems;
}
