import t from "tap";
import type { CodecLimits } from "../../../src/protocol/codec.js";
import { type BodyLine, LineParser } from "../../../src/protocol/memcache/line-parser.js";

const LIMITS: CodecLimits = {
  maxRequestBytes: 1000,
  maxItemBytes: (queue) => (queue === "small" ? 10 : Number.POSITIVE_INFINITY),
  extensions: true,
};
const parser = new LineParser(LIMITS);

function parse(line: string): ReturnType<LineParser["parse"]> {
  const bytes = Buffer.from(line, "latin1");
  return parser.parse(bytes, 0, bytes.length);
}

const staysOpen = (message: string): object => ({ kind: "malformed", message, close: false, silent: false });
const closes = (message: string): object => ({ kind: "malformed", message, close: true, silent: false });
const closesSilently = { kind: "malformed", message: "", close: true, silent: true };

function putLine(changes: object): object {
  const plain = { queue: "q", flags: 0, expiryKind: "never", expiryMs: 0, delayMs: 0, bodyBytes: 1, noreply: false };
  return { kind: "put-line", ...plain, ...changes };
}

function fetch(changes: object): object {
  const plain = { waitMs: 0, close: false, open: false, abort: false, peek: false, withCas: false };
  return { kind: "fetch", queue: "q", key: "q", ...plain, extras: null, ignoredOption: null, ...changes };
}

t.test("the command word is read in any case, names are not (case A1)", async (t) => {
  t.same(parse("GET q"), fetch({}));
  t.same(parse("gEt Q"), fetch({ queue: "Q", key: "Q" }));
  t.same(parse("Set q 0 0 1"), putLine({}));
  t.same(parse("STATS"), { kind: "stats" });
  t.same(parse("QUIT"), { kind: "quit" });
  t.same(parse("Flush_All"), { kind: "flush-all", noreply: false });
});

t.test("spaces too many are nothing (cases A3, A4)", async (t) => {
  t.same(parse("get q/t=500 "), fetch({ key: "q/t=500", waitMs: 500 }));
  t.same(parse("get  q"), fetch({}));
  t.same(parse(" get q  "), fetch({}));
  t.same(parse("set q  0 0 1   "), putLine({}));
});

t.test("an empty line closes (case A5)", async (t) => {
  t.same(parse(""), closes("empty line"));
  t.same(parse("   "), closes("empty line"));
});

t.test("an unknown command closes (cases A32, A34)", async (t) => {
  const lines = [
    "die in a fire",
    "incr q 1",
    "touch q 9",
    "mg q v",
    "cache_memlimit 1",
    "ge q",
    "getss q",
    "set\t q",
    "\x80",
    "\x00",
  ];
  for (const line of lines) t.same(parse(line), closes("unknown command"), line);
});

t.test(
  "a missing argument is an error that stays open, and a set without its words has no body (case A19)",
  async (t) => {
    for (const line of [
      "get",
      "gets ",
      "set",
      "set q",
      "set q 0",
      "set q 0 0",
      "set  q  0  0 ",
      "delete",
      "flush",
      "verbosity",
      "monitor",
      "monitor q",
      "confirm",
      "confirm q",
      "flush_expired",
    ]) {
      t.same(parse(line), staysOpen("missing argument"), line);
    }
  },
);

t.test("a set is read word by word", async (t) => {
  t.same(parse("set jobs 7 0 12"), putLine({ queue: "jobs", flags: 7, bodyBytes: 12 }));
  t.same(parse("set q 0 0 0"), putLine({ bodyBytes: 0 }));
  t.same(parse("set q 0 0 1000"), putLine({ bodyBytes: 1000 }));
});

t.test("the name in a set is the whole word, legal or not: the session judges it", async (t) => {
  for (const queue of ["q/open", "/x", "a.b", "../x", "a\x00b", "\xff\xfe", "x".repeat(251)]) {
    t.same(parse(`set ${queue} 0 0 1`), putLine({ queue }), queue);
  }
});

t.test("flags are unsigned numbers of 32 bits (case A22)", async (t) => {
  for (const flags of [0, 1, 65535, 2147483648, 4294967295]) t.same(parse(`set q ${flags} 0 1`), putLine({ flags }));
});

