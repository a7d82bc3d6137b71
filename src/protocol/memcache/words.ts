import { isText, isTextInAnyCase, parseDecimal, SPACE } from "./ascii.js";

/** How many words are kept; those behind them are only counted. `cas` has seven. */
const KEPT = 7;
const NOTHING = Buffer.alloc(0);

/**
 * A line taken apart at its spaces, with neither a string nor an array made for it: one object that is filled anew for
 * each line. Words are asked for by their position; one that is not there is no text and no number.
 */
export class Words {
  /** How many words the line has. */
  count = 0;
  #bytes: Buffer = NOTHING;
  readonly #bounds = new Int32Array(2 * KEPT);
  #lastStart = 0;
  #lastEnd = 0;

  /** Takes apart the bytes from `start` to `end`, which stay the caller's. */
  read(bytes: Buffer, start: number, end: number): void {
    this.#bytes = bytes;
    this.count = 0;
    let at = start;
    while (at < end) {
      if (bytes[at] === SPACE) {
        at++;
        continue;
      }
      const from = at;
      while (at < end && bytes[at] !== SPACE) at++;
      this.#add(from, at);
    }
  }

  /** The bytes that the words stand in. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Where word `n` begins in `bytes`. */
  start(n: number): number {
    return this.#bounds[2 * n]!;
  }

  /** Where word `n` ends in `bytes`. */
  end(n: number): number {
    return this.#bounds[2 * n + 1]!;
  }

  /** Whether word `n` is `text`. */
  is(n: number, text: string): boolean {
    return n < this.count && isText(this.#bytes, this.start(n), this.end(n), text);
  }

  /** Whether the first word is `verb`, which is in lower case, in any mixture of cases. */
  isVerb(verb: string): boolean {
    return this.count > 0 && isTextInAnyCase(this.#bytes, this.start(0), this.end(0), verb);
  }

  /** Word `n` as a decimal number, or NaN. */
  decimal(n: number): number {
    return n < this.count ? parseDecimal(this.#bytes, this.start(n), this.end(n)) : Number.NaN;
  }

  /** Word `n` as a text, one character a byte; empty if there is none. */
  text(n: number): string {
    return n < this.count ? this.#bytes.toString("latin1", this.start(n), this.end(n)) : "";
  }

  /** All words from `n` on as texts; `n` is one of those that are kept. */
  textsFrom(n: number): readonly string[] {
    if (n >= this.count) return [];
    return this.#bytes
      .toString("latin1", this.start(n), this.#lastEnd)
      .split(" ")
      .filter((word) => word !== "");
  }

  /** Whether the last of several words is `text`. */
  endWith(text: string): boolean {
    return this.count > 1 && isText(this.#bytes, this.#lastStart, this.#lastEnd, text);
  }

  /** Whether the last of several words is `HTTP/1.` and a digit, which ends the first line of every HTTP request. */
  endLikeHttp(): boolean {
    const digit = this.#lastEnd - 1;
    if (this.count < 2 || !isText(this.#bytes, this.#lastStart, digit, "HTTP/1.")) return false;
    return !Number.isNaN(parseDecimal(this.#bytes, digit, this.#lastEnd));
  }

  #add(from: number, to: number): void {
    if (this.count < KEPT) {
      this.#bounds[2 * this.count] = from;
      this.#bounds[2 * this.count + 1] = to;
    }
    this.#lastStart = from;
    this.#lastEnd = to;
    this.count++;
  }
}
