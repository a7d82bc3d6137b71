import fc from "fast-check";
import t from "tap";
import { buildKey, MAX_DELAY_MS, parseKestrelKey, parseKey } from "../../../src/protocol/memcache/key-options.js";

const parse = (key: string): ReturnType<typeof parseKey> => parseKey(Buffer.from(key, "latin1"));
const NONE = {
  waitMs: 0,
  close: false,
  open: false,
  abort: false,
  peek: false,
  extras: null,
  ignoredOption: null,
};
const NO_EXTRAS = { count: null, at: null, withId: false, ids: [], delayMs: 0 };

t.test("a key without options is the queue's name", async (t) => {
  t.same(parse("jobs"), { queue: "jobs", ...NONE });
});

t.test("a name keeps every byte", async (t) => {
  t.same(parse("caf\xc3\xa9+b:1\xff"), { queue: "caf\xc3\xa9+b:1\xff", ...NONE });
});

t.test("options come in any order", async (t) => {
  const expected = { ...NONE, queue: "q", waitMs: 700, close: true, open: true };
  for (const key of ["q/t=700/close/open", "q/open/close/t=700", "q/close/t=700/open", "q/open/t=700/open/close"]) {
    t.same(parse(key), expected, key);
  }
});

t.test("peek and abort stand alone or beside t=", async (t) => {
  t.same(parse("q/peek"), { ...NONE, queue: "q", peek: true });
  t.same(parse("q/t=5/peek"), { ...NONE, queue: "q", peek: true, waitMs: 5 });
  t.same(parse("q/abort"), { ...NONE, queue: "q", abort: true });
  t.same(parse("q/abort/t=10"), { ...NONE, queue: "q", abort: true, waitMs: 10 });
  t.same(parse("q/peek/peek"), { ...NONE, queue: "q", peek: true });
});

t.test("an empty option is none", async (t) => {
  for (const key of ["q/", "q//", "q///"]) t.same(parse(key), { queue: "q", ...NONE }, key);
  for (const key of ["q/open/", "q//open", "q//open//"]) t.same(parse(key), { ...NONE, queue: "q", open: true }, key);
});

t.test("options that exclude each other close (case A44)", async (t) => {
  for (const mix of [
    "peek/open",
    "peek/close",
    "abort/open",
    "abort/close",
    "peek/abort",
    "open/close/peek",
    "close/t=5/abort",
  ]) {
    t.same(parse(`q/${mix}`), { fault: "options exclude each other", close: true }, mix);
  }
});

t.test("options of ours ask for several items and their ids", async (t) => {
  t.same(parse("q/open/n=10"), { ...NONE, queue: "q", open: true, extras: { ...NO_EXTRAS, count: 10 } });
  t.same(parse("q/id/open/t=5"), {
    ...NONE,
    queue: "q",
    open: true,
    waitMs: 5,
    extras: { ...NO_EXTRAS, withId: true },
  });
  t.same(parse("q/close/open/n=2/id"), {
    ...NONE,
    queue: "q",
    close: true,
    open: true,
    extras: { ...NO_EXTRAS, count: 2, withId: true },
  });
  t.same(parse("q/peek/n=20"), { ...NONE, queue: "q", peek: true, extras: { ...NO_EXTRAS, count: 20 } });
  t.same(parse("q/peek/at=0"), { ...NONE, queue: "q", peek: true, extras: { ...NO_EXTRAS, at: 0 } });
});

t.test("options of ours close and abort by id, and abort with a delay", async (t) => {
  const ids = [17n, 18_446_744_073_709_551_615n];
  const written = "17/close=18446744073709551615";
  t.same(parse(`q/close=${written}`), { ...NONE, queue: "q", close: true, extras: { ...NO_EXTRAS, ids } });
  t.same(parse(`q/close=${written}/open`), {
    ...NONE,
    queue: "q",
    close: true,
    open: true,
    extras: { ...NO_EXTRAS, ids },
  });
  t.same(parse("q/abort=17/delay=50"), {
    ...NONE,
    queue: "q",
    abort: true,
    extras: { ...NO_EXTRAS, ids: [17n], delayMs: 50 },
  });
  t.same(parse("q/delay=50/abort"), { ...NONE, queue: "q", abort: true, extras: { ...NO_EXTRAS, delayMs: 50 } });
  t.match(parse("q/abort/delay=-5"), { extras: { delayMs: 0 } });
  t.match(parse("q/abort/delay=99999999999999999"), { extras: { delayMs: MAX_DELAY_MS } });
});

t.test("what they do not go with closes", async (t) => {
  for (const mix of [
    "n=5",
    "n=5/close",
    "n=5/abort",
    "id",
    "id/close",
    "id/peek",
    "delay=5",
    "delay=5/open",
    "at=5",
    "at=5/open",
    "peek/at=5/n=5",
    "peek/n=5/t=100",
    "peek/at=5/t=100",
    "close/close=5",
    "close=5/close",
    "abort=5/abort",
    "close=5/abort=6",
    "close=5/abort",
    "close=5/peek",
    "abort=5/open",
  ]) {
    t.same(parse(`q/${mix}`), { fault: "options exclude each other", close: true }, mix);
  }
});