t.test("bad flags and a bad expiry cost one error and leave the body swallowed (case A20)", async (t) => {
  const refusal = (message: string): object => ({
    kind: "swallow-line",
    bodyBytes: 5,
    outcome: staysOpen(message),
    noreply: false,
  });
  for (const flags of ["x", "-1", "4294967296", "1.5", "0x1", "1e3", "+1", "-"]) {
    t.same(parse(`set q ${flags} 0 5`), refusal("bad flags"), flags);
  }
  for (const expiry of ["x", "1.5", "0x1", "1e3", "+1", "-", "9007199254741", "9".repeat(400)]) {
    t.same(parse(`set q 0 ${expiry} 5`), refusal("bad expiry"), expiry);
  }
});

t.test("an expiry is never, a span of seconds or a moment (cases D87 to D91)", async (t) => {
  const expiries: [string, string, number][] = [
    ["0", "never", 0],
    ["-0", "never", 0],
    ["1", "in", 1000],
    ["999999", "in", 999_999_000],
    ["1000000", "at", 1_000_000_000],
    ["1728000", "at", 1_728_000_000],
    ["1700000000", "at", 1_700_000_000_000],
    ["9007199254740", "at", 9_007_199_254_740_000],
    ["-1", "in", -1],
    ["-99999999999999999999", "in", -1],
  ];
  for (const [seconds, expiryKind, expiryMs] of expiries) {
    t.same(parse(`set q 0 ${seconds} 1`), putLine({ expiryKind, expiryMs }), seconds);
  }
});

t.test("a size that is none closes: where the body ends is unknown (cases A15, A17)", async (t) => {
  for (const size of ["-1", "-2", "-2147483648", "abc", "1.5", "0x10", "1e3", "+5", "5abc", "-", "noreply"]) {
    t.same(parse(`set q 0 0 ${size}`), closes("bad data size"), size);
    t.same(parse(`set q x x ${size} noreply`), closes("bad data size"), `${size}, with every other word wrong`);
  }
});

t.test("a size over the ceiling closes (case A16)", async (t) => {
  for (const size of ["1001", "2147483647", "3000000000", "9999999999999999999", "9".repeat(400)]) {
    t.same(parse(`set q 0 0 ${size}`), closes("object too large"), size);
  }
  t.same(parse("set q x 0 1001"), closes("object too large"), "bad flags do not change it");
  t.same(parse("set q 0 0 1001 noreply"), closesSilently);
});

t.test("an item over its queue's limit is swallowed (case A18)", async (t) => {
  t.same(parse("set small 0 0 10"), putLine({ queue: "small", bodyBytes: 10 }));
  for (const noreply of [false, true]) {
    t.same(parse(`set small 0 0 11${noreply ? " noreply" : ""}`), {
      kind: "swallow-line",
      bodyBytes: 11,
      outcome: { kind: "oversized-put", queue: "small", bytes: 11, noreply },
      noreply,
    });
  }
});

t.test("noreply is the sixth word of a set, written exactly so (case A23)", async (t) => {
  t.same(parse("set q 0 0 1 noreply"), putLine({ noreply: true }));
  t.same(parse("set q 0 0 1 noreply and more"), putLine({ noreply: true }));
  for (const word of ["NOREPLY", "noreplyx", "norepl", "no noreply"])
    t.same(parse(`set q 0 0 1 ${word}`), putLine({}), word);
});

t.test("noreply silences a refusal, too", async (t) => {
  const silent = { kind: "malformed", message: "", close: false, silent: true };
  t.match(parse("set q x 0 5 noreply"), { kind: "swallow-line", outcome: silent, noreply: true });
  t.match(parse("set q 0 x 5 noreply"), { kind: "swallow-line", outcome: silent, noreply: true });
});

t.test("storage commands that a queue does not have swallow the body and close", async (t) => {
  for (const verb of ["add", "replace", "append", "prepend", "ADD"]) {
    const plain = parse(`${verb} q 0 0 5`) as BodyLine;
    t.same(
      plain,
      { kind: "swallow-line", bodyBytes: 5, outcome: closes("command not supported"), noreply: false },
      verb,
    );
    const silent = { kind: "swallow-line", bodyBytes: 5, outcome: closesSilently, noreply: true };
    t.same(parse(`${verb} q 0 0 5 noreply`), silent, verb);
  }
  t.match(parse("cas q 0 0 5 17"), { kind: "swallow-line", bodyBytes: 5, outcome: closes("command not supported") });
  t.match(parse("cas q 0 0 5 17 noreply"), { kind: "swallow-line", bodyBytes: 5, outcome: closesSilently });
});

