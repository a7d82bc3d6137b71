import type { Command } from "../command.js";
import { Input } from "../input.js";
import { CR, LF } from "./ascii.js";
import { BodyReader, readWholeBody } from "./body-reader.js";
import type { BodyLine, LineParser } from "./line-parser.js";
import { BINARY_PROTOCOL, LINE_TOO_LONG } from "./malformed.js";
import { PartialLine } from "./partial-line.js";

/** The longest line, its CR included and its LF not. */
export const MAX_LINE_BYTES = 8 * 1024;
/** The first byte of every request of memcache's binary protocol. It has no lines, so we would wait for ever. */
const BINARY_MAGIC = 0x80;

/**
 * One connection's bytes to commands, cut anywhere:
 *
 *     stream  = *( line [CR] LF [ body CR LF ] )
 *
 * It is always in one of three states. *Line*: it looks for the LF; what has no LF yet is copied aside, at most
 * `MAX_LINE_BYTES` of it. A storage line leads to *body*, which ends with the body and leads back. A line or body that
 * leaves it open where the next command begins leads to *over*, for good: what comes after it is thrown away.
 */
export class Decoder {
  readonly #parser: LineParser;
  readonly #input = new Input();
  #partialLine: PartialLine | null = null;
  #body: BodyReader | null = null;
  #over = false;

  /** The parser may serve other decoders too. */
  constructor(parser: LineParser) {
    this.#parser = parser;
  }

  /** Takes a chunk over, slices of which are kept until they are consumed. */
  feed(chunk: Buffer): void {
    if (!this.#over) this.#input.feed(chunk);
  }

  /** The next whole command, or null until more is fed. */
  next(): Command | null {
    while (this.#input.refill()) {
      const command = this.#body === null ? this.#readLine() : this.#readBody(this.#body);
      if (command === null) continue;
      if (command.kind === "malformed" && command.close) this.#end();
      return command;
    }
    return null;
  }

  /** Bytes that were fed and are not consumed yet. */
  get bufferedBytes(): number {
    return this.#input.length + (this.#partialLine?.length ?? 0) + (this.#body?.bufferedBytes ?? 0);
  }

  #readLine(): Command | null {
    const input = this.#input;
    const { chunk, at } = input;
    if (this.#partialLine === null && chunk[at] === BINARY_MAGIC) return BINARY_PROTOCOL;
    const lf = chunk.indexOf(LF, at);
    if (lf === -1 || this.#partialLine !== null) return this.#readLineInPieces(lf);
    if (lf - at > MAX_LINE_BYTES) return LINE_TOO_LONG;
    input.at = lf + 1;
    return this.#parse(chunk, at, lf);
  }

  #readLineInPieces(lf: number): Command | null {
    const input = this.#input;
    const line = this.#partialLine ?? new PartialLine();
    const end = lf === -1 ? input.chunk.length : lf;
    if (line.length + end - input.at > MAX_LINE_BYTES) return LINE_TOO_LONG;
    line.append(input.chunk, input.at, end);
    input.at = lf === -1 ? end : lf + 1;
    this.#partialLine = lf === -1 ? line : null;
    return lf === -1 ? null : this.#parse(line.bytes, 0, line.length);
  }

  #parse(bytes: Buffer, start: number, lf: number): Command | null {
    const end = lf > start && bytes[lf - 1] === CR ? lf - 1 : lf;
    const parsed = this.#parser.parse(bytes, start, end);
    return parsed.kind === "put-line" || parsed.kind === "swallow-line" ? this.#beginBody(parsed) : parsed;
  }

  #beginBody(line: BodyLine): Command | null {
    const command = readWholeBody(line, this.#input);
    if (command === null) this.#body = new BodyReader(line);
    return command;
  }

  #readBody(body: BodyReader): Command | null {
    const command = body.read(this.#input);
    if (command !== null) this.#body = null;
    return command;
  }

  #end(): void {
    this.#over = true;
    this.#partialLine = null;
    this.#body = null;
    this.#input.clear();
  }
}
