import { MAX_TIMER_MS } from "../../clock.js";
import type { CodecLimits } from "../codec.js";
import type { Command, ExpiryKind, FetchCommand, MalformedCommand } from "../command.js";
import { type PutKey, parseKestrelKey, parseKey, parsePutKey } from "./key-options.js";
import {
  BAD_COUNT,
  BAD_SIZE,
  BAD_TIMEOUT,
  EMPTY_LINE,
  HTTP,
  MISSING_ARGUMENT,
  malformed,
  UNKNOWN_COMMAND,
} from "./malformed.js";
import { TextCache } from "./text-cache.js";
import { Words } from "./words.js";

/** The line of a `set` that can be served; the item's bytes follow it. */
export interface PutLine {
  readonly kind: "put-line";
  readonly bodyBytes: number;
  readonly queue: string;
  readonly flags: number;
  readonly expiryKind: ExpiryKind;
  readonly expiryMs: number;
  readonly delayMs: number;
  readonly noreply: boolean;
}

/** A line whose body is of no use: it is swallowed, then comes `outcome`. */
export interface SwallowLine {
  readonly kind: "swallow-line";
  readonly bodyBytes: number;
  readonly outcome: Command;
  readonly noreply: boolean;
}

export type BodyLine = PutLine | SwallowLine;

/** The commands, the most frequent first: they are compared in this order. */
const VERBS = [
  "get",
  "set",
  "gets",
  "delete",
  "flush",
  "flush_all",
  "stats",
  "version",
  "verbosity",
  "quit",
  "confirm",
  "monitor",
  "status",
  "dump_stats",
  "dump_config",
  "flush_expired",
  "flush_all_expired",
  "reload",
  "shutdown",
  "add",
  "replace",
  "append",
  "prepend",
  "cas",
] as const;

type Verb = (typeof VERBS)[number];

const MAX_FLAGS = 2 ** 32 - 1;
/** From here on an expiry is a moment (seconds since 1970), below it a span. It is Kestrel's border, not memcached's. */
const FIRST_EPOCH_SECOND = 1_000_000;
/** Beyond it milliseconds are no longer exact. */
const MAX_EXPIRY_SECONDS = Math.floor(Number.MAX_SAFE_INTEGER / 1000);
const NOREPLY = "noreply";

const STATS: Command = { kind: "stats" };
const VERSION: Command = { kind: "version" };
const QUIT: Command = { kind: "quit" };
const SHUTDOWN: Command = { kind: "shutdown" };
const RELOAD: Command = { kind: "reload" };
const FLUSH_ALL_EXPIRED: Command = { kind: "flush-all-expired" };

/**
 * Lines to commands. A line is words separated by spaces; those that a command has no use for are ignored:
 *
 *     line   = "get" key / "gets" key
 *            / "set" name flags expiry bytes ["noreply"]              a body follows
 *            / storage name flags expiry bytes [token] ["noreply"]    a body follows, which is swallowed
 *            / "monitor" name seconds [count] / "confirm" name count
 *            / "delete" name ["noreply"] / "flush" name / "flush_all" ["noreply"]
 *            / "flush_expired" name / "flush_all_expired"
 *            / "stats" / "dump_stats" *name / "dump_config" *name
 *            / "status" [word] / "reload" / "version" / "verbosity" level ["noreply"] / "quit" / "shutdown"
 *     storage = "add" / "replace" / "append" / "prepend" / "cas"
 *
 * The name in a set may have a delay behind it (`parsePutKey`). The first word is read in any mixture of cases, all others as they are. Which faults close the connection: those after
 * which it is not certain where the next command begins, or what the client means. `noreply` silences refusals too,
 * unless the line itself is not understood.
 *
 * It keeps nothing from one line to the next but what it remembers of names and keys, so that one of it serves all
 * connections of a listener.
 */
