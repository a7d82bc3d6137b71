import fc from "fast-check";
import t from "tap";
import { KESTREL_DIALECT } from "../../../src/config/settings.js";
import { ByteBuffer } from "../../../src/protocol/byte-buffer.js";
import { memcacheCodecs } from "../../../src/protocol/memcache/memcache-codec.js";
import { STORED } from "../../../src/protocol/reply.js";
import { testCodecCuts } from "../../cases/codec-cuts.js";
import { cut, decode, decodeLate, type Seen } from "../../helpers/decoding.js";

const newCodec = memcacheCodecs(
  {
    maxRequestBytes: 100_000,
    maxItemBytes: (queue) => (queue === "small" ? 10 : Number.POSITIVE_INFINITY),
    extensions: true,
  },
  KESTREL_DIALECT,
);

const INPUTS = [
  "set q 0 0 5\r\nhello\r\nget q\r\n",
  "set q 0 0 1\r\na\r\nset q 0 0 1\r\nb\r\nget q\r\nget q\r\nget q\r\n",
  "SET q 7 -1 9 noreply\r\nEND\r\nOK\r\n\r\ngets q/t=700/close/open \r\nversion\n",
  "set q 0 1700000000 0\n\r\nget  q/peek\ndelete q 0 noreply\nflush q\nflush_all\nverbosity 1\nstats\nquit\n",
  "get\r\nset q 0 0\r\nget q/t=abc\r\nset q x 0 3\r\nabc\r\nset q 0 x 0\r\n\r\nset small 0 0 11\r\n0123456789a\r\nversion\r\n",
  "version\r\nadd q 0 0 5\r\nhello\r\nversion\r\n",
  "version\r\ncas q 0 0 5 17 noreply\r\nhello\r\nversion\r\n",
  "set q 0 0 3\r\nabcdef\r\nversion\r\n",
  "set q 0 0 5\r\nabc\r\nget q\r\n",
  "set q 0 0 3\r\nabc\nversion\r\n",
  "set q x 0 3\r\nabc\r\rversion\r\n",
  "set q 0 0 -1\r\nversion\r\n",
  "set q 0 0 100001\r\nversion\r\n",
  "get q/clsoe\r\nversion\r\n",
  "get q/open/n=10/id\r\nget q/close=17/close=18\r\nget q/abort=9/delay=50\r\nget q/peek/at=3\r\nversion\r\n",
  "set q/delay=500 0 0 2\r\nab\r\nset q/delay=x 0 0 2\r\nab\r\nversion\r\n",
  "monitor q 10 5\r\nconfirm q 5\r\nflush_expired q\r\nflush_all_expired\r\nstatus\nstatus ReadOnly\r\nreload\r\n",
  "dump_stats\r\ndump_stats a  b c d e f g h \r\ndump_config q\r\nmonitor q\r\nconfirm q x\r\n",
  "get q/peek/open\r\nversion\r\n",
  "get q\r\r\nget /peek\r\nversion\r\n",
  "die in a fire\r\nversion\r\n",
  "version\r\n\r\nversion\r\n",
  "version\r\n\x80\x0b\x00\x00\r\nversion\r\n",
  "GET / HTTP/1.1\r\nHost: localhost\r\n\r\nflush_all\r\n",
  "set \x80\xff 0 0 4\r\n\x00\x80\r\n\r\nget \x80\xff\r\nget unfinished",
  "set q 0 0 10\r\nunfinis",
  "set q 0 0 3\r\nabc\r",
];

testCodecCuts(
  t,
  newCodec,
  INPUTS.map((text) => ({ title: JSON.stringify(text), bytes: Buffer.from(text, "latin1") })),
);

const binary = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
testCodecCuts(t, newCodec, [
  {
    title: "all bytes as a payload",
    bytes: Buffer.concat([Buffer.from("set q 0 0 256\r\n"), binary, Buffer.from("\r\nget q\r\n")]),
  },
]);

/** Some bytes for the wire, and the commands that they are. */
interface Piece {
  readonly bytes: Buffer;
  readonly expected: Seen;
}

