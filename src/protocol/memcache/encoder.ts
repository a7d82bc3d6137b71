import type { ByteBuffer } from "../byte-buffer.js";
import type { ErrorReply, ItemReply, Reply, StatLine } from "../reply.js";

/** Replies that are the same each time. */
const STORED = Buffer.from("STORED\r\n");
const NOT_STORED = Buffer.from("NOT_STORED\r\n");
const END = Buffer.from("END\r\n");
const DELETED = Buffer.from("DELETED\r\n");
const FLUSHED_ALL = Buffer.from("Flushed all queues.\r\n");
const OK = Buffer.from("OK\r\n");
const ITEM_END = Buffer.from("\r\nEND\r\n");

const ERROR_WORDS = { error: "ERROR", client: "CLIENT_ERROR", server: "SERVER_ERROR" } as const;
// One character a byte: anything beyond would lose its high byte, and could come out as a line feed.
const NOT_IN_A_LINE = /[^\x20-\x7e\x80-\xff]+/g;

/** Writes `reply` in memcache's words, every line ended by CR LF. Silence and the ends of a connection write nothing. */
export function encodeReply(reply: Reply, out: ByteBuffer): void {
  switch (reply.kind) {
    case "stored":
      out.append(STORED);
      break;
    case "item":
      encodeItem(reply, out);
      break;
    case "end":
      out.append(END);
      break;
    case "not-stored":
      out.append(NOT_STORED);
      break;
    case "deleted":
      out.append(DELETED);
      break;
    case "flushed-all":
      out.append(FLUSHED_ALL);
      break;
    case "ok":
      out.append(OK);
      break;
    case "version":
      out.appendLatin1(`VERSION ${reply.version}\r\n`);
      break;
    case "stats":
      encodeStats(reply.lines, out);
      break;
    case "error":
      encodeError(reply, out);
      break;
    case "silence":
    case "hang-up":
    case "cut-off":
      break;
  }
}

// The flags are 0 whatever the item has, as Kestrel shows them: clients' serializers have come to lean on it.
function encodeItem(reply: ItemReply, out: ByteBuffer): void {
  const { data } = reply.item;
  out.appendLatin1(`VALUE ${reply.queue} 0 ${data.length}\r\n`);
  out.append(data);
  out.append(ITEM_END);
}

function encodeStats(lines: readonly StatLine[], out: ByteBuffer): void {
  for (const [name, value] of lines) out.appendLatin1(`STAT ${name} ${value}\r\n`);
  out.append(END);
}

function encodeError({ blame, message }: ErrorReply, out: ByteBuffer): void {
  const reason = message.replace(NOT_IN_A_LINE, " ");
  out.appendLatin1(reason === "" ? `${ERROR_WORDS[blame]}\r\n` : `${ERROR_WORDS[blame]} ${reason}\r\n`);
}
