import type { Command, MalformedCommand, PutCommand } from "../command.js";
import type { Input } from "../input.js";
import { CR, LF } from "./ascii.js";
import type { BodyLine, PutLine } from "./line-parser.js";
import { malformed } from "./malformed.js";

/** A declared size up to this is believed; a larger body's buffer grows with what arrives. */
const BELIEVED_BYTES = 1024 * 1024;
const NOTHING = Buffer.alloc(0);
const TERMINATOR_BYTES = 2;

/**
 * Reads what follows a storage line: `bodyBytes` bytes of anything, then CR LF.
 *
 * A body that lies whole in one chunk, as nearly all do, is a slice of it. One that is cut is put together in a buffer of
 * exactly its size, each byte copied once; only above a mebibyte it is copied again as the buffer doubles, since a peer
 * that declares much and sends little must not cost memory. A body that nobody wants is not kept at all.
 */
export class BodyReader {
  readonly #line: BodyLine;
  #begun = false;
  /** Bytes of the body that are still to come. */
  #left: number;
  /** Bytes of the terminator that were read. */
  #terminated = 0;
  #bytes: Buffer = NOTHING;
  #filled = 0;

  constructor(line: BodyLine) {
    this.#line = line;
    this.#left = line.bodyBytes;
  }

  /** Bytes that are kept for a body in progress. */
  get bufferedBytes(): number {
    return this.#filled;
  }

  /** Consumes of the current chunk what belongs to the body; the command once it is whole, else null. */
  read(input: Input): Command | null {
    if (!this.#begun) {
      const command = readWholeBody(this.#line, input);
      if (command !== null) return command;
      this.#begun = true;
    }
    if (this.#left > 0) {
      this.#readBody(input);
      if (this.#left > 0) return null;
    }
    return this.#readTerminator(input);
  }

  #readBody(input: Input): void {
    const size = Math.min(this.#left, input.chunk.length - input.at);
    if (this.#line.kind === "put-line") this.#keep(input.chunk, input.at, size);
    input.at += size;
    this.#left -= size;
  }

  #keep(chunk: Buffer, at: number, size: number): void {
    const needed = this.#filled + size;
    if (needed > this.#bytes.length) this.#grow(needed);
    chunk.copy(this.#bytes, this.#filled, at, at + size);
    this.#filled = needed;
  }

  #grow(needed: number): void {
    const wanted = Math.max(needed, 2 * this.#bytes.length, BELIEVED_BYTES);
    const grown = Buffer.allocUnsafeSlow(Math.min(this.#line.bodyBytes, wanted));
    this.#bytes.copy(grown, 0, 0, this.#filled);
    this.#bytes = grown;
  }

  #readTerminator(input: Input): Command | null {
    while (this.#terminated < TERMINATOR_BYTES) {
      if (input.at === input.chunk.length) return null;
      const expected = this.#terminated === 0 ? CR : LF;
      if (input.chunk[input.at] !== expected) return badDataChunk(this.#line);
      input.at++;
      this.#terminated++;
    }
    return this.#line.kind === "put-line" ? putOf(this.#line, this.#bytes, true) : this.#line.outcome;
  }
}

/** The command of a body that lies whole in the current chunk, or null if it does not; then nothing is consumed. */
export function readWholeBody(line: BodyLine, input: Input): Command | null {
  const start = input.at;
  const end = start + line.bodyBytes;
  const { chunk } = input;
  if (end + TERMINATOR_BYTES > chunk.length) return null;
  input.at = end + TERMINATOR_BYTES;
  if (chunk[end] !== CR || chunk[end + 1] !== LF) return badDataChunk(line);
  return line.kind === "put-line" ? putOf(line, chunk.subarray(start, end), false) : line.outcome;
}

function putOf(line: PutLine, data: Buffer, ownsData: boolean): PutCommand {
  const { queue, flags, expiryKind, expiryMs, delayMs, noreply } = line;
  return { kind: "put", queue, flags, expiryKind, expiryMs, delayMs, data, ownsData, noreply };
}

// The client's count was wrong: the rest of what it sent would be read as commands.
function badDataChunk(line: BodyLine): MalformedCommand {
  return malformed("bad data chunk", { close: true, silent: line.noreply });
}
