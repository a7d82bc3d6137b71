import { WindhoverError } from "../errors.js";

/** An item as a server handed it out. */
export interface ReceivedItem {
  /** The bytes as they were put; a buffer of its own. */
  readonly data: Buffer;
  /** The flags that the server shows: Kestrel and windhover show 0 unless told otherwise. */
  readonly flags: number;
}

/** One whole answer of a server to one request. */
export type Answer =
  /** `END`, with the items or the statistics that came before it. */
  | {
      readonly kind: "end";
      readonly items: readonly ReceivedItem[];
      readonly stats: readonly (readonly [string, string])[];
    }
  /** Any other line: `STORED`, `DELETED`, `VERSION 1.2.3` and their like. */
  | { readonly kind: "line"; readonly text: string }
  /** `ERROR`, `CLIENT_ERROR` or `SERVER_ERROR`, with its reason. */
  | { readonly kind: "refusal"; readonly text: string };

/** No server sends a longer item: the ceiling of windhover's `max_request_bytes`. */
const MAX_ITEM_BYTES = 512 * 1024 * 1024;
/** Long enough for the `children` line of a queue with thousands of them. */
const MAX_LINE_BYTES = 1024 * 1024;
const LF = 0x0a;
const CR = 0x0d;
const NOTHING = Buffer.alloc(0);
const BARE_END: Answer = { kind: "end", items: [], stats: [] };
// A CAS token or a delivery id may follow the length. Not \S: that would take the byte 0xa0 in a name for a space.
const VALUE_LINE = /^VALUE [^ ]+ (\d{1,10}) (\d{1,9})(?: [^ ]+)*$/;
const STAT_LINE = /^STAT ([^ ]+) ?(.*)$/;

interface Body {
  readonly bytes: Buffer;
  readonly flags: number;
  filled: number;
}

/**
 * A server's bytes to answers, cut anywhere. It knows no socket and no request.
 *
 *   answer = *( "VALUE" SP key SP flags SP length [SP token] CRLF <length bytes> CRLF ) "END" CRLF
 *          / *( "STAT" SP name SP value CRLF ) "END" CRLF
 *          / line CRLF
 *
 * Item data is taken by its length, never looked into: an item may hold `END` or any other word of the protocol. Pulled
 * like a server's codec: feed a chunk, then take answers until there is none. It throws WH_CLIENT_PROTOCOL at the first
 * byte that cannot be; from there on the stream is out of step and the decoder of no use.
 */
export class ReplyDecoder {
  #chunk: Buffer = NOTHING;
  #at = 0;
  #lineStart: Buffer[] = [];
  #lineStartBytes = 0;
  #body: Body | null = null;
  #items: ReceivedItem[] = [];
  #stats: (readonly [string, string])[] = [];

  /** Takes a chunk over; the one before must have been used up by `next`. */
  feed(chunk: Buffer): void {
    this.#chunk = chunk;
    this.#at = 0;
  }

  /** The next whole answer, or null until more is fed. */
  next(): Answer | null {
    for (;;) {
      if (this.#body !== null && !this.#fillBody(this.#body)) return null;
      const line = this.#takeLine();
      if (line === null) return null;
      const answer = this.#read(line);
      if (answer !== null) return answer;
    }
  }

  #fillBody(body: Body): boolean {
    const { bytes } = body;
    const copied = this.#chunk.copy(bytes, body.filled, this.#at);
    body.filled += copied;
    this.#at += copied;
    if (body.filled < bytes.length) return false;
    const length = bytes.length - 2;
    if (bytes[length] !== CR || bytes[length + 1] !== LF) throw outOfStep("an item is longer than the server said");
    this.#items.push({ data: bytes.subarray(0, length), flags: body.flags });
    this.#body = null;
    return true;
  }

  #takeLine(): string | null {
    const end = this.#chunk.indexOf(LF, this.#at);
    const piece = this.#chunk.subarray(this.#at, end === -1 ? undefined : end);
    if (this.#lineStartBytes + piece.length > MAX_LINE_BYTES) throw outOfStep("an endless line");
    this.#at += end === -1 ? piece.length : piece.length + 1;
    if (end === -1) {
      if (piece.length > 0) this.#lineStart.push(piece);
      this.#lineStartBytes += piece.length;
      return null;
    }
    const line = this.#lineStart.length === 0 ? piece : Buffer.concat([...this.#lineStart, piece]);
    this.#lineStart = [];
    this.#lineStartBytes = 0;
    return line.toString("latin1", 0, line[line.length - 1] === CR ? line.length - 1 : line.length);
  }

  #read(line: string): Answer | null {
    if (line === "END") return this.#end();
    if (line.startsWith("VALUE ") && this.#stats.length === 0) return this.#beginBody(line);
    if (line.startsWith("STAT ") && this.#items.length === 0) return this.#addStat(line);
    if (this.#items.length > 0 || this.#stats.length > 0) throw outOfStep(`${quote(line)} instead of END`);
    if (/^(?:CLIENT_|SERVER_)?ERROR(?: |$)/.test(line)) return { kind: "refusal", text: line };
    return { kind: "line", text: line };
  }

  #end(): Answer {
    if (this.#items.length === 0 && this.#stats.length === 0) return BARE_END;
    const answer: Answer = { kind: "end", items: this.#items, stats: this.#stats };
    this.#items = [];
    this.#stats = [];
    return answer;
  }

  #beginBody(line: string): null {
    const [, flags, length] = VALUE_LINE.exec(line) ?? [];
    if (length === undefined || Number(length) > MAX_ITEM_BYTES) throw outOfStep(quote(line));
    this.#body = { bytes: Buffer.allocUnsafe(Number(length) + 2), flags: Number(flags), filled: 0 };
    return null;
  }

  #addStat(line: string): null {
    const [, name, value] = STAT_LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) throw outOfStep(quote(line));
    this.#stats.push([name, value]);
    return null;
  }
}

function outOfStep(what: string): WindhoverError {
  return new WindhoverError("WH_CLIENT_PROTOCOL", `the server does not speak Kestrel's protocol: ${what}`);
}

function quote(line: string): string {
  return JSON.stringify(line.length > 80 ? `${line.slice(0, 80)}…` : line);
}
