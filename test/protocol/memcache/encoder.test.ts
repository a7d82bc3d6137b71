import t from "tap";
import { KESTREL_DIALECT } from "../../../src/config/settings.js";
import { ByteBuffer } from "../../../src/protocol/byte-buffer.js";
import type { Command } from "../../../src/protocol/command.js";
import { Encoder, type Speech } from "../../../src/protocol/memcache/encoder.js";
import { parseKey } from "../../../src/protocol/memcache/key-options.js";
import {
  clientError,
  DELETED,
  END,
  FLUSHED_ALL,
  HANG_UP,
  type ItemReply,
  NOT_STORED,
  NOTHING_TO_DELETE,
  OK,
  RELOADED,
  type Reply,
  SILENCE,
  STORED,
  serverError,
  stateError,
} from "../../../src/protocol/reply.js";

const VERSION: Command = { kind: "version" };

function encode(...replies: Reply[]): string {
  return encodeFor(VERSION, {}, ...replies);
}

function encodeFor(command: Command, speech: Partial<Speech>, ...replies: Reply[]): string {
  const encoder = new Encoder({ ...KESTREL_DIALECT, ...speech });
  const out = new ByteBuffer();
  for (const reply of replies) encoder.encode(reply, command, out);
  return Buffer.concat(out.drain()).toString("latin1");
}

function itemReply(queue: string, data: Buffer, flags = 0): ItemReply {
  const item = { seq: 1, data, flags, addedAt: 0, expiresAt: 0, meta: Buffer.alloc(0), attempts: 0 };
  return { kind: "item", queue, item, keepFlags: false, id: null };
}

function fetch(key: string, withCas = false): Command {
  const parsed = parseKey(Buffer.from(key, "latin1"));
  if ("fault" in parsed) throw new Error(parsed.fault);
  return { kind: "fetch", key, withCas, ...parsed };
}

t.test("every reply is a line of memcache's", async (t) => {
  t.equal(encode(STORED), "STORED\r\n");
  t.equal(encode(NOT_STORED), "NOT_STORED\r\n");
  t.equal(encode(END), "END\r\n");
  t.equal(encode(DELETED), "DELETED\r\n");
  t.equal(encode(FLUSHED_ALL), "Flushed all queues.\r\n");
  t.equal(encode(OK), "OK\r\n");
  t.equal(encode({ kind: "version", version: "0.1.0" }), "VERSION 0.1.0\r\n");
});

t.test("an item is a block with its length", async (t) => {
  t.equal(encode(itemReply("jobs", Buffer.from("hello"))), "VALUE jobs 0 5\r\nhello\r\nEND\r\n");
});

t.test("an empty item is a block, too (case A12)", async (t) => {
  t.equal(encode(itemReply("q", Buffer.alloc(0))), "VALUE q 0 0\r\n\r\nEND\r\n");
});

t.test("flags are shown as 0 (case A22)", async (t) => {
  t.equal(encode(itemReply("q", Buffer.from("a"), 7)), "VALUE q 0 1\r\na\r\nEND\r\n");
});

t.test("names and data keep every byte (case A11)", async (t) => {
  const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  t.equal(encode(itemReply("\xe9\xff", every)), `VALUE \xe9\xff 0 256\r\n${every.toString("latin1")}\r\nEND\r\n`);
});

t.test("a large item goes out uncopied, in its place between the lines", async (t) => {
  const data = Buffer.alloc(100_000, "x");
  const out = new ByteBuffer();
  const encoder = new Encoder(KESTREL_DIALECT);
  for (const reply of [STORED, itemReply("q", data), END]) encoder.encode(reply, VERSION, out);
  const pieces = out.drain();
  t.ok(pieces.includes(data));
  const expected = `STORED\r\nVALUE q 0 100000\r\n${"x".repeat(100_000)}\r\nEND\r\nEND\r\n`;
  t.equal(Buffer.concat(pieces).toString("latin1"), expected);
});

t.test("an error is its word and its reason, if it has one", async (t) => {
  t.equal(encode(clientError("bad data chunk", true)), "CLIENT_ERROR bad data chunk\r\n");
  t.equal(encode(serverError("writes are blocked", false)), "SERVER_ERROR writes are blocked\r\n");
  t.equal(encode(stateError("", true)), "ERROR\r\n");
  t.equal(encode(stateError("too many open reads", true)), "ERROR too many open reads\r\n");
});

t.test("a reason cannot break out of its line", async (t) => {
  t.equal(encode(serverError("a\r\nSTORED\r\nb\x00c", false)), "SERVER_ERROR a STORED b c\r\n");
  t.equal(encode(serverError("\u010a\u010d caf\xe9 \u{1f4a5}", false)), "SERVER_ERROR   caf\xe9  \r\n");
});