export class LineParser {
  readonly #limits: CodecLimits;
  readonly #words = new Words();
  readonly #names = new TextCache<string>((bytes, start, end) => bytes.toString("latin1", start, end));
  readonly #putKeys: TextCache<PutKey>;
  readonly #gets: TextCache<FetchCommand | MalformedCommand>;
  readonly #getsWithCas: TextCache<FetchCommand | MalformedCommand>;

  constructor(limits: CodecLimits) {
    this.#limits = limits;
    const parse = limits.extensions ? parseKey : parseKestrelKey;
    this.#putKeys = new TextCache(limits.extensions ? parsePutKey : bareName);
    this.#gets = new TextCache((bytes, start, end) => fetchOf(bytes, parse, { start, end }));
    this.#getsWithCas = new TextCache((bytes, start, end) => withCas(fetchOf(bytes, parse, { start, end })));
  }

  /** The command in the bytes from `start` to `end`, or the line before a body. */
  parse(bytes: Buffer, start: number, end: number): Command | BodyLine {
    const words = this.#words;
    words.read(bytes, start, end);
    if (words.count === 0) return EMPTY_LINE;
    if (words.endLikeHttp()) return HTTP;
    switch (this.#verb()) {
      case "get":
        return this.#fetch(this.#gets);
      case "set":
        return this.#set();
      case "gets":
        return this.#fetch(this.#getsWithCas);
      case "delete":
        return this.#delete();
      case "flush":
        return words.count < 2 ? MISSING_ARGUMENT : { kind: "flush", queue: this.#name() };
      case "flush_all":
        return { kind: "flush-all", noreply: words.endWith(NOREPLY) };
      case "stats":
        return STATS;
      case "version":
        return VERSION;
      case "verbosity":
        return words.count < 2 ? MISSING_ARGUMENT : { kind: "verbosity", noreply: words.endWith(NOREPLY) };
      case "quit":
        return QUIT;
      case "confirm":
        return this.#confirm();
      case "monitor":
        return this.#monitor();
      case "status":
        return { kind: "status", name: words.count < 2 ? null : words.text(1) };
      case "dump_stats":
        return { kind: "dump-stats", queues: words.textsFrom(1) };
      case "dump_config":
        return { kind: "dump-config", queues: words.textsFrom(1) };
      case "flush_expired":
        return words.count < 2 ? MISSING_ARGUMENT : { kind: "flush-expired", queue: this.#name() };
      case "flush_all_expired":
        return FLUSH_ALL_EXPIRED;
      case "reload":
        return RELOAD;
      case "shutdown":
        return SHUTDOWN;
      case "add":
      case "replace":
      case "append":
      case "prepend":
        return this.#unsupportedStorage(5);
      case "cas":
        return this.#unsupportedStorage(6);
      case null:
        return UNKNOWN_COMMAND;
    }
  }

  #verb(): Verb | null {
    for (const verb of VERBS) {
      if (this.#words.isVerb(verb)) return verb;
    }
    return null;
  }

  #name(): string {
    return this.#names.get(this.#words.bytes, this.#words.start(1), this.#words.end(1));
  }

  #fetch(known: TextCache<FetchCommand | MalformedCommand>): Command {
    const words = this.#words;
    return words.count < 2 ? MISSING_ARGUMENT : known.get(words.bytes, words.start(1), words.end(1));
  }

  #delete(): Command {
    const words = this.#words;
    if (words.count < 2) return MISSING_ARGUMENT;
    // The word before it: in `delete noreply` it is the queue's name.
    return { kind: "delete", queue: this.#name(), noreply: words.count > 2 && words.endWith(NOREPLY) };
  }

  #confirm(): Command {
    const words = this.#words;
    if (words.count < 3) return MISSING_ARGUMENT;
    const count = words.decimal(2);
    return Number.isNaN(count) ? BAD_COUNT : { kind: "confirm", queue: this.#name(), count };
  }

