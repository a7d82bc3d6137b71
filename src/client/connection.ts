import { setMaxListeners } from "node:events";
import { connect, type Socket } from "node:net";
import type { Clock, Timer } from "../clock.js";
import { WindhoverError } from "../errors.js";
import { ByteBuffer } from "../protocol/byte-buffer.js";
import { type Answer, ReplyDecoder } from "./reply-decoder.js";

/** Where a server listens. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

export interface ConnectionOptions {
  /** How long the server may take to accept the connection, in milliseconds. */
  readonly connectTimeoutMs: number;
  readonly clock: Clock;
}

export interface Request {
  /** Writes the request's bytes; called once, at once. */
  readonly write: (out: ByteBuffer) => void;
  /** How long the answer may take, in milliseconds, from the moment when it is the next one due. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

interface Pending {
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: unknown) => void;
  readonly onAbort: () => void;
}

/** How long a server may take to answer what is still open once this side has said its last word. */
const END_GRACE_MS = 1000;

/**
 * One TCP connection to one server: requests go out in the order of the calls, pipelined, and answers come back in that
 * order. It never reconnects: open reads live and die with their connection, so whoever holds one must notice.
 *
 *   connecting ─ accepted ─▶ open ─ end(), abort ─▶ ending ─ the peer hangs up ─▶ closed
 *        └────────────── failure, time-out, destroy() ──────────────────────────────▲
 *
 * - connecting: requests are taken; they leave when the server accepts.
 * - open: a request that is not answered in its time ends the connection, since every later answer waits behind it.
 * - ending: this side has said its last word (FIN), what was asked before is still answered. A Kestrel server then ends
 *   a waiting fetch without taking an item for it, which is why an abort goes this way: cutting the connection would lose
 *   an item that had left the server already. An item that comes in spite of the abort fulfils the aborted request.
 * - closed: whatever is pending has failed with WH_CLIENT_DOWN, or with the failure itself.
 *
 * One timer serves whichever of these is due. The price of one ordered stream is that an abort ends the connection for
 * all of its requests, and that a waiting fetch holds up what is behind it.
 */
export class Connection {
  /** Fulfilled when the connecting is over, whichever way it went. */
  readonly settled: Promise<void>;
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #place: string;
  readonly #decoder = new ReplyDecoder();
  readonly #out = new ByteBuffer();
  readonly #pending: Pending[] = [];
  readonly #closed: Promise<void>;
  #state: "connecting" | "open" | "ending" | "closed" = "connecting";
  #failure: Error | undefined;
  #timer: Timer | undefined;
  #flushDue = false;

  constructor(address: ServerAddress, options: ConnectionOptions) {
    this.#clock = options.clock;
    this.#place = `${address.host}:${address.port}`;
    this.#socket = connect({ host: address.host, port: address.port, noDelay: true });
    this.#closed = new Promise((resolve) => this.#socket.once("close", () => resolve()));
    this.settled = new Promise((resolve) =>
      this.#socket.once("connect", () => resolve()).once("close", () => resolve()),
    );
    this.#arm(options.connectTimeoutMs, () => this.#fail(this.#down("cannot reach", new Error("it does not answer"))));
    this.#listen();
  }

  /** Whether requests are taken. */
  get usable(): boolean {
    return this.#state === "connecting" || this.#state === "open";
  }