t.test("without a size they close at once", async (t) => {
  for (const line of ["add", "add q", "cas q 0 0", "append q 0 0 -1", "replace q 0 0 x noreply"]) {
    t.same(parse(line), closes("bad data size"), line);
  }
  t.same(parse("add q 0 0 1001"), closes("object too large"));
});

t.test("gets is get with a token (case A26)", async (t) => {
  t.same(parse("gets q"), fetch({ withCas: true }));
  const options = { waitMs: 700, close: true, open: true };
  t.same(parse("gets q/t=700/close/open"), fetch({ key: "q/t=700/close/open", ...options, withCas: true }));
  t.same(parse("get q/t=700/close/open"), fetch({ key: "q/t=700/close/open", ...options }));
});

t.test("of several keys only the first is served (case A28)", async (t) => {
  t.same(parse("get a b c"), fetch({ queue: "a", key: "a" }));
  t.same(parse("get a/open /bad b/clsoe"), fetch({ queue: "a", key: "a/open", open: true }));
});

t.test("a long name is passed on: the session judges it (case A29)", async (t) => {
  const name = "a".repeat(251);
  t.same(parse(`get ${name}`), fetch({ queue: name, key: name }));
});

t.test("faults of a key (cases A41, A42, A44, A45)", async (t) => {
  t.same(parse("get q/clsoe"), closes("unknown option"));
  t.same(parse("gets q/peek/open"), closes("options exclude each other"));
  t.same(parse("get /peek"), closes("empty queue name"));
  t.same(parse("get q/t=abc"), staysOpen("bad timeout"));
});

t.test("a key that comes again gives the same command", async (t) => {
  t.equal(parse("get again/open"), parse("get again/open"));
  t.not(parse("get again/open"), parse("gets again/open"));
});

t.test("delete takes a zero and noreply (case A25)", async (t) => {
  t.same(parse("delete q"), { kind: "delete", queue: "q", noreply: false });
  t.same(parse("delete q 0"), { kind: "delete", queue: "q", noreply: false });
  t.same(parse("delete q noreply"), { kind: "delete", queue: "q", noreply: true });
  t.same(parse("delete q 0 noreply"), { kind: "delete", queue: "q", noreply: true });
  t.same(parse("delete noreply"), { kind: "delete", queue: "noreply", noreply: false });
  t.same(parse("delete ../x"), { kind: "delete", queue: "../x", noreply: false });
});

t.test("flush takes a name, flush_all a zero and noreply (case A25)", async (t) => {
  t.same(parse("flush q"), { kind: "flush", queue: "q" });
  t.same(parse("flush q/x more"), { kind: "flush", queue: "q/x" });
  for (const line of ["flush_all", "flush_all 0"]) t.same(parse(line), { kind: "flush-all", noreply: false }, line);
  for (const line of ["flush_all noreply", "flush_all 0 noreply"])
    t.same(parse(line), { kind: "flush-all", noreply: true }, line);
});

t.test("verbosity is taken, whatever the level (case A36)", async (t) => {
  t.same(parse("verbosity 1"), { kind: "verbosity", noreply: false });
  t.same(parse("verbosity 1 noreply"), { kind: "verbosity", noreply: true });
});

t.test("words too many are ignored (case A38)", async (t) => {
  for (const line of ["stats", "stats items", "stats reset now"]) t.same(parse(line), { kind: "stats" }, line);
  t.same(parse("version please"), { kind: "version" });
  t.same(parse("quit now"), { kind: "quit" });
  t.same(parse("shutdown now"), { kind: "shutdown" });
});

t.test("the first line of an HTTP request closes without a word, with a notice", async (t) => {
  for (const line of ["GET / HTTP/1.1", "POST /flush_all HTTP/1.0", "get q HTTP/1.1", "set q 0 0 1 noreply HTTP/1.1"]) {
    t.same(parse(line), { ...closesSilently, notice: "a client speaks HTTP on the memcache port" }, line);
  }
});