t.test("a bad value is an error that stays open", async (t) => {
  const faults: [string, string][] = [
    ["open/n=0", "bad count"],
    ["open/n=-1", "bad count"],
    ["open/n=x", "bad count"],
    ["open/n=", "bad count"],
    ["peek/n=1.5", "bad count"],
    ["peek/at=-1", "bad place"],
    ["peek/at=x", "bad place"],
    ["abort/delay=x", "bad delay"],
    ["close=", "bad delivery id"],
    ["close=-5", "bad delivery id"],
    ["close=5x", "bad delivery id"],
    ["abort=5/abort=123456789012345678901", "bad delivery id"],
  ];
  for (const [option, fault] of faults) t.same(parse(`q/${option}`), { fault, close: false }, option);
});

t.test("Kestrel's way has none of ours and lets through what it does not know", async (t) => {
  const kestrel = (key: string): unknown => parseKestrelKey(Buffer.from(key, "latin1"));
  t.same(kestrel("q/close=17/open"), { ...NONE, queue: "q", open: true, ignoredOption: "close=17" });
  t.same(kestrel("q/peek/Peek"), { ...NONE, queue: "q", peek: true, ignoredOption: "Peek" });
  t.same(kestrel("q/abort/x/open"), { fault: "options exclude each other", close: true });
});

t.test("an option that does not exist closes (case A41)", async (t) => {
  for (const option of [
    "clsoe",
    "Open",
    "OPEN",
    "t",
    "T=5",
    "ID",
    "id=5",
    "n",
    "N=5",
    "open=5",
    "opens",
    "ope",
    " ",
    "\x00",
    "=5",
  ]) {
    t.same(parse(`q/open/${option}`), { fault: "unknown option", close: true }, JSON.stringify(option));
  }
});

t.test("an empty name closes (case A45)", async (t) => {
  for (const key of ["/", "/peek", "/t=abc", "//x", ""])
    t.same(parse(key), { fault: "empty queue name", close: true }, key);
});

t.test("a bad timeout is an error that stays open (case A42)", async (t) => {
  for (const wait of ["t=abc", "t=", "t=1.5", "t=5s", "t=+5", "t=1e3", "t=0x10", "t=-", "t=a/t=b"]) {
    t.same(parse(`q/${wait}/open`), { fault: "bad timeout", close: false }, wait);
  }
});

t.test("beside a fault that closes, a bad timeout closes too", async (t) => {
  t.match(parse("q/t=abc/clsoe"), { close: true });
  t.match(parse("q/t=abc/peek/open"), { close: true });
});

t.test("a timeout of zero or less is no wait, a huge one is the longest (case A42)", async (t) => {
  const waits: [string, number][] = [
    ["0", 0],
    ["-0", 0],
    ["-5", 0],
    ["-99999999999999999999", 0],
    ["1", 1],
    ["0500", 500],
    ["2147483647", 2147483647],
    ["2147483648", 2147483647],
    ["99999999999", 2147483647],
    ["9".repeat(400), 2147483647],
  ];
  for (const [text, waitMs] of waits) t.same(parse(`q/t=${text}`), { ...NONE, queue: "q", waitMs }, text);
});

t.test("of several timeouts the last counts", async (t) => {
  t.same(parse("q/t=5/t=7"), { ...NONE, queue: "q", waitMs: 7 });
});

t.test("a key in the middle of other bytes is read by its bounds", async (t) => {
  t.same(parseKey(Buffer.from("get a/open b/peek"), 4, 10), { ...NONE, queue: "a", open: true });
});

t.test("a key is built from options", async (t) => {
  t.equal(buildKey("jobs"), "jobs");
  t.equal(buildKey("jobs", {}), "jobs");
  t.equal(buildKey("jobs", { waitMs: 250, open: true, close: true }), "jobs/t=250/close/open");
  t.equal(buildKey("jobs", { abort: true, open: false }), "jobs/abort");
  t.equal(buildKey("jobs", { peek: true, waitMs: 1 }), "jobs/t=1/peek");
});

t.test("a key is built from options of ours", async (t) => {
  t.equal(buildKey("q", { open: true, count: 10, withId: true }), "q/open/n=10/id");
  t.equal(buildKey("q", { close: true, ids: [5n, 6n], open: true }), "q/close=5/close=6/open");
  t.equal(buildKey("q", { abort: true, ids: [5n], delayMs: 0.5 }), "q/abort=5/delay=1");
  t.equal(buildKey("q", { abort: true, ids: [], delayMs: 0 }), "q/abort");
  t.equal(buildKey("q", { peek: true, at: 0 }), "q/peek/at=0");
});

t.test("a built wait is one that the server takes", async (t) => {
  t.equal(buildKey("q", { waitMs: 0.2 }), "q/t=1");
  t.equal(buildKey("q", { waitMs: 0 }), "q");
  t.equal(buildKey("q", { waitMs: -5 }), "q");
  t.equal(buildKey("q", { waitMs: Number.NaN }), "q");
  t.equal(buildKey("q", { waitMs: Number.POSITIVE_INFINITY }), "q/t=2147483647");
});

t.test("what was built is parsed to the same options", async () => {
  const wait = fc.nat({ max: 2 ** 31 - 1 });
  const options = fc.oneof(
    fc.record({ waitMs: wait, close: fc.boolean(), open: fc.boolean() }),
    fc.record({ waitMs: wait, peek: fc.constant(true) }),
    fc.record({ waitMs: wait, abort: fc.constant(true) }),
  );
  const name = fc.stringMatching(/^[a-z+:_\x80-\xff-]{1,20}$/);
  fc.assert(
    fc.property(name, options, (queue, chosen) => {
      t.same(parse(buildKey(queue, chosen)), { ...NONE, ...chosen, queue });
    }),
  );
});