const name = fc.stringMatching(/^[a-zA-Z0-9_+:\x80-\xff-]{1,12}$/);
const spaces = fc.constantFrom(" ", " ", "  ");
const lineEnd = fc.constantFrom("\r\n", "\r\n", "\n", " \r\n");

const putPiece: fc.Arbitrary<Piece> = fc
  .record({
    queue: name,
    space: spaces,
    end: lineEnd,
    flags: fc.nat({ max: 2 ** 32 - 1 }),
    seconds: fc.integer({ min: 1, max: 999_999 }),
    data: fc.uint8Array({ maxLength: 200 }),
    noreply: fc.boolean(),
  })
  .map(({ queue, space, end, flags, seconds, data, noreply }) => {
    const words = ["set", queue, flags, seconds, data.length, ...(noreply ? ["noreply"] : [])];
    const line = Buffer.from(words.join(space) + end, "latin1");
    const text = Buffer.from(data).toString("latin1");
    return {
      bytes: Buffer.concat([line, data, Buffer.from("\r\n")]),
      expected: {
        kind: "put",
        queue,
        flags,
        expiryKind: "in",
        expiryMs: seconds * 1000,
        delayMs: 0,
        data: text,
        noreply,
      },
    };
  });

const fetchPiece: fc.Arbitrary<Piece> = fc
  .record({ queue: name, space: spaces, end: lineEnd, waitMs: fc.nat({ max: 5000 }), open: fc.boolean() })
  .map(({ queue, space, end, waitMs, open }) => {
    const key = `${queue}/t=${waitMs}${open ? "/open" : ""}`;
    const rest = { close: false, abort: false, peek: false, withCas: false, extras: null, ignoredOption: null };
    return {
      bytes: Buffer.from(`get${space}${key}${end}`, "latin1"),
      expected: { kind: "fetch", queue, key, waitMs, open, ...rest },
    };
  });

const stream = fc.record({
  pieces: fc.array(fc.oneof(putPiece, fetchPiece), { minLength: 1, maxLength: 8 }),
  places: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }),
});

t.test("random commands come out as they went in, however they are cut", async (t) => {
  fc.assert(
    fc.property(stream, ({ pieces, places }) => {
      const bytes = Buffer.concat(pieces.map((piece) => piece.bytes));
      const expected = pieces.map((piece) => piece.expected);
      const chunks = cut(
        bytes,
        places.map((place) => Math.floor(place * bytes.length)),
      );
      const codec = newCodec();
      t.same(decode(codec, ...chunks), expected);
      t.equal(codec.bufferedBytes, 0);
      t.same(decodeLate(newCodec(), chunks), expected);
    }),
    { numRuns: 300 },
  );
});

t.test("random bytes never throw, and come to the same however they are cut", async (t) => {
  const words = [
    "set ",
    "get ",
    "q ",
    "0 ",
    "0 ",
    "3",
    "noreply",
    "\r\n",
    "\r\n",
    "\n",
    "\r",
    " ",
    "abc",
    "/open",
    "/t=5",
    "\x80",
    "-1",
    "x",
  ];
  const noise = fc.record({
    words: fc.array(fc.constantFrom(...words), { maxLength: 40 }),
    places: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 }),
  });
  fc.assert(
    fc.property(noise, ({ words, places }) => {
      const bytes = Buffer.from(words.join(""), "latin1");
      const chunks = cut(
        bytes,
        places.map((place) => Math.floor(place * bytes.length)),
      );
      t.same(decode(newCodec(), ...chunks), decode(newCodec(), bytes));
    }),
    { numRuns: 1000 },
  );
});

t.test("connections do not mix, though they share what was learnt of names", async (t) => {
  const [a, b] = [newCodec(), newCodec()];
  t.same(decode(a, "set q 0 0 3\r\na"), []);
  t.match(decode(b, "set q 0 0 1\r\nb\r\n"), [{ queue: "q", data: "b" }]);
  t.match(decode(a, "aa\r\nget q\r\n"), [{ queue: "q", data: "aaa" }, { kind: "fetch" }]);
});

t.test("the codec writes the reply to a command", async (t) => {
  const codec = newCodec();
  const out = new ByteBuffer();
  codec.encode(STORED, { kind: "version" }, out);
  t.equal(Buffer.concat(out.drain()).toString(), "STORED\r\n");
});
