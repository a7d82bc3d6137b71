/**
 * What a client asks for, free of the protocol that it was asked in. Every port decodes into these.
 *
 * Queue names are strings with one character for each byte of the name (latin1), so that any byte from 0x80 up is kept.
 */
export type Command =
  | PutCommand
  | OversizedPutCommand
  | FetchCommand
  | MonitorCommand
  | ConfirmCommand
  | DeleteCommand
  | FlushCommand
  | FlushAllCommand
  | FlushExpiredCommand
  | FlushAllExpiredCommand
  | StatsCommand
  | DumpStatsCommand
  | DumpConfigCommand
  | StatusCommand
  | ReloadCommand
  | VersionCommand
  | VerbosityCommand
  | ShutdownCommand
  | QuitCommand
  | MalformedCommand;

/** How a put's `expiry` is meant. */
export type ExpiryKind = "never" | "in" | "at";

export interface PutCommand {
  readonly kind: "put";
  readonly queue: string;
  readonly flags: number;
  /** `never`; `in` this many milliseconds (negative: already over); `at` these milliseconds since 1970. */
  readonly expiryKind: ExpiryKind;
  readonly expiryMs: number;
  /** The item joins the line after so many milliseconds; 0 at once. */
  readonly delayMs: number;
  /** The item's bytes. Unless `ownsData`, a slice of the codec's input that is valid only until the codec is used again. */
  readonly data: Buffer;
  /** `data` is a buffer of its own, which the queue may keep. */
  readonly ownsData: boolean;
  readonly noreply: boolean;
}

/** A put whose item is over its queue's `max_item_size`: the codec has swallowed the body. */
export interface OversizedPutCommand {
  readonly kind: "oversized-put";
  readonly queue: string;
  readonly bytes: number;
  readonly noreply: boolean;
}

export interface FetchCommand {
  readonly kind: "fetch";
  readonly queue: string;
  /** What the client wrote as the key, options and all, for a listener that echoes it. */
  readonly key: string;
  /** How long to wait for an item, in milliseconds; 0 is not at all. */
  readonly waitMs: number;
  /** Confirm the oldest open read first. */
  readonly close: boolean;
  /** Set the item aside until it is confirmed. */
  readonly open: boolean;
  /** Give the oldest open read back, and fetch nothing. */
  readonly abort: boolean;
  /** Look at the head and leave it there. */
  readonly peek: boolean;
  /** The client wants a CAS token with the item (`gets`). */
  readonly withCas: boolean;
  /** What it asks for beyond what Kestrel knew, or null. */
  readonly extras: FetchExtras | null;
  /** An option that means nothing and was let through, as Kestrel did; null is none. */
  readonly ignoredOption: string | null;
}

/** What a fetch may ask for that Kestrel did not know. */
export interface FetchExtras {
  /** With `open` or `peek`: up to so many items; null is one. */
  readonly count: number | null;
  /** With `peek`: the item that stands so far behind the head; null is the head. */
  readonly at: number | null;
  /** With `open`: the reply tells the delivery id. */
  readonly withId: boolean;
  /** With `close` or `abort`: the deliveries that are meant; none is the oldest. */
  readonly ids: readonly bigint[];
  /** With `abort`: the items join the end of the line after so many milliseconds; 0 is back to the head at once. */
  readonly delayMs: number;
}

/** A stream of open reads. */
export interface MonitorCommand {
  readonly kind: "monitor";
  readonly queue: string;
  /** How long it goes on, in milliseconds. */
  readonly waitMs: number;
  /** How many items at most; null is as many as may be open. */
  readonly maxItems: number | null;
}

/** Confirms the oldest open reads. */
export interface ConfirmCommand {
  readonly kind: "confirm";
  readonly queue: string;
  readonly count: number;
}

export interface DeleteCommand {
  readonly kind: "delete";
  readonly queue: string;
  readonly noreply: boolean;
}

export interface FlushCommand {
  readonly kind: "flush";
  readonly queue: string;
}

export interface FlushAllCommand {
  readonly kind: "flush-all";
  readonly noreply: boolean;
}

export interface FlushExpiredCommand {
  readonly kind: "flush-expired";
  readonly queue: string;
}

export interface FlushAllExpiredCommand {
  readonly kind: "flush-all-expired";
}

export interface StatsCommand {
  readonly kind: "stats";
}

export interface DumpStatsCommand {
  readonly kind: "dump-stats";
  /** Which queues; none is all. */
  readonly queues: readonly string[];
}

export interface DumpConfigCommand {
  readonly kind: "dump-config";
  /** Which queues; none is all. */
  readonly queues: readonly string[];
}

export interface StatusCommand {
  readonly kind: "status";
  /** What the server is to be, as the client wrote it; null only asks. */
  readonly name: string | null;
}

export interface ReloadCommand {
  readonly kind: "reload";
}

export interface VersionCommand {
  readonly kind: "version";
}

export interface VerbosityCommand {
  readonly kind: "verbosity";
  readonly noreply: boolean;
}

export interface ShutdownCommand {
  readonly kind: "shutdown";
}

export interface QuitCommand {
  readonly kind: "quit";
}

/** Bytes that are no command, or one that is wrong: the reply is decided already. */
export interface MalformedCommand {
  readonly kind: "malformed";
  /** The reason, which follows `CLIENT_ERROR`; empty when `silent`. */
  readonly message: string;
  /** Hang up after the reply. */
  readonly close: boolean;
  /** Answer nothing: the peer speaks another protocol, or said `noreply`. */
  readonly silent: boolean;
  /** A line for the operator's log, where the peer seems to be something else than a client. */
  readonly notice?: string;
}
