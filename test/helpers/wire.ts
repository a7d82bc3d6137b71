/*
 * The bytes of the memcache port, as a test writes and expects them. Strings on the wire are latin1: one character a byte.
 */

export const END = "END\r\n";
export const STORED = "STORED\r\n";
export const NOT_STORED = "NOT_STORED\r\n";
export const DELETED = "DELETED\r\n";
export const FLUSHED_ALL = "Flushed all queues.\r\n";
export const OK = "OK\r\n";

/** An error of the client's making, with its reason. */
export const CLIENT_ERROR = /^CLIENT_ERROR \S.*\r\n$/;
/** An error of the server, with its reason. */
export const SERVER_ERROR = /^SERVER_ERROR \S.*\r\n$/;
/** A request that cannot be served in the connection's present state. */
export const STATE_ERROR = /^ERROR( \S.*)?\r\n$/;
/** The answer to `version`: one token, digits first. */
export const VERSION = /^VERSION \d\S*\r\n$/;

/** Bytes of a string, one for each character. */
export function bytes(text: string | Buffer): Buffer {
  return typeof text === "string" ? Buffer.from(text, "latin1") : text;
}

function text(data: string | Buffer): string {
  return typeof data === "string" ? data : data.toString("latin1");
}

/** A set, body and all. `words` stands between the length and the end of the line: ` noreply`. */
export function set(queue: string, data: string | Buffer, words = ""): string {
  return `set ${queue} 0 0 ${data.length}${words}\r\n${text(data)}\r\n`;
}

/** The answer to a get that found an item. */
export function value(queue: string, data: string | Buffer): string {
  return `VALUE ${queue} 0 ${data.length}\r\n${text(data)}\r\n${END}`;
}

/** A body of `size` bytes that nobody mistakes for another: it names itself and repeats its number. */
export function body(size: number, number: number): Buffer {
  const data = Buffer.alloc(size, `${number} `);
  data.write(`#${number}#`, 0, "latin1");
  return data;
}

/** A short picture of bytes for messages. */
export function show(data: Buffer): string {
  const head = JSON.stringify(data.toString("latin1", 0, 200));
  return data.length > 200 ? `${head}… (${data.length} bytes)` : head;
}
