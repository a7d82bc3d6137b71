import t from "tap";
import { readPage } from "../../src/journal/page.js";
import { keysDeleted, keysPut, type SeenBatch } from "../helpers/faulty-store.js";
import { isPending, JournalBench, put, turn } from "../helpers/journal-bench.js";

/** What the pages of a batch hold. */
function itemsIn({ operations }: SeenBatch): string[] {
  const pages = operations.filter(([key]) => key.toString("latin1").startsWith("p|"));
  return pages
    .flatMap(([, value]) => (value === null ? [] : (readPage(value, null)?.items ?? [])))
    .map((item) => item.data.toString());
}

t.test("a put is answered when its batch is written, not before", async (t) => {
  const bench = await JournalBench.for(t);
  const queue = (await bench.open()).create("q");
  const hold = bench.disk.hold();
  const { written } = put(queue, "a");
  await hold.reached;
  t.equal(await isPending(written), true);
  hold.release();
  await written;
  t.same(itemsIn(bench.disk.batches.at(-1) as SeenBatch), ["a"]);
});

t.test("what is put in one turn shares a batch, and what comes meanwhile shares the next", async (t) => {
  const bench = await JournalBench.for(t);
  const journal = await bench.open();
  const [one, two] = [journal.create("one"), journal.create("two")];
  const before = bench.disk.batches.length;
  const hold = bench.disk.hold();
  const first = [put(one, "a"), put(two, "b")];
  await hold.reached;
  const second = [put(one, "c"), put(two, "d")];
  await turn();
  second.push(put(one, "e"));
  t.equal(bench.disk.batches.length, before + 1, "no second batch beside the first");
  hold.release();
  await Promise.all([...first, ...second].map(({ written }) => written));
  t.same(bench.disk.batches.slice(before).map(itemsIn), [
    ["a", "b"],
    ["c", "e", "d"],
  ]);
});

t.test("an item that is taken before its batch goes out is not written, and its put is answered", async (t) => {
  const bench = await JournalBench.for(t);
  const queue = (await bench.open()).create("q");
  const [gone, stays] = [put(queue, "gone"), put(queue, "stays")];
  t.equal(queue.take(gone.item), null);
  await Promise.all([gone.written, stays.written]);
  t.same(itemsIn(bench.disk.batches.at(-1) as SeenBatch), ["stays"]);
});

t.test("an item that is taken before its batch goes out is answered while another batch is in flight", async (t) => {
  const bench = await JournalBench.for(t);
  const queue = (await bench.open()).create("q");
  const hold = bench.disk.hold();
  const slow = put(queue, "slow");
  await hold.reached;
  queue.take(slow.item);
  const gone = put(queue, "gone");
  queue.take(gone.item);
  await gone.written;
  t.equal(await isPending(slow.written), true, "what is in the batch waits for it");
  hold.release();
  await slow.written;
  await bench.settle();
  t.same(bench.disk.batches.flatMap(itemsIn), ["slow"]);
  t.equal(keysDeleted(bench.disk.batches.at(-1) as SeenBatch, "p").length, 1, "its page goes");
});

t.test("an open read that is confirmed before its batch goes out is never recorded", async (t) => {
  const bench = await JournalBench.for(t);
  const queue = (await bench.open()).create("q");
  const { item, written } = put(queue, "a");
  queue.open(item);
  queue.confirm(item);
  await written;
  await bench.settle();
  t.same(
    bench.disk.batches.flatMap((batch) => [...keysPut(batch, "o"), ...keysPut(batch, "p")]),
    [],
  );
});

t.test("an open read whose item was never written is recorded with it", async (t) => {
  const bench = await JournalBench.for(t);
  const queue = (await bench.open()).create("q");
  const hold = bench.disk.hold();
  const { item, written } = put(queue, "a");
  queue.open(item);
  await hold.reached;
  t.equal(await isPending(written), true, "the holder may still give it back");
  hold.release();
  await written;
  const batch = bench.disk.batches.at(-1) as SeenBatch;
  t.same(itemsIn(batch), ["a"]);
  t.equal(keysPut(batch, "o").length, 1);
});

