import type { Writable } from "node:stream";
import { Failure } from "./surroundings.js";

const NEWLINE = Buffer.from("\n");

/**
 * Standard output, whose reader may go away at any time (`windhover stats | head -1`). That is a failure of the write and
 * not an event without an owner, so that a reliable get can leave its item unconfirmed.
 */
export class Output {
  readonly #stream: Writable;

  constructor(stream: Writable) {
    this.#stream = stream;
    // The same failure reaches the write's callback; unheard as an event it would end the process.
    stream.on("error", () => {});
  }

  /** Fulfilled when the bytes have left this process. */
  write(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#stream.write(bytes, (error) => {
        if (error) reject(new Failure("standard output is closed", { cause: error }));
        else resolve();
      });
    });
  }

  /** Writes an item's bytes as they are, with a newline behind them unless `raw`. */
  writeItem(data: Buffer, raw: boolean): Promise<void> {
    return this.write(raw ? data : Buffer.concat([data, NEWLINE]));
  }
}