  /**
   * Sends a request. The answer may be a refusal: that is for the caller to read. Rejected with WH_CLIENT_DOWN,
   * WH_CLIENT_TIMEOUT or WH_CLIENT_PROTOCOL, or with the signal's reason.
   */
  request(request: Request): Promise<Answer> {
    if (!this.usable) return Promise.reject(this.#failure ?? this.#down("closed the connection to"));
    if (request.signal?.aborted === true) return Promise.reject(request.signal.reason);
    return new Promise((resolve, reject) => {
      const onAbort = (): void => this.#abort();
      listenTo(request.signal, onAbort);
      this.#pending.push({ request, resolve, reject, onAbort });
      request.write(this.#out);
      this.#scheduleFlush();
      if (this.#pending.length === 1 && this.#state === "open") this.#watchHead();
    });
  }

  /** Says that nothing more will be asked; what was asked is still answered, for a second. Resolved when all is closed. */
  end(): Promise<void> {
    if (this.#state === "connecting" && this.#pending.length === 0) this.destroy();
    if (this.usable) this.#beginEnd();
    return this.#closed;
  }

  /** Cuts the connection at once. What is pending fails with `reason`. */
  destroy(reason: Error = this.#down("closed the connection to")): void {
    this.#fail(reason);
  }

  #listen(): void {
    this.#socket.on("connect", () => this.#opened());
    this.#socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    this.#socket.on("error", (error) => this.#fail(this.#broken(error)));
    this.#socket.on("close", () => this.#fail(this.#down("lost", new Error("the server closed the connection"))));
  }

  #opened(): void {
    if (this.#state !== "connecting") return;
    this.#state = "open";
    this.#watchHead();
  }

  // One write for all requests of a turn.
  #scheduleFlush(): void {
    if (this.#flushDue) return;
    this.#flushDue = true;
    process.nextTick(() => this.#flush());
  }

  #flush(): void {
    if (!this.#flushDue || this.#state === "closed") return;
    this.#flushDue = false;
    const pieces = this.#out.drain();
    this.#socket.cork();
    for (const piece of pieces) this.#socket.write(piece);
    this.#socket.uncork();
    if (this.#socket.writableLength === 0) this.#out.reuse();
    else this.#out.abandon();
  }

  #receive(chunk: Buffer): void {
    if (this.#state === "closed") return;
    try {
      this.#decoder.feed(chunk);
      for (let answer = this.#decoder.next(); answer !== null; answer = this.#decoder.next()) this.#settle(answer);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #settle(answer: Answer): void {
    const head = this.#pending.shift();
    if (head === undefined)
      throw new WindhoverError("WH_CLIENT_PROTOCOL", `${this.#place} answered what was not asked: ${brief(answer)}`);
    const { signal } = head.request;
    signal?.removeEventListener("abort", head.onAbort);
    if (signal?.aborted === true && isEmpty(answer)) head.reject(signal.reason);
    else head.resolve(answer);
    if (this.#state === "open") this.#watchHead();
    else if (this.#pending.length === 0) this.destroy();
  }

  #watchHead(): void {
    const head = this.#pending[0];
    if (head === undefined) this.#timer?.clear();
    else this.#arm(head.request.timeoutMs, () => this.#overdue(head));
  }

  #overdue(head: Pending): void {
    const { timeoutMs } = head.request;
    head.reject(new WindhoverError("WH_CLIENT_TIMEOUT", `${this.#place} did not answer within ${timeoutMs} ms`));
    this.#fail(this.#down("gave up on", new Error("an earlier request was not answered")));
  }

  #abort(): void {
    if (this.#state === "connecting") this.destroy();
    else if (this.#state === "open") this.#beginEnd();
  }

  #beginEnd(): void {
    this.#flush();
    this.#state = "ending";
    this.#socket.end();
    if (this.#pending.length === 0) this.#socket.once("finish", () => this.#socket.destroy());
    this.#arm(END_GRACE_MS, () => this.destroy());
  }

  #fail(failure: Error): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#failure = failure;
    this.#timer?.clear();
    this.#socket.destroy();
    for (const { request, reject, onAbort } of this.#pending.splice(0)) {
      request.signal?.removeEventListener("abort", onAbort);
      reject(request.signal?.aborted === true ? request.signal.reason : failure);
    }
  }

  #arm(delayMs: number, fire: () => void): void {
    this.#timer?.clear();
    this.#timer = this.#clock.after(delayMs, fire);
  }

  #broken(cause: Error): WindhoverError {
    return this.#down(this.#state === "connecting" ? "cannot reach" : "lost", cause);
  }

  #down(what: string, cause?: Error): WindhoverError {
    return new WindhoverError(
      "WH_CLIENT_DOWN",
      `${what} ${this.#place}`,
      cause === undefined ? {} : { cause: firstOf(cause) },
    );
  }
}

// Many requests may share one signal, and each listener goes with its answer: no leak that Node should warn of.
function listenTo(signal: AbortSignal | undefined, onAbort: () => void): void {
  if (signal === undefined) return;
  setMaxListeners(0, signal);
  signal.addEventListener("abort", onAbort, { once: true });
}

/** A name with several addresses fails with one error for each of them, and no message of its own. */
function firstOf(error: Error): unknown {
  return error instanceof AggregateError ? (error.errors[0] as unknown) : error;
}

function isEmpty(answer: Answer): boolean {
  return answer.kind === "end" && answer.items.length === 0 && answer.stats.length === 0;
}

function brief(answer: Answer): string {
  return answer.kind === "end" ? "END" : answer.text.slice(0, 80);
}
