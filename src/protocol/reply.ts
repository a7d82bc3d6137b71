import type { Item } from "../item.js";

/** What the server answers, free of the protocol that will carry it. Fixed replies are built once, here. */
export type Reply =
  | { readonly kind: "stored" }
  | { readonly kind: "not-stored" }
  | { readonly kind: "end" }
  | ItemReply
  | { readonly kind: "deleted" }
  | { readonly kind: "flushed-all" }
  | { readonly kind: "ok" }
  | { readonly kind: "version"; readonly version: string }
  | { readonly kind: "stats"; readonly lines: readonly StatLine[] }
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

export const STORED: Reply = { kind: "stored" };
export const NOT_STORED: Reply = { kind: "not-stored" };
export const END: Reply = { kind: "end" };
export const DELETED: Reply = { kind: "deleted" };
export const FLUSHED_ALL: Reply = { kind: "flushed-all" };
export const OK: Reply = { kind: "ok" };
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
