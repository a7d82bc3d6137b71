import t from "tap";
import { KESTREL_DIALECT } from "../../../src/config/settings.js";
import type { Codec } from "../../../src/protocol/codec.js";
import type { PutCommand } from "../../../src/protocol/command.js";
import { memcacheCodecs } from "../../../src/protocol/memcache/memcache-codec.js";
import { decode, singleBytes } from "../../helpers/decoding.js";

const MIB = 1024 * 1024;
const newCodec = memcacheCodecs(
  {
    maxRequestBytes: 64 * MIB,
    maxItemBytes: (queue) => (queue === "small" ? 1000 : Number.POSITIVE_INFINITY),
    extensions: true,
  },
  KESTREL_DIALECT,
);

const put = (data: string): object => ({ kind: "put", data });
const badChunk = { kind: "malformed", message: "bad data chunk", close: true, silent: false };
const VERSION = { kind: "version" };

function take(codec: Codec, chunk: Buffer | string): PutCommand | null {
  codec.feed(Buffer.from(chunk as string));
  const command = codec.next();
  return command?.kind === "put" ? command : null;
}

/** How much the memory outside of the heap grows while `work` runs, in bytes. */
function grownBy(work: () => unknown): number {
  const before = process.memoryUsage().arrayBuffers;
  work();
  return process.memoryUsage().arrayBuffers - before;
}

t.test("a body is taken by its length, whatever it holds (cases A10, A11)", async (t) => {
  t.match(decode(newCodec(), "set q 0 0 9\r\nEND\r\nOK\r\n\r\n"), [put("END\r\nOK\r\n")]);
  t.match(decode(newCodec(), "set q 0 0 4\r\n\r\n\r\n\r\nversion\r\n"), [put("\r\n\r\n"), VERSION]);
  const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const commands = decode(newCodec(), Buffer.concat([Buffer.from("set q 0 0 256\r\n"), every, Buffer.from("\r\n")]));
  t.match(commands, [put(every.toString("latin1"))]);
});

t.test("a body may be empty (case A12)", async (t) => {
  t.match(decode(newCodec(), "set q 0 0 0\r\n\r\nversion\r\n"), [put(""), VERSION]);
  t.match(decode(newCodec(), ...singleBytes(Buffer.from("set q 0 0 0\r\n\r\nversion\r\n"))), [put(""), VERSION]);
});

t.test("data longer than declared stores nothing and closes (case A13)", async (t) => {
  t.same(decode(newCodec(), "set q 0 0 3\r\nabcdef\r\nversion\r\n"), [badChunk]);
  t.same(decode(newCodec(), ...singleBytes(Buffer.from("set q 0 0 3\r\nabcdef\r\nversion\r\n"))), [badChunk]);
});

t.test("data shorter than declared stores nothing and closes (case A14)", async (t) => {
  t.same(decode(newCodec(), "set q 0 0 5\r\nabc\r\nget q\r\n"), [badChunk]);
});

t.test("the data ends with CR LF, with nothing less", async (t) => {
  t.same(decode(newCodec(), "set q 0 0 1\r\na\nversion\r\n"), [badChunk]);
  t.same(decode(newCodec(), "set q 0 0 1\na\r\r\n"), [badChunk]);
  t.same(decode(newCodec(), "set q 0 0 1\r\na", "\n"), [badChunk], "seen at the first wrong byte");
  t.same(decode(newCodec(), "set q 0 0 1\r\na", "\r", "x"), [badChunk]);
});

t.test("noreply silences a bad data chunk, which closes all the same", async (t) => {
  const silent = { kind: "malformed", message: "", close: true, silent: true };
  t.same(decode(newCodec(), "set q 0 0 3 noreply\r\nabcdef\r\n"), [silent]);
  t.same(decode(newCodec(), "set q 0 0 3 noreply\r\nabc", "def\r\n"), [silent]);
});

t.test("an item over its queue's limit is swallowed, whatever it is cut into (case A18)", async (t) => {
  const input = Buffer.from(`set small 0 0 2000\r\n${"x".repeat(2000)}\r\nversion\r\n`);
  const expected = [{ kind: "oversized-put", queue: "small", bytes: 2000, noreply: false }, VERSION];
  t.same(decode(newCodec(), input), expected);
  t.same(decode(newCodec(), ...singleBytes(input)), expected);
});

