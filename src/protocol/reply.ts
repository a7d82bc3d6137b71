import type { Item } from "../item.js";

/** What the server answers, free of the protocol that will carry it. Fixed replies are built once, here. */
export type Reply =
  | { readonly kind: "stored" }
  | { readonly kind: "not-stored" }
  | { readonly kind: "end" }
  | ItemReply
  | ItemsReply
  /** `existed`: there was such a queue. */
  | { readonly kind: "deleted"; readonly existed: boolean }
  | { readonly kind: "flushed-all" }
  | { readonly kind: "ok" }
  | { readonly kind: "version"; readonly version: string }
  /** A part of the statistics; `isLast` ends them. */
  | { readonly kind: "stats"; readonly lines: readonly StatLine[]; readonly isLast: boolean }
  /** A part of what is told queue by queue; `isLast` ends it. */
  | { readonly kind: "dump"; readonly blocks: readonly DumpBlock[]; readonly isLast: boolean }
  /** What the server is: `UP`, `QUIESCENT`. */
  | { readonly kind: "status"; readonly status: string }
  | { readonly kind: "count"; readonly count: number }
  | { readonly kind: "reloaded" }
  | ErrorReply
  /** Nothing on the wire (`noreply`). */
  | { readonly kind: "silence" }
  /** Nothing on the wire, and the connection closes (`quit`). */
  | { readonly kind: "hang-up" }
  /** The connection is cut: the peer speaks another protocol and may never notice an orderly end. */
  | { readonly kind: "cut-off" };

export interface ItemReply {
  readonly kind: "item";
  readonly queue: string;
  readonly item: Item;
  /** The queue shows the flags that its items were put with. */
  readonly keepFlags: boolean;
  /** The delivery id, where the client asked for it. */
  readonly id: bigint | null;
}

/** Several items at once, in order. */
export interface ItemsReply {
  readonly kind: "items";
  readonly items: readonly ItemReply[];
}

/** Several replies to one command, in order. */
export interface ReplyStream {
  readonly kind: "stream";
  /**
   * The next reply, null after the last one. It is asked for when the one before is on its way, so that nothing is fetched
   * for a client that does not read. A promise is never rejected.
   */
  next(): Reply | null | Promise<Reply | null>;
}

export interface ErrorReply {
  readonly kind: "error";
  /** `error` the request cannot be served now, `client` it is wrong, `server` the server cannot serve it. */
  readonly blame: "error" | "client" | "server";
  readonly message: string;
  /** Hang up after it. */
  readonly close: boolean;
}

/** One line of statistics: a name and its value, decimals exact. */
export type StatLine = readonly [name: string, value: string];

/** What is told of one queue. */
export interface DumpBlock {
  readonly queue: string;
  readonly lines: readonly StatLine[];
}

export const STORED: Reply = { kind: "stored" };
export const NOT_STORED: Reply = { kind: "not-stored" };
export const END: Reply = { kind: "end" };
export const DELETED: Reply = { kind: "deleted", existed: true };
export const NOTHING_TO_DELETE: Reply = { kind: "deleted", existed: false };
export const FLUSHED_ALL: Reply = { kind: "flushed-all" };
export const OK: Reply = { kind: "ok" };
export const RELOADED: Reply = { kind: "reloaded" };
export const SILENCE: Reply = { kind: "silence" };
export const HANG_UP: Reply = { kind: "hang-up" };
export const CUT_OFF: Reply = { kind: "cut-off" };

/** The client's request is wrong: `CLIENT_ERROR message`. */
export function clientError(message: string, close: boolean): ErrorReply {
  return { kind: "error", blame: "client", message, close };
}

/** The request cannot be served in this connection's present state: `ERROR message`. */
export function stateError(message: string, close: boolean): ErrorReply {
  return { kind: "error", blame: "error", message, close };
}

/** The server cannot serve a request that is right: `SERVER_ERROR message`. */
export function serverError(message: string, close: boolean): ErrorReply {
  return { kind: "error", blame: "server", message, close };
}
