import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** How long nothing may come while an answer is awaited. */
const SILENCE_MS = 60_000;
/** How much of a wrong answer is shown. */
const SHOWN = 60;

interface Expectation {
  readonly bytes: Buffer;
  readonly fulfil: () => void;
  readonly reject: (error: Error) => void;
}

/** A connection for commands whose answers are known to the byte before they come. The first that differs ends it. */
export class Exchange {
  readonly #socket: Socket;
  #expected: Expectation | null = null;
  #matched = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setTimeout(SILENCE_MS, () => socket.destroy(new Error(`no answer for ${SILENCE_MS / 1000} s`)));
    socket.on("data", (chunk: Buffer) => this.#compare(chunk));
    socket.on("error", (error) => this.#expected?.reject(error));
    socket.on("close", () => this.#expected?.reject(new Error("the server closed the connection")));
  }

  /** Connects to a server on this machine. */
  static async connect(port: number): Promise<Exchange> {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    return new Exchange(socket);
  }

  /** How many bytes of the latest answer came as they should. */
  get matched(): number {
    return this.#matched;
  }

  /** Sends commands and waits for their answer; rejected as soon as anything else comes. One at a time. */
  async send(commands: Buffer, answer: Buffer): Promise<void> {
    if (this.#socket.destroyed) throw new Error("the connection is closed");
    this.#matched = 0;
    this.#socket.write(commands);
    await new Promise<void>((fulfil, reject) => {
      this.#expected = { bytes: answer, fulfil, reject };
    });
  }

  /** Ends it so that whoever waits for an answer learns why. */
  interrupt(reason: Error): void {
    this.#socket.destroy(reason);
  }

  close(): void {
    this.#expected = null;
    this.#socket.destroy();
  }

  #compare(chunk: Buffer): void {
    const wanted = this.#expected?.bytes.subarray(this.#matched, this.#matched + chunk.length) ?? Buffer.alloc(0);
    if (!wanted.equals(chunk)) return this.#refuse(wanted, chunk);
    this.#matched += chunk.length;
    if (this.#matched < (this.#expected?.bytes.length ?? 0)) return;
    const { fulfil } = this.#expected as Expectation;
    this.#expected = null;
    fulfil();
  }

  #refuse(wanted: Buffer, chunk: Buffer): void {
    let same = 0;
    while (same < wanted.length && wanted[same] === chunk[same]) same += 1;
    this.#matched += same;
    const expected = this.#expected?.bytes.subarray(this.#matched) ?? Buffer.alloc(0);
    const [came, instead] = [chunk.subarray(same), expected].map((bytes) =>
      JSON.stringify(bytes.toString("latin1", 0, SHOWN)),
    );
    this.#socket.destroy(new Error(`${came} came instead of ${instead}`));
  }
}
