import type { ByteBuffer } from "../byte-buffer.js";
import type { Command } from "../command.js";
import type { DumpBlock, ErrorReply, ItemReply, Reply } from "../reply.js";

/** Replies that are the same each time. */
const STORED = Buffer.from("STORED\r\n");
const NOT_STORED = Buffer.from("NOT_STORED\r\n");
const END = Buffer.from("END\r\n");
const DELETED = Buffer.from("DELETED\r\n");
const NOT_FOUND = Buffer.from("NOT_FOUND\r\n");
const FLUSHED_ALL = Buffer.from("Flushed all queues.\r\n");
const OK = Buffer.from("OK\r\n");
const RELOADED = Buffer.from("Reloaded config.\r\n");
const LINE_END = Buffer.from("\r\n");
const ITEM_END = Buffer.from("\r\nEND\r\n");

const ERROR_WORDS = { error: "ERROR", client: "CLIENT_ERROR", server: "SERVER_ERROR" } as const;
// One character a byte: anything beyond would lose its high byte, and could come out as a line feed.
const NOT_IN_A_LINE = /[^\x20-\x7e\x80-\xff]+/g;

/** How a listener's replies are worded, where Kestrel and memcached differ. */
export interface Speech {
  /** Items come with the flags that they were put with, whatever their queue says. */
  readonly keepFlags: boolean;
  /** `gets` answers with a CAS token. */
  readonly casOnGets: boolean;
  /** An item is named as it was asked for, options and all. */
  readonly echoRequestKey: boolean;
  /** `flush_all` answers `OK`, `delete` of a queue that does not exist `NOT_FOUND`. */
  readonly memcachedWords: boolean;
}

/** Replies to bytes, in the words of one listener. One of it serves all its connections. */
export class Encoder {
  readonly #speech: Speech;

  constructor(speech: Speech) {
    this.#speech = speech;
  }

  /**
   * Writes the reply to `command` in memcache's words, every line ended by CR LF. Silence and the ends of a connection
   * write nothing.
   */
  encode(reply: Reply, command: Command, out: ByteBuffer): void {
    switch (reply.kind) {
      case "stored":
        out.append(STORED);
        break;
      case "item":
        this.#encodeItem(reply, command, out);
        out.append(ITEM_END);
        break;
      case "items":
        this.#encodeItems(reply.items, command, out);
        break;
      case "end":
        out.append(END);
        break;
      case "not-stored":
        out.append(NOT_STORED);
        break;
      case "deleted":
        out.append(reply.existed || !this.#speech.memcachedWords ? DELETED : NOT_FOUND);
        break;
      case "flushed-all":
        out.append(this.#speech.memcachedWords ? OK : FLUSHED_ALL);
        break;
      case "ok":
        out.append(OK);
        break;
      case "reloaded":
        out.append(RELOADED);
        break;
      case "status":
        out.appendLatin1(`${reply.status}\r\n`);
        break;
      case "count":
        out.appendLatin1(`${reply.count}\r\n`);
        break;
      case "version":
        out.appendLatin1(`VERSION ${reply.version}\r\n`);
        break;
      case "stats":
        for (const [name, value] of reply.lines) out.appendLatin1(`STAT ${name} ${value}\r\n`);
        if (reply.isLast) out.append(END);
        break;
      case "dump":
        for (const block of reply.blocks) encodeBlock(block, out);
        if (reply.isLast) out.append(END);
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

  #encodeItems(items: readonly ItemReply[], command: Command, out: ByteBuffer): void {
    for (const item of items) {
      this.#encodeItem(item, command, out);
      out.append(LINE_END);
    }
    out.append(END);
  }

  // Without either switch the flags are 0 whatever the item has, as Kestrel shows them: serializers lean on it.
  #encodeItem(reply: ItemReply, command: Command, out: ByteBuffer): void {
    const { data, flags } = reply.item;
    const key = this.#speech.echoRequestKey && command.kind === "fetch" ? command.key : reply.queue;
    const shownFlags = reply.keepFlags || this.#speech.keepFlags ? flags : 0;
    out.appendLatin1(`VALUE ${key} ${shownFlags} ${data.length}${this.#fifthWord(reply, command)}\r\n`);
    out.append(data);
  }

  // A client that asked for both gets the delivery id, which is as good a token: it never comes twice.
  #fifthWord({ id, item }: ItemReply, command: Command): string {
    if (id !== null) return ` ${id}`;
    return this.#speech.casOnGets && command.kind === "fetch" && command.withCas ? ` ${item.seq}` : "";
  }
}

function encodeBlock({ queue, lines }: DumpBlock, out: ByteBuffer): void {
  out.appendLatin1(`queue '${queue}' {\r\n`);
  for (const [name, value] of lines) out.appendLatin1(`  ${name}=${value}\r\n`);
  out.appendLatin1("}\r\n");
}

function encodeError({ blame, message }: ErrorReply, out: ByteBuffer): void {
  const reason = message.replace(NOT_IN_A_LINE, " ");
  out.appendLatin1(reason === "" ? `${ERROR_WORDS[blame]}\r\n` : `${ERROR_WORDS[blame]} ${reason}\r\n`);
}
