import { type Clock, SystemClock } from "../clock.js";
import { WindhoverError } from "../errors.js";
import type { ByteBuffer } from "../protocol/byte-buffer.js";
import { buildKey, type KeyOptions } from "../protocol/memcache/key-options.js";
import { Connection, type ServerAddress } from "./connection.js";
import type { Answer, ReceivedItem } from "./reply-decoder.js";

export { type ErrorCode, WindhoverError } from "../errors.js";
export type { ReceivedItem } from "./reply-decoder.js";

export interface ClientOptions {
  /** Default 127.0.0.1. */
  readonly host?: string | undefined;
  /** Default 22133. */
  readonly port?: number | undefined;
  /** How long the server may take to accept a connection, in milliseconds; default 5000. */
  readonly connectTimeoutMs?: number | undefined;
  /** How long the server may take to answer, in milliseconds, on top of what a fetch waits for an item; default 5000. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** What every call takes. */
export interface CallOptions {
  /** Ends the call early. The connection ends with it, and with the connection its open reads. */
  readonly signal?: AbortSignal | undefined;
  /** This call's own `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
}

export interface FetchOptions extends CallOptions {
  /** How long the server may hold the fetch until there is an item, in milliseconds; default 0, not at all. */
  readonly waitMs?: number | undefined;
}

/** An item that the server has set aside for this client, until it is confirmed or aborted or the connection ends. */
export interface OpenRead extends ReceivedItem {
  readonly queue: string;
}

/** The connection on which a queue has a read open, or (`read` null) being opened. */
interface Holder {
  readonly connection: Connection;
  read: OpenRead | null;
}

/**
 * A client of one Kestrel server, over one connection. It connects at the first call, and anew at the first call after
 * the connection broke; a call that fails is not repeated.
 *
 * A queue that is *empty* is a value: get, peek and open answer null. A server that is *down* is an error: WH_CLIENT_DOWN
 * (not reachable, or the connection broke), WH_CLIENT_TIMEOUT (it did not answer in time), WH_CLIENT_PROTOCOL (it is no
 * Kestrel server). WH_SERVER_REFUSED is a server that answered no; WH_USAGE is a call that cannot be meant.
 *
 * Calls are pipelined on the one connection, so a fetch that waits holds up the calls behind it: whoever waits long and
 * puts meanwhile has two clients. A put or a fetch that failed with *down* may have happened or not.
 */
export class Client {
  readonly #address: ServerAddress;
  readonly #connectTimeoutMs: number;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  readonly #holders = new Map<string, Holder>();
  #connection: Connection | undefined;

  constructor(options: ClientOptions = {}) {
    this.#address = { host: options.host ?? "127.0.0.1", port: options.port ?? 22133 };
    this.#connectTimeoutMs = options.connectTimeoutMs ?? 5000;
    this.#timeoutMs = options.timeoutMs ?? 5000;
    this.#clock = options.clock ?? new SystemClock();
  }

  /** Puts an item at the end of the queue. `data` must not change until then. Full, or the item too large: refused. */
  async put(queue: string, data: string | Uint8Array, options: CallOptions = {}): Promise<void> {
    const name = wireName(queue);
    const bytes = asBuffer(data);
    const answer = await this.#ask((out) => writeSet(out, name, bytes), options);
    if (isLine(answer, "NOT_STORED")) {
      throw new WindhoverError(
        "WH_SERVER_REFUSED",
        "the server did not store the item: the queue is full or the item too large",
      );
    }
    this.#expectLine(answer, "STORED");
  }

  /** Takes the head of the queue; null when there is none in the given time. */
  async get(queue: string, options: FetchOptions = {}): Promise<ReceivedItem | null> {
    return this.#expectItem(await this.#fetch(this.#current(), queue, {}, options));
  }

  /** Looks at the head of the queue and leaves it there; null when there is none in the given time. */
  async peek(queue: string, options: FetchOptions = {}): Promise<ReceivedItem | null> {
    return this.#expectItem(await this.#fetch(this.#current(), queue, { peek: true }, options));
  }

  /**
   * Takes the head of the queue as an open read: when the connection ends before it is confirmed, the item goes back to
   * the head. One read of a queue at a time. Null when there is no item in the given time.
   */
  async open(queue: string, options: FetchOptions = {}): Promise<OpenRead | null> {
    const holder = this.#reserve(queue);
    try {
      const item = this.#expectItem(await this.#fetch(holder.connection, queue, { open: true }, options));
      // An abort ends the connection, so an item that came in spite of it is back in its queue.
      if (!holder.connection.usable) options.signal?.throwIfAborted();
      if (item !== null) holder.read = { queue, ...item };
      return holder.read;
    } finally {
      if (holder.read === null) this.#release(queue, holder);
    }
  }

  /** Says that the item of an open read is dealt with. With *down*, it may be delivered again. */
  async confirm(read: OpenRead, options: CallOptions = {}): Promise<void> {
    await this.#close(read, { close: true }, options);
  }

  /** Gives the item of an open read back to the head of its queue. */
  async abort(read: OpenRead, options: CallOptions = {}): Promise<void> {
    await this.#close(read, { abort: true }, options);
  }

  /** Deletes the queue with its items, existing or not. */
  async delete(queue: string, options: CallOptions = {}): Promise<void> {
    const name = wireName(queue);
    this.#expectLine(await this.#ask((out) => out.appendLatin1(`delete ${name}\r\n`), options), "DELETED");
  }

