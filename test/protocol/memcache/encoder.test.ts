import t from "tap";
import { ByteBuffer } from "../../../src/protocol/byte-buffer.js";
import { encodeReply } from "../../../src/protocol/memcache/encoder.js";
import {
  clientError,
  DELETED,
  END,
  FLUSHED_ALL,
  HANG_UP,
  NOT_STORED,
  OK,
  type Reply,
  SILENCE,
  STORED,
  serverError,
  stateError,
} from "../../../src/protocol/reply.js";

function encode(...replies: Reply[]): string {
  const out = new ByteBuffer();
  for (const reply of replies) encodeReply(reply, out);
  return Buffer.concat(out.drain()).toString("latin1");
}

function itemReply(queue: string, data: Buffer, flags = 0): Reply {
  return { kind: "item", queue, item: { seq: 1, data, flags, addedAt: 0, expiresAt: 0, attempts: 0 } };
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
  for (const reply of [STORED, itemReply("q", data), END]) encodeReply(reply, out);
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
    encode({ kind: "stats", lines }),
    "STAT uptime 5\r\nSTAT queue_caf\xe9_items 18446744073709551615\r\nEND\r\n",
  );
  t.equal(encode({ kind: "stats", lines: [] }), "END\r\n");
});

t.test("silence and hanging up write nothing", async (t) => {
  t.equal(encode(SILENCE, HANG_UP), "");
});

t.test("replies follow each other without a byte between", async (t) => {
  t.equal(encode(STORED, itemReply("q", Buffer.from("a")), END), "STORED\r\nVALUE q 0 1\r\na\r\nEND\r\nEND\r\n");
});
