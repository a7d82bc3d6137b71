import { MAX_TIMER_MS } from "../../clock.js";
import type { FetchExtras } from "../command.js";
import { isText, parseDecimal } from "./ascii.js";

/**
 * What a fetch asks for besides the queue. Kestrel's clients write it behind the queue's name, as in
 * `jobs/t=250/close/open`:
 *
 *     key    = name *( "/" [option] )
 *     option = "t=" decimal / "open" / "close" / "abort" / "peek"
 *            / "n=" decimal                    with open or peek: so many items
 *            / "id"                            with open: tell the delivery id
 *            / "close=" id / "abort=" id       instead of close or abort, as often as there are ids
 *            / "delay=" decimal                with abort: back to the end of the line, so much later
 *            / "at=" decimal                   with peek: the item so far behind the head
 *
 * Those from `n=` on are windhover's own. Options come in any order, of several `t=` the last counts, and an empty option (a
 * trailing or doubled slash) is none. `peek` and `abort` do not go with `open`, `close` or each other; a peek of several
 * items, or behind the head, does not wait.
 */
export interface KeyOptions {
  /** How long to wait for an item, in milliseconds; 0 is not at all. */
  readonly waitMs?: number;
  /** Confirm the oldest open read first, or those in `ids`. */
  readonly close?: boolean;
  /** Set the item aside until it is confirmed. */
  readonly open?: boolean;
  /** Give the oldest open read back, or those in `ids`, and fetch nothing. */
  readonly abort?: boolean;
  /** Look at the head and leave it there. */
  readonly peek?: boolean;
  /** With `open` or `peek`: up to so many items. */
  readonly count?: number;
  /** With `peek`: the item that stands so far behind the head. */
  readonly at?: number;
  /** With `open`: ask for the delivery id. */
  readonly withId?: boolean;
  /** With `close` or `abort`: the deliveries that are meant. */
  readonly ids?: readonly bigint[];
  /** With `abort`: the items come back so many milliseconds later, at the end of the line. */
  readonly delayMs?: number;
}

/** A key taken apart. */
export interface ParsedKey {
  /** The queue's name, one character for each byte; whether it is a legal one is not looked at here. */
  readonly queue: string;
  readonly waitMs: number;
  readonly close: boolean;
  readonly open: boolean;
  readonly abort: boolean;
  readonly peek: boolean;
  /** What is asked for beyond Kestrel's options, or null. */
  readonly extras: FetchExtras | null;
  /** An option that means nothing and was let through; null is none. */
  readonly ignoredOption: string | null;
}

/** Why a key cannot be served. */
export interface KeyFault {
  readonly fault: string;
  /** The client cannot mean what it says: better to hang up than to let it go on. */
  readonly close: boolean;
}

/** The longest delay, ten years: beyond it a moment would lose its milliseconds sooner or later. */
export const MAX_DELAY_MS = 10 * 365 * 86_400_000;

const SLASH = 0x2f;
const EQUALS = 0x3d;

/** The options as bits, so that a key's whole set is one number. */
const CLOSE = 1;
const OPEN = 2;
const ABORT = 4;
const PEEK = 8;
const WAIT = 16;
const UNKNOWN = 32;
const COUNT = 64;
const AT = 128;
const WITH_ID = 256;
const DELAY = 512;
const BY_ID = 1024;

/** The options by their words, `=` where a value follows. Those from `n=` on are ours. */
const KESTREL_OPTIONS: ReadonlyMap<string, number> = new Map([
  ["t=", WAIT],
  ["close", CLOSE],
  ["open", OPEN],
  ["abort", ABORT],
  ["peek", PEEK],
]);
const ALL_OPTIONS: ReadonlyMap<string, number> = new Map([
  ...KESTREL_OPTIONS,
  ["n=", COUNT],
  ["id", WITH_ID],
  ["close=", CLOSE | BY_ID],
  ["abort=", ABORT | BY_ID],
  ["delay=", DELAY],
  ["at=", AT],
]);

