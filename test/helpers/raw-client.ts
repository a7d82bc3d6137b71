import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import { bytes, show } from "./wire.js";
import { PATIENCE_MS, until, within } from "./within.js";

type State = "open" | "ended" | "reset" | "gone";

/**
 * A client that knows bytes only. What it expects must come next and exactly; nothing is skipped, and whoever closes it
 * with bytes left over is told. Its socket is half-open: the test decides when its own end goes.
 */
export class RawClient {
  readonly #socket: Socket;
  readonly #port: number;
  #chunks: Buffer[] = [];
  #length = 0;
  #state: State = "open";
  #wake: () => void = () => {};

  private constructor(socket: Socket, port: number) {
    this.#socket = socket;
    this.#port = port;
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("end", () => this.#become("ended"));
    socket.on("error", () => this.#become("reset"));
    socket.on("close", () => this.#become("reset"));
  }

  /** Connects to a port of this machine. */
  static async connect(port: number): Promise<RawClient> {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    await within(once(socket, "connect"), `a connection to port ${port}`);
    return new RawClient(socket, port);
  }

  /** Bytes that came and were not expected yet. */
  get unread(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /** Whether the socket is gone, with nobody's help. */
  get closed(): boolean {
    return this.#socket.destroyed;
  }

  /** Sends bytes; done when the system has them. */
  async send(data: string | Buffer): Promise<void> {
    const written = new Promise<void>((resolve, reject) => {
      this.#socket.write(bytes(data), (error) => (error ? reject(error) : resolve()));
    });
    await within(written, `sending ${show(bytes(data))}`);
  }

  /** Sends bytes and does not wait: for a peer that may hang up meanwhile or does not read. */
  push(data: string | Buffer): void {
    this.#socket.write(bytes(data), () => {});
  }

  /** The next bytes are exactly these. */
  async expect(data: string | Buffer, limitMs?: number): Promise<void> {
    const wanted = bytes(data);
    for (let at = 0; at < wanted.length; ) {
      await this.#some(`expecting ${show(wanted.subarray(at))}`, limitMs);
      at += this.#match(wanted, at);
    }
  }

  /** The next line, its end included, is like `pattern`. */
  async expectLine(pattern: RegExp, limitMs?: number): Promise<string> {
    const line = await this.line(limitMs);
    if (!pattern.test(line)) throw new Error(`expected a line like ${pattern}, got ${JSON.stringify(line)}`);
    return line;
  }

  /** The next line, its end included. */
  async line(limitMs?: number): Promise<string> {
    const pieces: Buffer[] = [];
    for (;;) {
      await this.#some(`expecting a line after ${show(Buffer.concat(pieces))}`, limitMs);
      const chunk = this.#chunks[0] as Buffer;
      const end = chunk.indexOf(10) + 1;
      pieces.push(this.#take(end === 0 ? chunk.length : end));
      if (end > 0) return Buffer.concat(pieces).toString("latin1");
    }
  }

  /** Takes the next `size` bytes, whatever they are. */
  async take(size: number, limitMs?: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let left = size; left > 0; ) {
      await this.#some(`expecting ${left} more bytes`, limitMs);
      const piece = this.#take(Math.min(left, (this.#chunks[0] as Buffer).length));
      pieces.push(piece);
      left -= piece.length;
    }
    return Buffer.concat(pieces);
  }

  /** The server hangs up now, with nothing more to say. */
  async expectClose(limitMs: number = PATIENCE_MS): Promise<void> {
    const deadline = performance.now() + limitMs;
    while (this.#state === "open" && this.#length === 0) await this.#change("expecting the end", deadline);
    if (this.#length > 0) throw new Error(`expected the end, got ${show(this.unread)}`);
    this.#socket.destroy();
  }

  /** The server has nothing to say: what it could have answered by now would have come before another client's answer. */
  async expectSilence(): Promise<void> {
    const witness = await RawClient.connect(this.#port);
    await witness.send("version\r\n");
    await witness.line();
    witness.destroy();
    await nextTurn();
    await nextTurn();
    if (this.#length > 0) throw new Error(`expected silence, got ${show(this.unread)}`);
    if (this.#state !== "open") throw new Error("expected silence, got the end of the connection");
  }

  /** Asks for the statistics. */
  async stats(): Promise<Map<string, string>> {
    await this.send("stats\r\n");
    const figures = new Map<string, string>();
    for (let line = await this.line(); line !== "END\r\n"; line = await this.line()) {
      const parts = /^STAT (\S+) (.*)\r\n$/.exec(line);
      if (parts === null) throw new Error(`not a line of statistics: ${JSON.stringify(line)}`);
      figures.set(parts[1] as string, parts[2] as string);
    }
    return figures;
  }

  /** One figure of a queue; undefined when there is no such queue. */
  async stat(queue: string, figure: string): Promise<number | undefined> {
    const text = (await this.stats()).get(`queue_${queue}_${figure}`);
    return text === undefined ? undefined : Number(text);
  }

  /** Waits until a figure of a queue is `wanted`. */
  untilStat(queue: string, figure: string, wanted: number): Promise<void> {
    return until(`${figure} of ${queue} being ${wanted}`, async () => (await this.stat(queue, figure)) === wanted);
  }

  /** Sends the end of its own side and keeps listening. */
  halfClose(): void {
    this.#socket.end();
  }

  /** Goes away as a crashed peer does, with RST. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  /** Goes away. */
  destroy(): void {
    this.#socket.destroy();
  }

  /** Stops reading, so that the server's replies pile up. */
  pause(): void {
    this.#socket.pause();
  }

  /** Reads on. */
  resume(): void {
    this.#socket.resume();
  }

  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    this.#wake();
  }

  #become(state: State): void {
    if (this.#state === "open") this.#state = state;
    this.#wake();
  }

  // Consumes as much of the first chunk as `wanted` goes on from `at`; says how much that was.
  #match(wanted: Buffer, at: number): number {
    const chunk = this.#chunks[0] as Buffer;
    const size = Math.min(chunk.length, wanted.length - at);
    if (!chunk.subarray(0, size).equals(wanted.subarray(at, at + size))) {
      throw new Error(`expected ${show(wanted.subarray(at))}, got ${show(this.unread)} (after ${at} right bytes)`);
    }
    this.#take(size);
    return size;
  }

  #take(size: number): Buffer {
    const chunk = this.#chunks[0] as Buffer;
    if (size === chunk.length) this.#chunks.shift();
    else this.#chunks[0] = chunk.subarray(size);
    this.#length -= size;
    return chunk.subarray(0, size);
  }

  async #some(what: string, limitMs: number = PATIENCE_MS): Promise<void> {
    const deadline = performance.now() + limitMs;
    while (this.#length === 0) {
      if (this.#state !== "open") throw new Error(`${what}: the connection is closed (${this.#state})`);
      await this.#change(what, deadline);
    }
  }

  #change(what: string, deadline: number): Promise<void> {
    const changed = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    return within(changed, what, Math.max(1, deadline - performance.now()));
  }
}