t.test("monitor takes seconds and a count (cases C43, J158)", async (t) => {
  const monitor = (waitMs: number, maxItems: number | null): object => ({
    kind: "monitor",
    queue: "q",
    waitMs,
    maxItems,
  });
  t.same(parse("monitor q 2"), monitor(2000, null));
  t.same(parse("MONITOR q 2 10 and more"), monitor(2000, 10));
  t.same(parse("monitor q 0 0"), monitor(0, 0));
  t.same(parse("monitor q -1 -5"), monitor(0, -5));
  t.same(parse("monitor q 9999999999"), monitor(2147483647, null));
  for (const seconds of ["abc", "1.5", "1e3", "5s"]) t.same(parse(`monitor q ${seconds}`), staysOpen("bad timeout"));
  for (const count of ["abc", "1.5", "0x1"]) t.same(parse(`monitor q 1 ${count}`), staysOpen("bad count"));
});

t.test("confirm takes a count; whether it can be served is the session's to say (case B60)", async (t) => {
  for (const count of [3, 0, -5]) t.same(parse(`confirm q ${count}`), { kind: "confirm", queue: "q", count });
  for (const count of ["x", "1.5", "+1", "1e3"]) t.same(parse(`confirm q ${count}`), staysOpen("bad count"));
});

t.test("a status is named by one word, whatever it is", async (t) => {
  t.same(parse("status"), { kind: "status", name: null });
  t.same(parse("STATUS"), { kind: "status", name: null });
  t.same(parse("status ReadOnly now"), { kind: "status", name: "ReadOnly" });
});

t.test("dumps take any number of names (case I155)", async (t) => {
  t.same(parse("dump_stats"), { kind: "dump-stats", queues: [] });
  t.same(parse("dump_stats a  b "), { kind: "dump-stats", queues: ["a", "b"] });
  const many = Array.from({ length: 100 }, (_, n) => `q${n}`);
  t.same(parse(`dump_config ${many.join(" ")}`), { kind: "dump-config", queues: many });
});

t.test("the commands about expired items and the configuration", async (t) => {
  t.same(parse("flush_expired q"), { kind: "flush-expired", queue: "q" });
  t.same(parse("flush_all_expired"), { kind: "flush-all-expired" });
  t.same(parse("reload now"), { kind: "reload" });
});

t.test("a set may have a delay behind its name", async (t) => {
  t.same(parse("set q/delay=500 0 0 1"), putLine({ delayMs: 500 }));
  t.same(parse("set q/delay=-5 0 0 1"), putLine({ delayMs: 0 }));
  t.same(parse("set q/delay=99999999999999 0 0 1"), putLine({ delayMs: 315_360_000_000 }));
  for (const delay of ["", "x", "1.5", "5/delay=6"]) {
    t.match(parse(`set q/delay=${delay} 0 0 5`), { kind: "swallow-line", outcome: staysOpen("bad delay") }, delay);
  }
  for (const queue of ["/delay=5", "q/open", "q/Delay=5", "q/delay", "q//delay=5"]) {
    t.same(parse(`set ${queue} 0 0 1`), putLine({ queue }), "a name that the session refuses");
  }
});

t.test("without extensions there are no options but Kestrel's, and what is none is let through", async (t) => {
  const kestrel = new LineParser({ ...LIMITS, extensions: false });
  const parseLine = (line: string): unknown => kestrel.parse(Buffer.from(line, "latin1"), 0, line.length);
  t.same(parseLine("get q/close=17"), fetch({ key: "q/close=17", ignoredOption: "close=17" }));
  t.same(parseLine("get q/open/n=10"), fetch({ key: "q/open/n=10", open: true, ignoredOption: "n=10" }));
  t.same(parseLine("get q/clsoe"), fetch({ key: "q/clsoe", ignoredOption: "clsoe" }));
  t.same(parseLine("get q/close/open"), fetch({ key: "q/close/open", close: true, open: true }));
  t.same(parseLine("get q/peek/open"), closes("options exclude each other"));
  t.same(parseLine("get q/t=x/id"), staysOpen("bad timeout"));
  t.same(parseLine("set q/delay=5 0 0 1"), putLine({ queue: "q/delay=5" }));
});
