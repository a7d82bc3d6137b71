import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type Answer, ReplyDecoder } from "../../src/client/reply-decoder.js";

/** A connection that asks and hands each answer to whoever asked, in order; after its end the rest get null. */
export class Wire {
  readonly #socket: Socket;
  readonly #decoder = new ReplyDecoder();
  readonly #asked: ((answer: Answer | null, atMs: number) => void)[] = [];
  #over = false;
  /** Settled when the connection is closed and everything that came on it has been read. */
  readonly closed: Promise<void>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", () => {});
    this.closed = new Promise((resolve) => {
      socket.once("close", () => {
        this.#end();
        resolve();
      });
    });
  }

  /** Null when nobody listens: the server was killed meanwhile. */
  static async connect(port: number): Promise<Wire | null> {
    const socket = connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
      return new Wire(socket);
    } catch {
      return null;
    }
  }

  get isOver(): boolean {
    return this.#over;
  }

  /** Sends a request; its answer is handed over in the moment in which it was read. */
  ask(request: string | Buffer | readonly Buffer[], answered: (answer: Answer | null, atMs: number) => void): void {
    if (this.#over) return answered(null, 0);
    this.#asked.push(answered);
    if (typeof request === "string" || Buffer.isBuffer(request)) this.#socket.write(request);
    else for (const piece of request) this.#socket.write(piece);
  }

  /** The same with a promise. */
  exchange(request: string): Promise<Answer | null> {
    return new Promise((resolve) => this.ask(request, (answer) => resolve(answer)));
  }

  /** Goes away without a word. What is unanswered stays so. */
  destroy(): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    const now = performance.now();
    this.#decoder.feed(chunk);
    for (let answer = this.#decoder.next(); answer !== null; answer = this.#decoder.next()) {
      this.#asked.shift()?.(answer, now);
    }
  }

  #end(): void {
    this.#over = true;
    for (const answered of this.#asked.splice(0)) answered(null, 0);
  }
}
