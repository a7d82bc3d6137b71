import { MAX_TIMER_MS } from "../../clock.js";
import { isText, parseDecimal } from "./ascii.js";

/**
 * What a fetch asks for besides the queue. Kestrel's clients write it behind the queue's name, as in
 * `jobs/t=250/close/open`:
 *
 *     key    = name *( "/" [option] )
 *     option = "t=" decimal / "open" / "close" / "abort" / "peek"
 *
 * Options come in any order, of several `t=` the last counts, and an empty option (a trailing or doubled slash) is none.
 * `peek` and `abort` go with no other than `t=`.
 */
export interface KeyOptions {
  /** How long to wait for an item, in milliseconds; 0 is not at all. */
  readonly waitMs?: number;
  /** Confirm the oldest open read first. */
  readonly close?: boolean;
  /** Set the item aside until it is confirmed. */
  readonly open?: boolean;
  /** Give the oldest open read back, and fetch nothing. */
  readonly abort?: boolean;
  /** Look at the head and leave it there. */
  readonly peek?: boolean;
}

/** A key taken apart. */
export interface ParsedKey extends Required<KeyOptions> {
  /** The queue's name, one character for each byte; whether it is a legal one is not looked at here. */
  readonly queue: string;
}

/** Why a key cannot be served. */
export interface KeyFault {
  readonly fault: string;
  /** The client cannot mean what it says: better to hang up than to let it go on. */
  readonly close: boolean;
}

const SLASH = 0x2f;
const LETTER_T = 0x74;
const EQUALS = 0x3d;

/** The options as bits, so that a key's whole set is one number. */
const CLOSE = 1;
const OPEN = 2;
const ABORT = 4;
const PEEK = 8;
const WAIT = 16;
const UNKNOWN = 32;

const EMPTY_NAME: KeyFault = { fault: "empty queue name", close: true };
// Kestrel ignored what it did not know, and so `get q/clsoe` took an item for good.
const UNKNOWN_OPTION: KeyFault = { fault: "unknown option", close: true };
const FORBIDDEN_MIX: KeyFault = { fault: "options exclude each other", close: true };
const BAD_WAIT: KeyFault = { fault: "bad timeout", close: false };

/** Takes apart the key in the bytes from `start` to `end`. */
export function parseKey(bytes: Buffer, start = 0, end = bytes.length): ParsedKey | KeyFault {
  const nameEnd = partEnd(bytes, start, end);
  if (nameEnd === start) return EMPTY_NAME;
  let options = 0;
  let waitMs = 0;
  for (let from = nameEnd + 1; from < end; ) {
    const to = partEnd(bytes, from, end);
    const option = optionAt(bytes, from, to);
    options |= option;
    if (option === WAIT) waitMs = parseDecimal(bytes, from + 2, to);
    from = to + 1;
  }
  return faultOf(options, waitMs) ?? parsedKey(bytes.toString("latin1", start, nameEnd), options, waitMs);
}

/** Where the part that begins at `from` ends: at the next slash, or at `end`. */
function partEnd(bytes: Buffer, from: number, end: number): number {
  let at = from;
  while (at < end && bytes[at] !== SLASH) at++;
  return at;
}

function optionAt(bytes: Buffer, from: number, to: number): number {
  if (from === to) return 0;
  if (to - from >= 2 && bytes[from] === LETTER_T && bytes[from + 1] === EQUALS) return WAIT;
  if (isText(bytes, from, to, "close")) return CLOSE;
  if (isText(bytes, from, to, "open")) return OPEN;
  if (isText(bytes, from, to, "abort")) return ABORT;
  if (isText(bytes, from, to, "peek")) return PEEK;
  return UNKNOWN;
}

// The faults that close come first: a key with two faults is not served on.
function faultOf(options: number, waitMs: number): KeyFault | null {
  if ((options & UNKNOWN) !== 0) return UNKNOWN_OPTION;
  const action = options & ~WAIT;
  if (action > (CLOSE | OPEN) && action !== ABORT && action !== PEEK) return FORBIDDEN_MIX;
  return Number.isNaN(waitMs) ? BAD_WAIT : null;
}

function parsedKey(queue: string, options: number, waitMs: number): ParsedKey {
  return {
    queue,
    waitMs: clampWait(waitMs),
    close: (options & CLOSE) !== 0,
    open: (options & OPEN) !== 0,
    abort: (options & ABORT) !== 0,
    peek: (options & PEEK) !== 0,
  };
}

/** The key that asks `queue` for `options`: the inverse of `parseKey`. A wait is rounded up to whole milliseconds. */
export function buildKey(queue: string, options: KeyOptions = {}): string {
  const waitMs = clampWait(options.waitMs ?? 0);
  let key = queue;
  if (waitMs > 0) key += `/t=${waitMs}`;
  if (options.close === true) key += "/close";
  if (options.open === true) key += "/open";
  if (options.abort === true) key += "/abort";
  if (options.peek === true) key += "/peek";
  return key;
}

// A longer delay would make a timer fire at once.
function clampWait(waitMs: number): number {
  return waitMs > 0 ? Math.min(Math.ceil(waitMs), MAX_TIMER_MS) : 0;
}
