import t from "tap";
import { Input } from "../../src/protocol/input.js";

/** Takes everything, chunk by chunk. */
function drain(input: Input): string[] {
  const chunks: string[] = [];
  while (input.refill()) {
    chunks.push(input.chunk.toString("latin1", input.at));
    input.at = input.chunk.length;
  }
  return chunks;
}

t.test("a chunk is read where it lies", async (t) => {
  const input = new Input();
  const chunk = Buffer.from("abc");
  t.notOk(input.refill());
  input.feed(chunk);
  t.ok(input.refill());
  t.equal(input.chunk, chunk);
  input.at = 2;
  t.equal(input.length, 1);
  t.ok(input.refill(), "it is not read to its end");
  t.equal(input.at, 2);
});

t.test("a chunk that was read is let go", async (t) => {
  const input = new Input();
  input.feed(Buffer.from("abc"));
  drain(input);
  t.equal(input.length, 0);
  t.equal(input.chunk.length, 0);
});

t.test("what comes behind an unread chunk comes after it, small chunks as one", async (t) => {
  const input = new Input();
  for (const text of ["a", "b", "c", "d"]) input.feed(Buffer.from(text));
  t.equal(input.length, 4);
  t.same(drain(input), ["a", "bcd"]);
});

t.test("large chunks are not copied", async (t) => {
  const input = new Input();
  const large = Buffer.alloc(100_000, "x");
  for (const chunk of [Buffer.from("a"), Buffer.from("b"), large, Buffer.from("c")]) input.feed(chunk);
  t.equal(input.length, 100_003);
  input.at = 1;
  t.ok(input.refill());
  input.at = 1;
  t.ok(input.refill());
  t.equal(input.chunk, large);
});

t.test("chunks may come while others wait", async (t) => {
  const input = new Input();
  input.feed(Buffer.from("a"));
  input.feed(Buffer.from("b"));
  input.at = 1;
  t.ok(input.refill());
  input.feed(Buffer.from("c"));
  t.equal(input.length, 2);
  t.same(drain(input), ["b", "c"]);
  input.feed(Buffer.from("d"));
  t.same(drain(input), ["d"]);
});

t.test("what was handed out is not written over by what comes later", async (t) => {
  const input = new Input();
  input.feed(Buffer.from("a"));
  input.feed(Buffer.from("bbbb"));
  input.at = 1;
  input.refill();
  const slice = input.chunk.subarray(0, 4);
  input.feed(Buffer.from("cccc"));
  drain(input);
  t.equal(slice.toString(), "bbbb");
});

t.test("clear forgets everything", async (t) => {
  const input = new Input();
  for (const text of ["a", "b"]) input.feed(Buffer.from(text));
  input.clear();
  t.equal(input.length, 0);
  t.same(drain(input), []);
  input.feed(Buffer.from("c"));
  t.same(drain(input), ["c"]);
});