  /** Removes all items of the queue, but for those of open reads. */
  async flush(queue: string, options: CallOptions = {}): Promise<void> {
    const name = wireName(queue);
    this.#expectEnd(await this.#ask((out) => out.appendLatin1(`flush ${name}\r\n`), options));
  }

  /** The server's statistics by name, in the order in which it gives them. */
  async stats(options: CallOptions = {}): Promise<ReadonlyMap<string, string>> {
    const answer = this.#expectEnd(await this.#ask((out) => out.appendLatin1("stats\r\n"), options));
    return new Map(answer.stats.map(([name, value]) => [fromWire(name), fromWire(value)]));
  }

  /** The server's version. */
  async version(options: CallOptions = {}): Promise<string> {
    const answer = await this.#ask((out) => out.appendLatin1("version\r\n"), options);
    if (answer.kind === "line" && answer.text.startsWith("VERSION ")) return answer.text.slice("VERSION ".length);
    throw this.#outOfStep(answer);
  }

  /** Ends the connection; the server puts the items of open reads back. May be called twice. */
  async close(): Promise<void> {
    await this.#connection?.end();
  }

  #current(): Connection {
    if (this.#connection?.usable === true) return this.#connection;
    this.#connection = new Connection(this.#address, { connectTimeoutMs: this.#connectTimeoutMs, clock: this.#clock });
    return this.#connection;
  }

  #fetch(connection: Connection, queue: string, key: KeyOptions, options: FetchOptions): Promise<Answer> {
    const waitMs = options.waitMs ?? 0;
    const wireKey = buildKey(wireName(queue), { ...key, waitMs });
    const timeoutMs = (options.timeoutMs ?? this.#timeoutMs) + waitMs;
    return this.#askOn(connection, (out) => out.appendLatin1(`get ${wireKey}\r\n`), { ...options, timeoutMs });
  }

  #ask(write: (out: ByteBuffer) => void, options: CallOptions): Promise<Answer> {
    return this.#askOn(this.#current(), write, options);
  }

  async #askOn(connection: Connection, write: (out: ByteBuffer) => void, options: CallOptions): Promise<Answer> {
    const timeoutMs = options.timeoutMs ?? this.#timeoutMs;
    const answer = await connection.request({ write, timeoutMs, signal: options.signal });
    if (answer.kind !== "refusal") return answer;
    throw new WindhoverError("WH_SERVER_REFUSED", `the server refused: ${fromWire(answer.text)}`);
  }

  #reserve(queue: string): Holder {
    const before = this.#holders.get(queue);
    if (before?.connection.usable === true) {
      throw new WindhoverError("WH_USAGE", `a read of ${queue} is open already: confirm or abort it first`);
    }
    const holder: Holder = { connection: this.#current(), read: null };
    this.#holders.set(queue, holder);
    return holder;
  }

  #release(queue: string, holder: Holder): void {
    if (this.#holders.get(queue) === holder) this.#holders.delete(queue);
  }

  // A close that is sent on another connection than the open confirms nothing, and the server says nothing about it.
  async #close(read: OpenRead, key: KeyOptions, options: CallOptions): Promise<void> {
    const holder = this.#holders.get(read.queue);
    if (holder?.read !== read) throw new WindhoverError("WH_USAGE", `this read of ${read.queue} is not open any more`);
    this.#release(read.queue, holder);
    this.#expectEnd(await this.#fetch(holder.connection, read.queue, key, options));
  }

  #expectLine(answer: Answer, text: string): void {
    if (!isLine(answer, text)) throw this.#outOfStep(answer);
  }

  #expectEnd(answer: Answer): Answer & { readonly kind: "end" } {
    if (answer.kind !== "end" || answer.items.length > 0) throw this.#outOfStep(answer);
    return answer;
  }

  #expectItem(answer: Answer): ReceivedItem | null {
    if (answer.kind !== "end" || answer.stats.length > 0 || answer.items.length > 1) throw this.#outOfStep(answer);
    return answer.items[0] ?? null;
  }

  /** An answer of another kind means that answers and requests no longer belong together. */
  #outOfStep(answer: Answer): WindhoverError {
    const got = answer.kind === "end" ? "END" : JSON.stringify(answer.text.slice(0, 80));
    const error = new WindhoverError(
      "WH_CLIENT_PROTOCOL",
      `the server does not speak Kestrel's protocol: unexpected ${got}`,
    );
    this.#connection?.destroy(error);
    return error;
  }
}

function writeSet(out: ByteBuffer, name: string, data: Buffer): void {
  out.appendLatin1(`set ${name} 0 0 ${data.length}\r\n`);
  out.append(data);
  out.appendLatin1("\r\n");
}

function isLine(answer: Answer, text: string): boolean {
  return answer.kind === "line" && answer.text === text;
}

function asBuffer(data: string | Uint8Array): Buffer {
  if (typeof data === "string") return Buffer.from(data, "utf8");
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

// What would break out of the line, or be taken for an option. The server refuses what else is illegal.
const UNSENDABLE = /[\x00-\x20\x7f/]/;

/** A queue's name as it travels: UTF-8, in a string with one character for each byte. */
function wireName(queue: string): string {
  if (queue === "" || UNSENDABLE.test(queue))
    throw new WindhoverError("WH_USAGE", `not a queue name: ${JSON.stringify(queue)}`);
  return Buffer.from(queue, "utf8").toString("latin1");
}

function fromWire(text: string): string {
  return Buffer.from(text, "latin1").toString("utf8");
}
