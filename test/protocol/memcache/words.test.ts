import t from "tap";
import { Words } from "../../../src/protocol/memcache/words.js";

function read(line: string): Words {
  const words = new Words();
  const bytes = Buffer.from(`<${line}>`, "latin1");
  words.read(bytes, 1, bytes.length - 1);
  return words;
}

const texts = (words: Words): string[] =>
  Array.from({ length: words.count }, (_, n) => words.bytes.toString("latin1", words.start(n), words.end(n)));

t.test("runs of spaces separate words, at both ends they are nothing (cases A3, A4)", async (t) => {
  t.same(texts(read("set q 0 0 1")), ["set", "q", "0", "0", "1"]);
  t.same(texts(read("  set  q   0 ")), ["set", "q", "0"]);
  t.same(texts(read("")), []);
  t.same(texts(read("   ")), []);
});

t.test("only spaces do: any other byte is part of a word", async (t) => {
  t.same(texts(read("a\tb \x00 \xa0\xff")), ["a\tb", "\x00", "\xa0\xff"]);
});

t.test("words are found by position, those that are not there are nothing", async (t) => {
  const words = read("SET q 12");
  t.ok(words.isVerb("set"));
  t.ok(words.is(1, "q"));
  t.notOk(words.is(1, "Q"));
  t.equal(words.decimal(2), 12);
  t.ok(Number.isNaN(words.decimal(3)));
  t.notOk(words.is(3, ""));
  t.notOk(read("").isVerb(""));
});

t.test("the last of several words is known however many there are", async (t) => {
  t.ok(read(`delete q ${"0 ".repeat(100)}noreply`).endWith("noreply"));
  t.equal(read("a ".repeat(100)).count, 100);
  t.notOk(read("noreply").endWith("noreply"));
  t.notOk(read("delete q noreply 0").endWith("noreply"));
});

t.test("the first line of an HTTP request is known by its end", async (t) => {
  for (const line of ["GET / HTTP/1.1", "POST /a b HTTP/1.0 ", "x HTTP/1.9"]) t.ok(read(line).endLikeHttp(), line);
  for (const line of [
    "HTTP/1.1",
    "x HTTP/1.",
    "x HTTP/1.x",
    "x HTTP/1.10",
    "x HTTP/2.0",
    "x http/1.1",
    "x HTTP/1.1 y",
    "",
  ]) {
    t.notOk(read(line).endLikeHttp(), line);
  }
});

t.test("a line leaves nothing of the one before it", async (t) => {
  const words = read("set q 0 0 5 noreply");
  words.read(Buffer.from("get a"), 0, 5);
  t.equal(words.count, 2);
  t.ok(Number.isNaN(words.decimal(4)));
  t.notOk(words.is(5, "noreply"));
});

t.test("words are texts, all from one on however many there are", async (t) => {
  const words = read("dump_stats a  b\xff ");
  t.equal(words.text(1), "a");
  t.equal(words.text(5), "");
  t.same(words.textsFrom(1), ["a", "b\xff"]);
  t.same(words.textsFrom(3), []);
  t.equal(read("a ".repeat(100)).textsFrom(1).length, 99);
});
