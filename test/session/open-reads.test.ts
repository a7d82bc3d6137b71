import t from "tap";
import type { OpenRead } from "../../src/queue/transactions.js";
import { OpenReads } from "../../src/session/open-reads.js";

function read(id: number, ended = false): OpenRead {
  return { id, ended } as OpenRead;
}

const ids = (reads: readonly OpenRead[]): number[] => reads.map(({ id }) => id);

t.test("reads are taken out oldest first, each queue's for itself", async (t) => {
  const reads = new OpenReads();
  for (const id of [1, 2, 3]) reads.add("a", read(id));
  reads.add("b", read(4));
  t.same(ids(reads.takeOldest("a")), [1]);
  t.same(ids(reads.takeOldest("a", 5)), [2, 3]);
  t.same(reads.takeOldest("a"), []);
  t.same(ids(reads.takeAll()), [4]);
  t.same(reads.takeAll(), []);
});

t.test("a read that has ended is none that is open, and keeps its place, case B68", async (t) => {
  const reads = new OpenReads();
  reads.add("q", read(1, true));
  t.notOk(reads.has("q"));
  t.equal(reads.roomFor("q", 1), 1);
  reads.add("q", read(2));
  t.ok(reads.has("q"));
  t.equal(reads.roomFor("q", 1), 0);
  t.equal(reads.count("q"), 2);
  t.same(ids(reads.takeOldest("q")), [1]);
  t.same(ids(reads.takeOldest("q")), [2]);
});

t.test("reads are taken out by their ids, in any order", async (t) => {
  const reads = new OpenReads();
  for (const id of [1, 2, 3]) reads.add("q", read(id));
  t.same(ids(reads.takeByIds("q", [3, 1, 9, 1])), [3, 1]);
  t.same(reads.takeByIds("p", [2]), []);
  t.same(ids(reads.takeByIds("q", [2])), [2]);
  t.equal(reads.count("q"), 0);
});

t.test("the items of ended reads are let go, their places stay up to a number", async (t) => {
  const reads = new OpenReads();
  const ended = Array.from({ length: 40_000 }, (_, id) => read(id, true));
  for (const one of ended) reads.add("q", one);
  const places = reads.count("q");
  t.ok(places >= 10_000 && places < 25_000, `${places} places`);
  reads.add("q", read(50_000));
  const left = reads.takeOldest("q", Infinity);
  t.ok(left.length < 15_000, `${left.length} of them still have their items`);
  t.equal(left[left.length - 1]?.id, 50_000);
});
