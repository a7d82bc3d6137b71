import t from "tap";
import { type Answer, ReplyDecoder } from "../../src/client/reply-decoder.js";

function decode(chunks: readonly Buffer[]): Answer[] {
  const decoder = new ReplyDecoder();
  const answers: Answer[] = [];
  for (const chunk of chunks) {
    decoder.feed(chunk);
    for (let answer = decoder.next(); answer !== null; answer = decoder.next()) answers.push(answer);
  }
  return answers;
}

function end(...items: readonly { readonly data: Buffer; readonly flags: number }[]): Answer {
  return { kind: "end", items, stats: [] };
}

function bytes(text: string): Buffer {
  return Buffer.from(text, "latin1");
}

const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const PROTOCOL_WORDS = bytes("END\r\nOK\r\nSTORED\r\nVALUE q 0 3\r\n");

const WIRE = Buffer.concat([
  bytes("STORED\r\n"),
  bytes("END\r\n"),
  bytes("VALUE jobs 0 256\r\n"),
  EVERY_BYTE,
  bytes("\r\nEND\r\n"),
  bytes(`VALUE jobs 7 ${PROTOCOL_WORDS.length}\r\n`),
  PROTOCOL_WORDS,
  bytes("\r\nEND\r\n"),
  bytes("VALUE jobs/open 0 0 42\r\n\r\nEND\r\n"),
  bytes("STAT uptime 5\r\nSTAT queue_a_b_items 0\r\nSTAT version windhover 1\r\nSTAT empty \r\nEND\r\n"),
  bytes("VALUE a\xa0b 0 1\r\nx\r\nVALUE a 0 1\r\ny\r\nEND\r\n"),
  bytes("CLIENT_ERROR bad data chunk\r\nERROR\r\nVERSION 1.2.3\n"),
]);

const ANSWERS: readonly Answer[] = [
  { kind: "line", text: "STORED" },
  end(),
  end({ data: EVERY_BYTE, flags: 0 }),
  end({ data: PROTOCOL_WORDS, flags: 7 }),
  end({ data: bytes(""), flags: 0 }),
  {
    kind: "end",
    items: [],
    stats: [
      ["uptime", "5"],
      ["queue_a_b_items", "0"],
      ["version", "windhover 1"],
      ["empty", ""],
    ],
  },
  end({ data: bytes("x"), flags: 0 }, { data: bytes("y"), flags: 0 }),
  { kind: "refusal", text: "CLIENT_ERROR bad data chunk" },
  { kind: "refusal", text: "ERROR" },
  { kind: "line", text: "VERSION 1.2.3" },
];

t.test("a stream of answers is read whole", async (t) => {
  t.same(decode([WIRE]), ANSWERS);
});

t.test("a stream of answers cut in two at any byte is read the same (cases A6, A10, A11, A12)", async (t) => {
  for (let at = 0; at <= WIRE.length; at++) {
    const answers = decode([WIRE.subarray(0, at), WIRE.subarray(at)]);
    if (!t.same(answers, ANSWERS, `cut at ${at}`)) return;
  }
});

t.test("a stream of answers is read the same byte by byte", async (t) => {
  t.same(decode([...WIRE].map((byte) => Buffer.from([byte]))), ANSWERS);
});

t.test("an item's data does not hang on the chunk that it came in", async (t) => {
  const chunk = bytes("VALUE q 0 5\r\nhello\r\nEND\r\n");
  const [answer] = decode([chunk]);
  chunk.fill(0);
  t.same(answer, end({ data: bytes("hello"), flags: 0 }));
});

t.test("an answer that was given is not changed by the next", async (t) => {
  const [first, second] = decode([bytes("END\r\nVALUE q 0 1\r\nx\r\nEND\r\n")]);
  t.same(first, end());
  t.same(second, end({ data: bytes("x"), flags: 0 }));
});

t.test("a line may be as long as the children of a large fanout", async (t) => {
  const children = "child,".repeat(100_000);
  t.same(decode([bytes(`STAT queue_a_children ${children}\r\nEND\r\n`)])[0], {
    kind: "end",
    items: [],
    stats: [["queue_a_children", children]],
  });
});

const NONSENSE: ReadonlyMap<string, string> = new Map([
  ["a length that is not a number", "VALUE q 0 abc\r\n"],
  ["a negative length", "VALUE q 0 -1\r\n"],
  ["a length beyond any server's limit", "VALUE q 0 536870913\r\n"],
  ["no length", "VALUE q 0\r\n"],
  ["an item that is longer than its length", "VALUE q 0 3\r\nabcdef\r\nEND\r\n"],
  ["an item with another line behind it", "VALUE q 0 1\r\na\r\nSTORED\r\n"],
  ["a refusal between statistics", "STAT a 1\r\nERROR\r\n"],
  ["an item between statistics", "STAT a 1\r\nVALUE q 0 1\r\na\r\n"],
  ["a statistic without a name", "STAT  \r\n"],
  ["an endless line", "x".repeat(1024 * 1024 + 1)],
]);

for (const [name, wire] of NONSENSE) {
  t.test(`${name} is no answer`, async (t) => {
    t.throws(() => decode([bytes(wire)]), { code: "WH_CLIENT_PROTOCOL" });
  });
}
