import type { MalformedCommand } from "../command.js";

/** How a line that is refused ends: `close` hangs up, `silent` leaves out the reply. */
interface Consequence {
  readonly close?: boolean;
  readonly silent?: boolean;
}

/** What a line that cannot be served becomes. */
export function malformed(message: string, { close = false, silent = false }: Consequence = {}): MalformedCommand {
  return { kind: "malformed", message: silent ? "" : message, close, silent };
}

function otherProtocol(notice: string): MalformedCommand {
  return { kind: "malformed", message: "", close: true, silent: true, notice };
}

export const EMPTY_LINE = malformed("empty line", { close: true });
export const UNKNOWN_COMMAND = malformed("unknown command", { close: true });
export const LINE_TOO_LONG = malformed("line too long", { close: true });
export const MISSING_ARGUMENT = malformed("missing argument");
export const BAD_COUNT = malformed("bad count");
export const BAD_TIMEOUT = malformed("bad timeout");
// Where the body ends is unknown, so whatever follows could be taken for a command.
export const BAD_SIZE = malformed("bad data size", { close: true });

// Without a line in the log nobody finds out why such a client sees nothing but closed connections.
export const BINARY_PROTOCOL = otherProtocol(
  "a client speaks memcache's binary protocol; only the text protocol is served",
);
// A browser can be made to send a request here, with commands in its body: the request line must end the connection.
export const HTTP = otherProtocol("a client speaks HTTP on the memcache port");
