import t from "tap";
import type { Item } from "../../src/item.js";
import { recordsOf, withStore } from "../helpers/damage.js";
import { keysDeleted, keysPut, type SeenBatch } from "../helpers/faulty-store.js";
import { contents, JournalBench, newItem, put, turn } from "../helpers/journal-bench.js";
import { until } from "../helpers/within.js";

/** Waits until nothing of a flushed or deleted queue is left in the store. */
async function purged(bench: JournalBench): Promise<void> {
  await until("the records are removed", async () => {
    bench.clock.advance(5);
    await turn();
    const last = bench.disk.batches.at(-1) as SeenBatch;
    return keysDeleted(last, "x").length > 0;
  });
}

async function countRecords(bench: JournalBench): Promise<Record<string, number>> {
  return withStore(bench.directory, async (store) => {
    const kinds = ["q", "s", "x", "p", "o"] as const;
    const records = await Promise.all(kinds.map((kind) => recordsOf(store, kind)));
    return Object.fromEntries(kinds.map((kind, i) => [kind, records[i]?.length ?? 0]));
  });
}

t.test("F114 a flush and a delete are one small batch each, however many items there are", async (t) => {
  const bench = await JournalBench.for(t);
  const journal = await bench.open();
  for (const remove of ["flush", "retire"] as const) {
    const queue = journal.create(remove);
    for (let n = 0; n < 50; n++) await put(queue, `item ${n}`.padEnd(2000)).written;
    const before = bench.disk.batches.length;
    await queue[remove]();
    t.equal(bench.disk.batches.length, before + 1);
    t.ok((bench.disk.batches[before] as SeenBatch).operations.length <= 6, "a handful of records");
    t.equal(queue.waiting, 0);
    await purged(bench);
  }
});

t.test("the records of a flushed or deleted queue are removed bit by bit, all of them", async (t) => {
  const bench = await JournalBench.for(t);
  const journal = await bench.open();
  const [flushed, deleted] = [journal.create("flushed"), journal.create("deleted")];
  for (let n = 0; n < 600; n++) {
    const items = [put(flushed, `item ${n}`), put(deleted, `item ${n}`)] as const;
    if (n % 3 === 0) flushed.open(items[0].item);
    await items[1].written;
  }
  await Promise.all([flushed.flush(), deleted.retire()]);
  const before = bench.disk.batches.length;
  await purged(bench);
  await until("both are", async () => {
    bench.clock.advance(5);
    await turn();
    return bench.disk.batches.flatMap((batch) => keysDeleted(batch, "x")).length === 2;
  });
  t.ok(bench.disk.batches.slice(before).every(({ operations }) => operations.length <= 260));
  await journal.close();
  t.same(await countRecords(bench), { q: 1, s: 1, x: 0, p: 0, o: 200 });
});

t.test("the removal goes on after a restart", async (t) => {
  const bench = await JournalBench.for(t);
  const journal = await bench.open();
  const queue = journal.create("q");
  for (let n = 0; n < 300; n++) await put(queue, `item ${n}`).written;
  await queue.retire();
  await journal.close();
  t.match(await countRecords(bench), { q: 0, x: 1, p: 300 });
  const again = await bench.open();
  t.same(again.recovered, []);
  await purged(bench);
  await again.close();
  t.same(await countRecords(bench), { q: 0, s: 0, x: 0, p: 0, o: 0 });
});

t.test("a removal that meets an error is tried again, and does not end the server", async (t) => {
  const bench = await JournalBench.for(t);
  const queue = (await bench.open()).create("q");
  await put(queue, "a").written;
  bench.disk.failReads(1);
  await queue.retire();
  await until("it was logged", async () => bench.log.complaints.length > 0);
  t.match(bench.log.complaints, [{ level: "warn", message: /could not be removed/ }]);
  bench.clock.advance(1000);
  await purged(bench);
});

t.test("open reads survive a flush, and come back after a restart", async (t) => {
  const bench = await JournalBench.for(t);
  const queue = (await bench.open()).create("q");
  const puts = ["a", "b", "c", "d"].map((data) => put(queue, data));
  await Promise.all(puts.map(({ written }) => written));
  const [a, b, c] = puts.map(({ item }) => item) as [Item, Item, Item];
  for (const item of [a, b, c]) queue.open(item);
  queue.giveBack(c);
  await queue.flush();
  t.equal(queue.giveBack(c), false, "what was back went");
  await put(queue, "e").written;
  queue.confirm(a);
  await bench.settle();
  t.same(await contents(await bench.crash(), "q"), ["b", "e"]);
  queue.giveBack(b);
  await bench.settle();
  t.same(await contents(await bench.crash(), "q"), ["b", "e"]);
});

t.test(
  "a put that was opened before it was written is answered when its queue is flushed or deleted in the same turn",
  async (t) => {
    for (const remove of ["flush", "retire", "both"] as const) {
      const bench = await JournalBench.for(t);
      const queue = (await bench.open()).create("q");
      const [opened, waiting] = [put(queue, "opened"), put(queue, "waiting")];
      queue.open(opened.item);
      if (remove !== "retire") void queue.flush();
      if (remove !== "flush") void queue.retire();
      await t.resolves(Promise.all([opened.written, waiting.written]), remove);
      t.same(await contents(await bench.crash(), "q"), remove === "flush" ? ["opened"] : null);
    }
  },
);

t.test("a queue that is made anew at once is a new one", async (t) => {
  const bench = await JournalBench.for(t);
  const journal = await bench.open();
  const old = journal.create("q");
  await put(old, "old").written;
  const deleted = old.retire();
  const fresh = journal.create("q");
  const written = put(fresh, "new").written;
  void fresh.retire();
  const freshest = journal.create("q");
  await Promise.all([deleted, written, put(freshest, "newest").written]);
  t.same(await contents(await bench.crash(), "q"), ["newest"]);
  await purged(bench);
  t.same(await contents(await bench.crash(), "q"), ["newest"]);
});

t.test("a read from behind that is under way when the queue is flushed brings nothing", async (t) => {
  const bench = await JournalBench.for(t);
  const queue = (await bench.open()).create("q");
  const from = queue.next;
  const item = queue.append(newItem("a"), true, false);
  await queue.written(item);
  const read = queue.readAhead(from, 1000);
  await queue.flush();
  t.same((await read).items, []);
});

t.test("an item that was taken before a flush and is restored after it is kept", async (t) => {
  const bench = await JournalBench.for(t);
  const queue = (await bench.open()).create("q");
  const { item, written } = put(queue, "a");
  await written;
  queue.take(item);
  await queue.flush();
  queue.restore(item);
  await bench.settle();
  await purged(bench);
  t.same(await contents(await bench.crash(), "q"), ["a"]);
});

t.test("keys of all that a batch puts lie under the queue's own id", async (t) => {
  const bench = await JournalBench.for(t);
  const queue = (await bench.open()).create("q");
  await put(queue, "a").written;
  const [before] = keysPut(bench.disk.batches.at(-1) as SeenBatch, "p");
  await queue.flush();
  await put(queue, "b").written;
  const [after] = keysPut(bench.disk.batches.at(-1) as SeenBatch, "p");
  t.notOk((before as Buffer).subarray(0, 6).equals((after as Buffer).subarray(0, 6)), "a new id after a flush");
});
