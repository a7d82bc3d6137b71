import type { Socket } from "node:net";
import { ByteBuffer } from "../protocol/byte-buffer.js";
import type { ServerCounters } from "../stats/server-counters.js";

/**
 * One socket's way out: what waits to be written, and whether the client reads.
 *
 * `free`; `blocked` as long as the system has not taken all of the last write, because the client does not read: nothing
 * more is written then; `free` again when it has. A socket that broke stays blocked. In both states more may be put in.
 */
export class Outbox {
  /** What waits to be written. */
  readonly bytes = new ByteBuffer();
  readonly #socket: Socket;
  readonly #counters: ServerCounters;
  readonly #onFree: () => void;
  #isBlocked = false;

  /** `onFree` is called when it is free again and nothing waits. */
  constructor(socket: Socket, counters: ServerCounters, onFree: () => void) {
    this.#socket = socket;
    this.#counters = counters;
    this.#onFree = onFree;
  }

  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  /** Writes what waits, unless it is blocked. */
  flush(): void {
    if (this.#isBlocked || this.bytes.length === 0) return;
    this.#write();
    // A broken socket counts as written: its end is told soon.
    this.#isBlocked = this.#socket.writableLength > 0 || this.#socket.errored !== null;
    if (this.#isBlocked) this.bytes.abandon();
    else this.bytes.reuse();
  }

  /** Writes what waits, even if it is blocked, and after it the end. */
  end(): void {
    this.#write();
    this.bytes.abandon();
    this.#socket.end();
  }

  #write(): void {
    this.#counters.bytesWritten += this.bytes.length;
    const pieces = this.bytes.drain();
    const last = pieces.length - 1;
    if (last > 0) this.#socket.cork();
    for (let i = 0; i < last; i++) this.#socket.write(pieces[i] as Buffer);
    if (last >= 0) this.#socket.write(pieces[last] as Buffer, this.#written);
    if (last > 0) this.#socket.uncork();
  }

  // Called after each write; only where the system did not take all of it at once is there something to do. A write that
  // failed is told here before the socket counts as destroyed.
  readonly #written = (error?: Error | null): void => {
    if (!this.#isBlocked || error != null || this.#socket.writableLength > 0 || this.#socket.destroyed) return;
    this.#isBlocked = false;
    this.flush();
    if (!this.#isBlocked) this.#onFree();
  };
}