const EMPTY_NAME: KeyFault = { fault: "empty queue name", close: true };
// Kestrel ignored what it did not know, and so `get q/clsoe` took an item for good.
const UNKNOWN_OPTION: KeyFault = { fault: "unknown option", close: true };
const FORBIDDEN_MIX: KeyFault = { fault: "options exclude each other", close: true };
const BAD_WAIT: KeyFault = { fault: "bad timeout", close: false };
const BAD_COUNT: KeyFault = { fault: "bad count", close: false };
const BAD_PLACE: KeyFault = { fault: "bad place", close: false };
const BAD_DELAY: KeyFault = { fault: "bad delay", close: false };
const BAD_ID: KeyFault = { fault: "bad delivery id", close: false };

/** Takes apart the key in the bytes from `start` to `end`. */
export function parseKey(bytes: Buffer, start = 0, end = bytes.length): ParsedKey | KeyFault {
  return new KeyReading(ALL_OPTIONS).read(bytes, start, end);
}

/** The same as Kestrel did it: it has none of our options, and lets those through that it does not know. */
export function parseKestrelKey(bytes: Buffer, start = 0, end = bytes.length): ParsedKey | KeyFault {
  return new KeyReading(KESTREL_OPTIONS).read(bytes, start, end);
}

/** One key while it is being read. */
class KeyReading {
  readonly #known: ReadonlyMap<string, number>;
  #options = 0;
  #waitMs = 0;
  #count = 1;
  #at = 0;
  #delayMs = 0;
  #ids: readonly bigint[] = [];
  #hasBadId = false;
  #ignored: string | null = null;

  constructor(known: ReadonlyMap<string, number>) {
    this.#known = known;
  }

  read(bytes: Buffer, start: number, end: number): ParsedKey | KeyFault {
    const nameEnd = partEnd(bytes, start, end);
    if (nameEnd === start) return EMPTY_NAME;
    for (let from = nameEnd + 1; from < end; ) {
      const to = partEnd(bytes, from, end);
      if (to > from) this.#readOption(bytes, from, to);
      from = to + 1;
    }
    return this.#fault() ?? this.#parsed(bytes.toString("latin1", start, nameEnd));
  }

  #readOption(bytes: Buffer, from: number, to: number): void {
    const wordEnd = optionWordEnd(bytes, from, to);
    const option = this.#known.get(bytes.toString("latin1", from, wordEnd)) ?? UNKNOWN;
    // `close` and `close=17` in one key: is the oldest meant or is it not?
    if ((this.#options & (CLOSE | ABORT) & option) !== 0 && ((this.#options ^ option) & BY_ID) !== 0) {
      this.#options |= CLOSE | ABORT;
    }
    this.#options |= option;
    if (option === UNKNOWN) this.#ignored = bytes.toString("latin1", from, to);
    else if ((option & BY_ID) !== 0) this.#addId(bytes.toString("latin1", wordEnd, to));
    else if (bytes[wordEnd - 1] === EQUALS) this.#setNumber(option, parseDecimal(bytes, wordEnd, to));
  }

