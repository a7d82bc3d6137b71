import t from "tap";
import { TextCache } from "../../../src/protocol/memcache/text-cache.js";

function objects(): { get: (text: string) => object; made: string[] } {
  const made: string[] = [];
  const cache = new TextCache((bytes, start, end) => {
    const text = bytes.toString("latin1", start, end);
    made.push(text);
    return { text };
  });
  const get = (text: string): object => {
    const bytes = Buffer.from(`<${text}>`, "latin1");
    return cache.get(bytes, 1, bytes.length - 1);
  };
  return { get, made };
}

t.test("the same bytes give the same value, which is made once", async (t) => {
  const { get, made } = objects();
  t.equal(get("jobs"), get("jobs"));
  t.same(made, ["jobs"]);
});

t.test("every text gets its own value, however many share a place", async (t) => {
  const { get } = objects();
  const names = Array.from({ length: 5000 }, (_, n) => `q${n}`);
  for (const round of ["first", "second"]) {
    t.same(
      names.map((name) => get(name)),
      names.map((text) => ({ text })),
      round,
    );
  }
});

t.test("bytes from 0x80 on are told apart", async (t) => {
  const { get } = objects();
  t.not(get("\xe9"), get("\xe8"));
  t.equal(get("\xe9"), get("\xe9"));
});

t.test("a long text is not kept", async (t) => {
  const { get, made } = objects();
  for (const size of [128, 129]) {
    get("x".repeat(size));
    get("x".repeat(size));
  }
  t.same(
    made.map((text) => text.length),
    [128, 129, 129],
  );
});