  #monitor(): Command {
    const words = this.#words;
    if (words.count < 3) return MISSING_ARGUMENT;
    const seconds = words.decimal(2);
    const maxItems = words.count < 4 ? null : words.decimal(3);
    if (Number.isNaN(seconds)) return BAD_TIMEOUT;
    if (Number.isNaN(maxItems)) return BAD_COUNT;
    const waitMs = seconds > 0 ? Math.min(seconds * 1000, MAX_TIMER_MS) : 0;
    return { kind: "monitor", queue: this.#name(), waitMs, maxItems };
  }

  #set(): Command | BodyLine {
    const words = this.#words;
    if (words.count < 5) return MISSING_ARGUMENT;
    const bodyBytes = words.decimal(4);
    const noreply = words.is(5, NOREPLY);
    const sizeFault = this.#sizeFault(bodyBytes, noreply);
    if (sizeFault !== null) return sizeFault;
    const flags = words.decimal(2);
    const seconds = words.decimal(3);
    const { queue, delayMs } = this.#putKeys.get(words.bytes, words.start(1), words.end(1));
    const fault = valueFault(flags, seconds) ?? (Number.isNaN(delayMs) ? "bad delay" : null);
    if (fault !== null) return swallowed(bodyBytes, noreply, malformed(fault, { silent: noreply }));
    if (bodyBytes > this.#limits.maxItemBytes(queue)) {
      return swallowed(bodyBytes, noreply, { kind: "oversized-put", queue, bytes: bodyBytes, noreply });
    }
    const expiryMs = seconds < 0 ? -1 : seconds * 1000;
    const expiryKind = expiryKindOf(seconds);
    return { kind: "put-line", bodyBytes, queue, flags, expiryKind, expiryMs, delayMs, noreply };
  }

  // The client sends the body whatever we think of it; hanging up in the middle could cost it the reply.
  #unsupportedStorage(noreplyAt: number): Command | BodyLine {
    const bodyBytes = this.#words.decimal(4);
    const noreply = this.#words.is(noreplyAt, NOREPLY);
    const refusal = malformed("command not supported", { close: true, silent: noreply });
    return this.#sizeFault(bodyBytes, noreply) ?? swallowed(bodyBytes, noreply, refusal);
  }

  #sizeFault(bodyBytes: number, noreply: boolean): MalformedCommand | null {
    if (!(bodyBytes >= 0)) return BAD_SIZE;
    if (bodyBytes <= this.#limits.maxRequestBytes) return null;
    return malformed("object too large", { close: true, silent: noreply });
  }
}

function bareName(bytes: Buffer, start: number, end: number): PutKey {
  return { queue: bytes.toString("latin1", start, end), delayMs: 0 };
}

function fetchOf(
  bytes: Buffer,
  parse: typeof parseKey,
  { start, end }: { readonly start: number; readonly end: number },
): FetchCommand | MalformedCommand {
  const parsed = parse(bytes, start, end);
  if ("fault" in parsed) return malformed(parsed.fault, { close: parsed.close });
  return { kind: "fetch", key: bytes.toString("latin1", start, end), withCas: false, ...parsed };
}

function withCas(command: FetchCommand | MalformedCommand): FetchCommand | MalformedCommand {
  return command.kind === "fetch" ? { ...command, withCas: true } : command;
}

function swallowed(bodyBytes: number, noreply: boolean, outcome: Command): SwallowLine {
  return { kind: "swallow-line", bodyBytes, outcome, noreply };
}

// Written so that NaN, which is what no number becomes, is a fault.
function valueFault(flags: number, seconds: number): string | null {
  if (!(flags >= 0 && flags <= MAX_FLAGS)) return "bad flags";
  return seconds <= MAX_EXPIRY_SECONDS ? null : "bad expiry";
}

function expiryKindOf(seconds: number): ExpiryKind {
  if (seconds === 0) return "never";
  return seconds < FIRST_EPOCH_SECOND ? "in" : "at";
}
