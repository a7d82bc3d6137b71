import t from "tap";
import { strictest } from "../../src/journal/sync-policy.js";
import { keysPut, type SeenBatch } from "../helpers/faulty-store.js";
import { isPending, JournalBench, put, turn } from "../helpers/journal-bench.js";
import { SyncWatch } from "../helpers/sync-watch.js";
import { until, within } from "../helpers/within.js";

const always = { kind: "always" } as const;
const never = { kind: "never" } as const;
const every = (periodMs: number) => ({ kind: "period", periodMs }) as const;

t.test("never: batches are not synced, and neither is the directory", async (t) => {
  const watch = await SyncWatch.for(t);
  const bench = await JournalBench.for(t);
  const queue = (await bench.open()).create("q");
  const { item, written } = put(queue, "a");
  await written;
  t.equal(queue.open(item), null);
  t.equal(queue.confirm(item), null);
  await bench.settle();
  bench.clock.advance(1_000_000);
  await turn();
  t.same(
    bench.disk.batches.slice(1).map(({ sync }) => sync),
    bench.disk.batches.slice(1).map(() => false),
  );
  t.same(watch.paths, []);
});

t.test(
  "always: a batch that carries anything of the queue is synced, and its gets, opens and confirms wait for it",
  async (t) => {
    const bench = await JournalBench.for(t);
    bench.sync.set("safe", always);
    const journal = await bench.open();
    const [safe, other] = [journal.create("safe"), journal.create("other")];
    const puts = ["a", "b", "c"].map((data) => put(safe, data));
    const [a, b, c] = puts as [(typeof puts)[number], (typeof puts)[number], (typeof puts)[number]];
    const theirs = [put(other, "a"), put(other, "b")] as const;
    await Promise.all([...puts, ...theirs].map(({ written }) => written));
    t.equal(bench.disk.batches.at(-1)?.sync, true);
    const hold = bench.disk.hold();
    const waits = [safe.take(a.item), safe.open(b.item), safe.open(c.item), safe.confirm(c.item)];
    t.same(
      waits.map((wait) => wait === null),
      [false, false, false, false],
    );
    await hold.reached;
    t.equal(bench.disk.batches.at(-1)?.sync, true, "at once, without waiting for the lazy time");
    t.equal(await isPending(Promise.race(waits)), true);
    t.equal(other.take(theirs[0].item), null, "other queues do not wait");
    t.equal(other.open(theirs[1].item), null);
    hold.release();
    await Promise.all(waits);
    await put(other, "c").written;
    t.equal(bench.disk.batches.at(-1)?.sync, false, "a batch of the others is not synced");
  },
);

t.test("always: what was taken before it was written needs no disk", async (t) => {
  const bench = await JournalBench.for(t);
  bench.sync.set("q", always);
  const queue = (await bench.open()).create("q");
  t.equal(queue.take(put(queue, "a").item), null);
});

t.test(
  "always: who waits is answered when the batch fails, when the queue is deleted and when the journal closes",
  async (t) => {
    for (const end of ["fails", "deleted", "deleted before", "closed", "flushed"]) {
      const bench = await JournalBench.for(t);
      bench.sync.set("q", always);
      const journal = await bench.open();
      const queue = journal.create("q");
      const { item, written } = put(queue, "a");
      await written;
      if (end === "fails") bench.disk.failNextWrite();
      const opened = queue.open(item) as Promise<void>;
      if (end === "deleted") await turn();
      if (end.startsWith("deleted")) await queue.retire();
      if (end === "flushed") void queue.flush();
      if (end === "closed") await journal.close();
      await t.resolves(within(opened, `the answer when it ${end}`, 5000), end);
    }
  },
);

t.test("always: a delete and a flush are synced as well", async (t) => {
  const bench = await JournalBench.for(t);
  bench.sync.set("q", always);
  const queue = (await bench.open()).create("q");
  await put(queue, "a").written;
  for (const remove of [() => queue.flush(), () => queue.retire()]) {
    const before = bench.disk.batches.length;
    await remove();
    const batch = bench.disk.batches[before] as SeenBatch;
    t.equal(keysPut(batch, "x").length, 1);
    t.equal(batch.sync, true);
  }
});

t.test(
  "a period: all logs and the directory are synced that long after a batch at the latest, and not without one",
  async (t) => {
    const watch = await SyncWatch.for(t);
    const bench = await JournalBench.for(t);
    bench.sync.set("q", every(100));
    const queue = (await bench.open()).create("q");
    await put(queue, "a").written;
    t.equal(bench.disk.batches.at(-1)?.sync, false, "nobody waits for it");
    bench.clock.advance(60);
    await put(queue, "b").written;
    bench.clock.advance(39.9);
    await turn();
    t.same(watch.paths, []);
    bench.clock.advance(0.1);
    await until("it is synced", async () => watch.paths.length >= 2);
    t.match(watch.paths, [/\.log$/, bench.directory]);
    bench.clock.advance(10_000);
    await turn();
    t.equal(watch.paths.length, 2);
    await put(queue, "c").written;
    bench.clock.advance(100);
    await until("it is synced again", async () => watch.paths.length >= 4);
  },
);

t.test("of several periods the shortest counts, and a close syncs what waits", async (t) => {
  const watch = await SyncWatch.for(t);
  const bench = await JournalBench.for(t);
  bench.sync.set("slow", every(5000)).set("fast", every(50));
  const journal = await bench.open();
  const [slow, fast] = [journal.create("slow"), journal.create("fast")];
  await put(slow, "a").written;
  await put(fast, "b").written;
  bench.clock.advance(50);
  await until("it is synced", async () => watch.paths.length >= 2);
  await put(slow, "c").written;
  await journal.close();
  t.equal(watch.paths.length, 4);
});

t.test("a sync that fails is logged, and the next one is tried", async (t) => {
  const watch = await SyncWatch.for(t);
  const bench = await JournalBench.for(t);
  bench.sync.set("q", every(50));
  const queue = (await bench.open()).create("q");
  watch.fail(1);
  for (let n = 0; n < 2; n++) {
    await put(queue, "a").written;
    bench.clock.advance(50);
    await until("it is tried", async () => (n === 0 ? bench.log.complaints.length > 0 : watch.paths.length >= 2));
  }
  t.match(bench.log.complaints, [{ level: "error", message: /synced/ }]);
});

t.test("of several settings the strictest is the one that asks for most", (t) => {
  t.same(strictest([]), never);
  t.same(strictest([never, every(10), every(5), never]), every(5));
  t.same(strictest([every(5), always, never]), always);
  t.end();
});
