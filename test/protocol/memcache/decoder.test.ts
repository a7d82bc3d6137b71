import t from "tap";
import { KESTREL_DIALECT } from "../../../src/config/settings.js";
import type { Codec } from "../../../src/protocol/codec.js";
import { memcacheCodecs } from "../../../src/protocol/memcache/memcache-codec.js";
import { decode, decodeEach, decodeLate, pull, type Seen, singleBytes } from "../../helpers/decoding.js";

const newCodec = memcacheCodecs(
  { maxRequestBytes: 64 * 1024 * 1024, maxItemBytes: () => Number.POSITIVE_INFINITY, extensions: true },
  KESTREL_DIALECT,
);
const VERSION = { kind: "version" };

/** What a command comes to, in a word or two. */
function brief(command: Seen): string {
  switch (command["kind"]) {
    case "put":
      return `put ${command["queue"]} ${command["data"]}`;
    case "fetch":
      return `fetch ${command["queue"]}`;
    case "malformed":
      return `${command["close"] === true ? "close" : "stay"}: ${command["message"]}`;
    default:
      return String(command["kind"]);
  }
}

const transcript = (...chunks: (Buffer | string)[]): string[] => decode(newCodec(), ...chunks).map(brief);

function tooLong(codec: Codec, ...chunks: (Buffer | string)[]): boolean {
  return decode(codec, ...chunks).some((command) => command["message"] === "line too long");
}

t.test("a line ends with LF, with or without CR (case A2)", async (t) => {
  t.same(transcript("STATS\nversion\r\nget q\n"), ["stats", "version", "fetch q"]);
});

t.test("only one CR belongs to the end of a line", async (t) => {
  t.same(transcript("get q\r\r\n"), ["fetch q\r"]);
  t.same(transcript("version\r\r\n"), ["close: unknown command"]);
});

t.test("an empty line is one error, and nothing behind it is read (case A5)", async (t) => {
  t.same(transcript("\r\nversion\r\n"), ["close: empty line"]);
  t.same(transcript("\nversion\r\n"), ["close: empty line"]);
});

t.test("commands in one packet come out in their order (case A8)", async (t) => {
  t.same(transcript("set q 0 0 1\r\na\r\nset q 0 0 1\r\nb\r\nget q\r\nget q\r\nget q\r\n"), [
    "put q a",
    "put q b",
    "fetch q",
    "fetch q",
    "fetch q",
  ]);
});

t.test("a line without its end is no command", async (t) => {
  const codec = newCodec();
  t.same(decode(codec, "version"), []);
  t.equal(codec.bufferedBytes, 7);
  t.same(decode(codec, "\r"), []);
  t.same(decode(codec, "\nget"), [VERSION]);
  t.equal(codec.bufferedBytes, 3);
});

t.test("nothing is decoded ahead of what is taken", async (t) => {
  const codec = newCodec();
  codec.feed(Buffer.from("version\r\nquit\r\n"));
  t.same(codec.next(), VERSION);
  t.equal(codec.bufferedBytes, 6);
  codec.feed(Buffer.from("stats\r\n"));
  t.equal(codec.bufferedBytes, 13);
  t.same(pull(codec).map(brief), ["quit", "stats"]);
  t.equal(codec.bufferedBytes, 0);
});

t.test("an empty chunk is nothing", async (t) => {
  t.same(transcript("", "ver", "", "sion\r\n", ""), ["version"]);
  t.same(decodeLate(newCodec(), [Buffer.from("version\r\n"), Buffer.alloc(0), Buffer.from("stats\r\n")]).map(brief), [
    "version",
    "stats",
  ]);
});