  #addId(text: string): void {
    if (/^\d{1,20}$/.test(text)) this.#ids = [...this.#ids, BigInt(text)];
    else this.#hasBadId = true;
  }

  #setNumber(option: number, value: number): void {
    if (option === WAIT) this.#waitMs = value;
    if (option === COUNT) this.#count = value;
    if (option === AT) this.#at = value;
    if (option === DELAY) this.#delayMs = value;
  }

  // The faults that close come first: a key with two faults is not served on.
  #fault(): KeyFault | null {
    const isStrict = this.#known === ALL_OPTIONS;
    if (isStrict && (this.#options & UNKNOWN) !== 0) return UNKNOWN_OPTION;
    if (isForbiddenMix(this.#options & ~UNKNOWN)) return FORBIDDEN_MIX;
    if (Number.isNaN(this.#waitMs)) return BAD_WAIT;
    if (!(this.#count >= 1)) return BAD_COUNT;
    if (!(this.#at >= 0)) return BAD_PLACE;
    if (Number.isNaN(this.#delayMs)) return BAD_DELAY;
    return this.#hasBadId ? BAD_ID : null;
  }

  #parsed(queue: string): ParsedKey {
    const options = this.#options;
    return {
      queue,
      waitMs: clampWait(this.#waitMs),
      close: (options & CLOSE) !== 0,
      open: (options & OPEN) !== 0,
      abort: (options & ABORT) !== 0,
      peek: (options & PEEK) !== 0,
      extras: (options & (COUNT | AT | WITH_ID | DELAY | BY_ID)) === 0 ? null : this.#extras(),
      ignoredOption: this.#ignored,
    };
  }

  #extras(): FetchExtras {
    const options = this.#options;
    return {
      count: (options & COUNT) === 0 ? null : this.#count,
      at: (options & AT) === 0 ? null : this.#at,
      withId: (options & WITH_ID) !== 0,
      ids: this.#ids,
      delayMs: clampDelay(this.#delayMs),
    };
  }
}

/** Where the part that begins at `from` ends: at the next slash, or at `end`. */
function partEnd(bytes: Buffer, from: number, end: number): number {
  let at = from;
  while (at < end && bytes[at] !== SLASH) at++;
  return at;
}

/** Where the word of an option ends: behind its `=`, or at `to`. */
function optionWordEnd(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to) if (bytes[at++] === EQUALS) break;
  return at;
}

function isForbiddenMix(options: number): boolean {
  const has = (option: number): boolean => (options & option) !== 0;
  const action = options & (CLOSE | OPEN | ABORT | PEEK);
  if (action > (CLOSE | OPEN) && action !== ABORT && action !== PEEK) return true;
  if (has(COUNT) && !has(OPEN | PEEK)) return true;
  if (has(AT) && (!has(PEEK) || has(COUNT))) return true;
  if (has(WITH_ID) && !has(OPEN)) return true;
  if (has(DELAY) && !has(ABORT)) return true;
  return has(PEEK) && has(COUNT | AT) && has(WAIT);
}

/** The key that asks `queue` for `options`: the inverse of `parseKey`. A wait is rounded up to whole milliseconds. */
export function buildKey(queue: string, options: KeyOptions = {}): string {
  const waitMs = clampWait(options.waitMs ?? 0);
  const { ids = [], delayMs = 0 } = options;
  let key = queue;
  if (waitMs > 0) key += `/t=${waitMs}`;
  if (options.close === true) key += action("close", ids);
  if (options.open === true) key += "/open";
  if (options.abort === true) key += action("abort", ids);
  if (options.peek === true) key += "/peek";
  if (options.count !== undefined) key += `/n=${options.count}`;
  if (options.at !== undefined) key += `/at=${options.at}`;
  if (options.withId === true) key += "/id";
  return delayMs > 0 ? `${key}/delay=${Math.ceil(delayMs)}` : key;
}

function action(word: string, ids: readonly bigint[]): string {
  return ids.length === 0 ? `/${word}` : ids.map((id) => `/${word}=${id}`).join("");
}

/** What a put's key says: the queue, and when the item joins its line. */
export interface PutKey {
  /** One character for each byte; whether it is a legal name is not looked at here. */
  readonly queue: string;
  /** NaN is one that is no number. */
  readonly delayMs: number;
}

const DELAY_OPTION = "/delay=";

/**
 * Takes apart the key of a put in the bytes from `start` to `end`: `jobs/delay=5000`, ours as well. Anything else behind a
 * slash is left in the name, which is then no legal one.
 */
export function parsePutKey(bytes: Buffer, start: number, end: number): PutKey {
  const nameEnd = partEnd(bytes, start, end);
  const valueAt = nameEnd + DELAY_OPTION.length;
  if (nameEnd === start || valueAt > end || !isText(bytes, nameEnd, valueAt, DELAY_OPTION)) {
    return { queue: bytes.toString("latin1", start, end), delayMs: 0 };
  }
  const queue = bytes.toString("latin1", start, nameEnd);
  return { queue, delayMs: clampDelay(parseDecimal(bytes, valueAt, end)) };
}

// A longer delay would make a timer fire at once.
function clampWait(waitMs: number): number {
  return waitMs > 0 ? Math.min(Math.ceil(waitMs), MAX_TIMER_MS) : 0;
}

function clampDelay(delayMs: number): number {
  return delayMs < 0 ? 0 : Math.min(delayMs, MAX_DELAY_MS);
}