t.test("a batch carries the state of each queue that it touches", async (t) => {
  const bench = await JournalBench.for(t);
  const journal = await bench.open();
  const [one, two] = [journal.create("one"), journal.create("two")];
  await Promise.all([put(one, "a").written, put(two, "b").written]);
  t.equal(keysPut(bench.disk.batches.at(-1) as SeenBatch, "s").length, 2);
  await put(two, "c").written;
  t.equal(keysPut(bench.disk.batches.at(-1) as SeenBatch, "s").length, 1);
});

t.test("removals wait for the lazy time, and then go out by themselves", async (t) => {
  const bench = await JournalBench.for(t);
  const queue = (await bench.open()).create("q");
  const { item, written } = put(queue, "a");
  await written;
  const before = bench.disk.batches.length;
  queue.take(item);
  bench.clock.advance(4.9);
  await turn();
  t.equal(bench.disk.batches.length, before);
  const ended = bench.disk.ended(1);
  bench.clock.advance(0.1);
  await ended;
  t.equal(bench.disk.batches.length, before + 1);
  t.equal(keysDeleted(bench.disk.batches.at(-1) as SeenBatch, "p").length, 1);
});

t.test("removals ride with the next batch that carries a put, and need none of their own then", async (t) => {
  const bench = await JournalBench.for(t);
  const journal = await bench.open();
  const [one, two] = [journal.create("one"), journal.create("two")];
  const { item, written } = put(one, "a");
  await written;
  const before = bench.disk.batches.length;
  one.take(item);
  await put(two, "b").written;
  t.equal(bench.disk.batches.length, before + 1);
  t.equal(keysDeleted(bench.disk.batches.at(-1) as SeenBatch, "p").length, 1);
  bench.clock.advance(100);
  await turn();
  t.equal(bench.disk.batches.length, before + 1);
});

t.test("a removal whose lazy time ends while a batch is in flight goes out after it", async (t) => {
  const bench = await JournalBench.for(t);
  const queue = (await bench.open()).create("q");
  const { item, written } = put(queue, "a");
  await written;
  const hold = bench.disk.hold();
  const later = put(queue, "b");
  await hold.reached;
  queue.open(item);
  bench.clock.advance(50);
  const before = bench.disk.batches.length;
  hold.release();
  await later.written;
  await turn();
  t.equal(bench.disk.batches.length, before + 1);
  t.equal(keysPut(bench.disk.batches.at(-1) as SeenBatch, "o").length, 1);
});

t.test("a close writes what waits, answers it, and may be called twice", async (t) => {
  const bench = await JournalBench.for(t);
  const journal = await bench.open();
  const queue = journal.create("q");
  const a = put(queue, "a");
  const b = put(queue, "b");
  queue.open(b.item);
  const closed = journal.close();
  t.equal(journal.close(), closed);
  await Promise.all([a.written, b.written, closed]);
  t.equal(bench.clock.timers, 0, "no timer is left");
  const [found] = (await bench.open()).recovered;
  t.equal(found?.journal.waiting, 1);
  t.equal(found?.back.length, 1);
});

t.test("what is touched after a close is not written, and breaks nothing", async (t) => {
  const bench = await JournalBench.for(t);
  const journal = await bench.open();
  const queue = journal.create("q");
  const { item, written } = put(queue, "a");
  queue.open(item);
  await written;
  await journal.close();
  const before = bench.disk.batches.length;
  t.not(queue.refusal, null);
  queue.giveBack(item);
  queue.take(item);
  const flushed = queue.flush();
  bench.clock.advance(100);
  await turn();
  await flushed;
  await Promise.resolve(journal.create("other").retire());
  await turn();
  t.equal(bench.disk.batches.length, before);
  t.equal(bench.clock.timers, 0);
});