t.test("statistics are lines and an END", async (t) => {
  const lines = [
    ["uptime", "5"],
    ["queue_caf\xe9_items", "18446744073709551615"],
  ] as const;
  t.equal(
    encode({ kind: "stats", lines, isLast: true }),
    "STAT uptime 5\r\nSTAT queue_caf\xe9_items 18446744073709551615\r\nEND\r\n",
  );
  t.equal(encode({ kind: "stats", lines: [], isLast: true }), "END\r\n");
});

t.test("statistics come in parts, the last has the END", async (t) => {
  const lines = [["a", "1"]] as const;
  t.equal(encode({ kind: "stats", lines, isLast: false }), "STAT a 1\r\n");
});

t.test("what is told queue by queue is in blocks (case I155)", async (t) => {
  const blocks = [
    {
      queue: "a",
      lines: [
        ["items", "1"],
        ["bytes", "5"],
      ] as const,
    },
    { queue: "b", lines: [] },
  ];
  const text = "queue 'a' {\r\n  items=1\r\n  bytes=5\r\n}\r\nqueue 'b' {\r\n}\r\n";
  t.equal(encode({ kind: "dump", blocks, isLast: true }), `${text}END\r\n`);
  t.equal(encode({ kind: "dump", blocks, isLast: false }), text);
});

t.test("what an operator asks for is a line", async (t) => {
  t.equal(encode({ kind: "status", status: "READONLY" }), "READONLY\r\n");
  t.equal(encode({ kind: "count", count: 12 }), "12\r\n");
  t.equal(encode(RELOADED), "Reloaded config.\r\n");
});

t.test("several items are blocks with one END", async (t) => {
  const items = ["a", "bc"].map((data) => itemReply("q", Buffer.from(data)));
  t.equal(encode({ kind: "items", items }), "VALUE q 0 1\r\na\r\nVALUE q 0 2\r\nbc\r\nEND\r\n");
});

t.test("flags are shown where the queue or the listener keeps them (case A22)", async (t) => {
  const reply = itemReply("q", Buffer.from("a"), 7);
  t.equal(encode({ ...reply, keepFlags: true }), "VALUE q 7 1\r\na\r\nEND\r\n");
  t.equal(encodeFor(VERSION, { keepFlags: true }, reply), "VALUE q 7 1\r\na\r\nEND\r\n");
});

t.test("gets has a CAS token where the listener gives one, get has none (case A27)", async (t) => {
  const reply = itemReply("q", Buffer.from("a"));
  const speech = { casOnGets: true };
  t.equal(encodeFor(fetch("q", true), speech, reply), "VALUE q 0 1 1\r\na\r\nEND\r\n");
  t.equal(encodeFor(fetch("q"), speech, reply), "VALUE q 0 1\r\na\r\nEND\r\n");
  t.equal(encodeFor(fetch("q", true), {}, reply), "VALUE q 0 1\r\na\r\nEND\r\n");
});

t.test("the delivery id is the fifth word, also of gets", async (t) => {
  const reply = { ...itemReply("q", Buffer.from("a")), id: 18_446_744_073_709_551_615n };
  t.equal(encode(reply), "VALUE q 0 1 18446744073709551615\r\na\r\nEND\r\n");
  t.equal(encodeFor(fetch("q", true), { casOnGets: true }, reply), "VALUE q 0 1 18446744073709551615\r\na\r\nEND\r\n");
});

t.test("a listener may echo the key as it was asked for (case A39)", async (t) => {
  const reply = itemReply("jobs", Buffer.from("hello"));
  t.equal(encodeFor(fetch("jobs/open"), {}, reply), "VALUE jobs 0 5\r\nhello\r\nEND\r\n");
  const speech = { echoRequestKey: true };
  t.equal(encodeFor(fetch("jobs/open"), speech, reply), "VALUE jobs/open 0 5\r\nhello\r\nEND\r\n");
  t.equal(
    encodeFor(fetch("jobs/open/n=2"), speech, { kind: "items", items: [reply] }),
    "VALUE jobs/open/n=2 0 5\r\nhello\r\nEND\r\n",
  );
  t.equal(encodeFor(VERSION, speech, reply), "VALUE jobs 0 5\r\nhello\r\nEND\r\n", "a monitor names no options");
});

t.test("a listener may use memcached's words", async (t) => {
  t.equal(encode(NOTHING_TO_DELETE), "DELETED\r\n");
  const speech = { memcachedWords: true };
  t.equal(encodeFor(VERSION, speech, DELETED, NOTHING_TO_DELETE, FLUSHED_ALL), "DELETED\r\nNOT_FOUND\r\nOK\r\n");
});

t.test("silence and hanging up write nothing", async (t) => {
  t.equal(encode(SILENCE, HANG_UP), "");
});

t.test("replies follow each other without a byte between", async (t) => {
  t.equal(encode(STORED, itemReply("q", Buffer.from("a")), END), "STORED\r\nVALUE q 0 1\r\na\r\nEND\r\nEND\r\n");
});