t.test("what is swallowed is not kept", async (t) => {
  const codec = newCodec();
  decode(codec, `set small 0 0 ${32 * MIB}\r\n`);
  const chunk = Buffer.alloc(MIB);
  const seen: unknown[] = [];
  const grown = grownBy(() => {
    for (let n = 0; n < 32; n++) {
      codec.feed(chunk);
      seen.push(codec.next(), codec.bufferedBytes);
    }
  });
  t.same(new Set(seen), new Set([null, 0]));
  t.ok(grown < MIB, `${grown} bytes grown`);
  t.same(decode(codec, "\r\n"), [{ kind: "oversized-put", queue: "small", bytes: 32 * MIB, noreply: false }]);
});

t.test("a swallowed body must end properly, too", async (t) => {
  t.same(decode(newCodec(), "set q x 0 3\r\nabcdef\r\nversion\r\n"), [badChunk]);
  t.same(decode(newCodec(), "set q x 0 3\r\nabc", "def\r\n"), [badChunk]);
});

t.test("storage commands that a queue does not have swallow their body and close", async (t) => {
  for (const line of ["add q 0 0 5", "cas q 0 0 5 17"]) {
    const codec = newCodec();
    t.same(decode(codec, `${line}\r\nhel`), []);
    t.same(decode(codec, "lo\r\nversion\r\n"), [{ ...badChunk, message: "command not supported" }], line);
  }
});

t.test("a body that lies in one chunk is a slice of it", async (t) => {
  const chunk = Buffer.from("set q 0 0 5\r\nhello\r\n");
  const codec = newCodec();
  codec.feed(chunk);
  const command = codec.next() as PutCommand;
  t.notOk(command.ownsData);
  t.equal(command.data.buffer, chunk.buffer);
  t.equal(command.data.toString(), "hello");
});

t.test("so is one that comes whole after its line", async (t) => {
  const codec = newCodec();
  t.equal(take(codec, "set q 0 0 5\r\n"), null);
  t.match(take(codec, "hello\r\n"), { ownsData: false });
});

t.test("a body that is cut gets a buffer of its own, of exactly its size", async (t) => {
  for (const size of [1, 5, 1000, MIB, MIB + 1, 3 * MIB + 7]) {
    const body = Buffer.alloc(size, "abcdefg");
    const codec = newCodec();
    t.equal(take(codec, `set q 0 0 ${size}\r\n`), null);
    for (let at = 0; at < size; at += 64 * 1024) t.equal(take(codec, body.subarray(at, at + 64 * 1024)), null);
    const command = take(codec, "\r\n");
    t.ok(command?.ownsData, `${size} bytes`);
    t.ok(command?.data.equals(body), `${size} bytes`);
    t.equal(command?.data.buffer.byteLength, size);
  }
});

t.test("a body in progress counts as buffered", async (t) => {
  const codec = newCodec();
  decode(codec, "set q 0 0 100\r\n0123456789");
  t.equal(codec.bufferedBytes, 10);
  decode(codec, Buffer.alloc(40));
  t.equal(codec.bufferedBytes, 50);
});

t.test("a size that is only declared costs no memory (case A16)", async (t) => {
  const declared = grownBy(() => decode(newCodec(), `set q 0 0 ${64 * MIB}\r\n`));
  t.ok(declared < MIB, `${declared} bytes for the line alone`);
  const begun = grownBy(() => decode(newCodec(), `set q 0 0 ${64 * MIB}\r\nabc`));
  t.ok(begun < 2 * MIB, `${begun} bytes for the line and three bytes`);
});

t.test("one byte over the ceiling is refused before a byte is kept (case A16)", async (t) => {
  const codec = newCodec();
  t.same(decode(codec, `set q 0 0 ${64 * MIB + 1}\r\nabc`), [{ ...badChunk, message: "object too large" }]);
  t.equal(codec.bufferedBytes, 0);
});