t.test("a line of 8 KiB is served, a longer one closes (case A30)", async (t) => {
  const line = `stats ${"x".repeat(8192 - 6)}`;
  t.notOk(tooLong(newCodec(), `${line}\n`));
  t.ok(tooLong(newCodec(), `${line}\r\n`));
  t.ok(tooLong(newCodec(), `${line}x\n`));
  t.notOk(tooLong(newCodec(), ...singleBytes(Buffer.from(`${line}\n`))));
  t.ok(tooLong(newCodec(), ...singleBytes(Buffer.from(`${line}x`))));
});

t.test("an endless line closes as soon as it is too long, whatever it is cut into (case A30)", async (t) => {
  for (const chunks of [
    [Buffer.alloc(1024 * 1024, "a")],
    [Buffer.alloc(1024 * 1024, "a"), Buffer.from("\n")],
    singleBytes(Buffer.alloc(9000, "a")),
    Array.from({ length: 20 }, () => Buffer.alloc(1000, "a")),
  ]) {
    const codec = newCodec();
    t.same(decode(codec, ...chunks).map(brief), ["close: line too long"]);
    t.equal(codec.bufferedBytes, 0);
  }
});

t.test("after a command that closes nothing is kept or decoded", async (t) => {
  const codec = newCodec();
  t.same(decode(codec, "nonsense\r\nversion\r\n", "version\r\n", Buffer.alloc(100_000)).map(brief), [
    "close: unknown command",
  ]);
  t.equal(codec.bufferedBytes, 0);
});

t.test("a binary client is hung up on at its first byte, with a notice (case A31)", async (t) => {
  const request = Buffer.concat([Buffer.from([0x80, 0x0b, 0, 0]), Buffer.alloc(20)]);
  for (const chunks of [[request], [Buffer.from([0x80])], singleBytes(request)]) {
    const commands = decode(newCodec(), ...chunks);
    t.match(commands, [{ kind: "malformed", message: "", close: true, silent: true, notice: /binary protocol/ }]);
    t.equal(commands.length, 1);
  }
});

t.test("0x80 anywhere else is a byte like others", async (t) => {
  t.same(transcript("set q\x80 0 0 1\r\n\x80\r\nget \x80\r\n"), ["put q\x80 \x80", "fetch \x80"]);
  t.same(transcript(" \x80\r\n"), ["close: unknown command"]);
  t.same(transcript("version\r\n\x80"), ["version", "close: "]);
  t.same(transcript("get q", "\x80\r\n"), ["fetch q\x80"]);
});

t.test("an HTTP request runs none of the commands in its body", async (t) => {
  t.same(transcript("POST / HTTP/1.1\r\nHost: x\r\n\r\nflush_all\r\n"), ["close: "]);
  t.match(decode(newCodec(), "GET /stats HTTP/1.0\r\n"), [{ silent: true, notice: /HTTP/ }]);
});

t.test("errors that stay open leave the next command in step (cases A19, A20, A42)", async (t) => {
  t.same(transcript("get\r\nset q 0 0\r\ndelete\r\nflush\r\nversion\r\n"), [
    "stay: missing argument",
    "stay: missing argument",
    "stay: missing argument",
    "stay: missing argument",
    "version",
  ]);
  t.same(transcript("set q x 0 1\r\na\r\nset q 0 x 1\r\na\r\nget q/t=abc\r\nversion\r\n"), [
    "stay: bad flags",
    "stay: bad expiry",
    "stay: bad timeout",
    "version",
  ]);
});

t.test("a million chunks of one byte cost neither a buffer each nor time by their square", async (t) => {
  const bytes = Buffer.from(`set q 0 0 1000000\r\n${"x".repeat(1_000_000)}\r\nversion\r\n`);
  const chunks = singleBytes(bytes);
  t.same(
    decodeEach(newCodec(), chunks).map((command) => command["kind"]),
    ["put", "version"],
  );
  const parked = newCodec();
  parked.feed(Buffer.from("get q/t=1000\r\n"));
  for (const chunk of chunks) parked.feed(chunk);
  t.same(
    pull(parked).map((command) => command["kind"]),
    ["fetch", "put", "version"],
  );
});
