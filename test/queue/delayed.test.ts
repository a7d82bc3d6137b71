import t from "tap";
import { drainNamed, got, open, PATIENT, putNow, QueueBench, take } from "../helpers/queue-bench.js";

t.test("an item with a delay joins the end of the line when it is due, and wakes who waits", async (t) => {
  const bench = await QueueBench.for(t);
  await putNow(bench, "q", "late", { delayMs: 5000 });
  const queue = bench.queues.open("q");
  t.match(queue.stats(), { items: 0, delayed: 1, totalItems: 1 });
  t.equal(await take(queue), null);
  await putNow(bench, "q", "now");
  bench.clock.pass(4999);
  await putNow(bench, "q", "just before");
  bench.clock.pass(1);
  await putNow(bench, "q", "after");
  t.match(queue.stats(), { items: 4, delayed: 0, totalItems: 4 });
  t.same(await drainNamed(bench, "q"), ["now", "just before", "late", "after"]);
  await putNow(bench, "q", "again", { delayMs: 10 });
  const waiter = queue.wait("take", 5000, PATIENT);
  bench.clock.pass(10);
  t.equal(await got(waiter), "again");
});

t.test("several come due in the order of their times", async (t) => {
  const bench = await QueueBench.for(t);
  for (const [data, delayMs] of [
    ["c", 30],
    ["a", 10],
    ["b", 20],
    ["b2", 20],
  ] as const)
    await putNow(bench, "q", data, { delayMs });
  bench.clock.pass(100);
  t.same(await drainNamed(bench, "q"), ["a", "b", "b2", "c"]);
});

t.test(
  "delayed items are there after a restart; those that came due meanwhile join in order of due time",
  async (t) => {
    const bench = await QueueBench.for(t);
    await putNow(bench, "q", "b", { delayMs: 2000 });
    await putNow(bench, "q", "a", { delayMs: 1000, flags: 9 });
    await putNow(bench, "q", "later", { delayMs: 60_000 });
    await putNow(bench, "q", "in line");
    const before = bench.clock.wallMs();
    bench.clock.setWall(before + 3000);
    await bench.restart();
    bench.clock.advance(1);
    const queue = bench.queues.open("q");
    t.match(queue.stats(), { items: 3, delayed: 1 });
    t.same(await drainNamed(bench, "q"), ["in line", "a", "b"]);
    await bench.restart();
    t.match(bench.queues.open("q").stats(), { items: 0, delayed: 1 });
    bench.clock.pass(60_000);
    t.same(await drainNamed(bench, "q"), ["later"]);
    await bench.restart();
    t.match(bench.queues.open("q").stats(), { items: 0, delayed: 0 }, "not a second time");
  },
);

t.test("an open read that is given back with a delay joins the end, with its attempts, over restarts", async (t) => {
  const bench = await QueueBench.for(t);
  await putNow(bench, "q", "a");
  await putNow(bench, "q", "b");
  const queue = bench.queues.open("q");
  const read = await open(queue);
  queue.giveBack([read], 3000);
  t.ok(read.ended);
  t.match(queue.stats(), { items: 1, delayed: 1, openTransactions: 0 });
  await bench.disk.idle();
  await bench.restart();
  t.match(bench.queues.open("q").stats(), { items: 1, delayed: 1 });
  bench.clock.pass(3000);
  await bench.disk.idle();
  await bench.restart();
  t.equal(await take(bench.queues.open("q")), "b");
  const again = await open(bench.queues.open("q"));
  t.equal(again.item.data.toString(), "a");
  t.equal(again.item.attempts, 2);
});

t.test("flush and delete remove delayed items", async (t) => {
  for (const way of ["flush", "delete"] as const) {
    const bench = await QueueBench.for(t);
    await putNow(bench, "q", "a", { delayMs: 1000 });
    await bench.queues[way]("q");
    t.equal(bench.queues.open("q").stats().delayed, 0);
    bench.clock.pass(1000);
    t.same(await drainNamed(bench, "q"), []);
    await bench.restart();
    bench.clock.pass(1000);
    t.same(await drainNamed(bench, "q"), []);
  }
});

t.test("a flush that comes before the batch answers the put", async (t) => {
  const bench = await QueueBench.for(t);
  const put = putNow(bench, "q", "a", { delayMs: 1000 });
  await bench.queues.flush("q");
  await t.resolves(put);
});

t.test("delayed items count for max_items and max_size", async (t) => {
  const bench = await QueueBench.for(t, { maxItems: 1 });
  await putNow(bench, "q", "a", { delayMs: 1000 });
  t.equal(await putNow(bench, "q", "b"), "full");
  bench.configure({ maxBytes: 1 });
  t.equal(await putNow(bench, "q", "b"), "full");
  bench.clock.pass(1000);
  t.same(await drainNamed(bench, "q"), ["a"]);
  t.equal(await putNow(bench, "q", "b"), undefined);
});

t.test("items expire while they are delayed", async (t) => {
  const bench = await QueueBench.for(t);
  await putNow(bench, "q", "a", { delayMs: 2000, expiresAt: bench.clock.wallMs() + 1000 });
  bench.clock.pass(2000);
  t.same(await drainNamed(bench, "q"), []);
  t.equal(bench.queues.open("q").counters.expiredItems, 1);
});

t.test("a delayed put whose batch fails is refused and gone", async (t) => {
  const bench = await QueueBench.for(t);
  bench.queues.open("q");
  await bench.disk.idle();
  bench.disk.disk.failNextWrite();
  await t.rejects(putNow(bench, "q", "a", { delayMs: 1000 }), { code: "WH_WRITE_FAILED" });
  t.equal(bench.queues.open("q").stats().delayed, 0);
  await bench.disk.reopened();
  bench.clock.pass(2000);
  t.same(await drainNamed(bench, "q"), []);
  await bench.restart();
  t.same(await drainNamed(bench, "q"), []);
});

t.test("an item whose put fails after it was given back with a delay is gone", async (t) => {
  const bench = await QueueBench.for(t);
  const queue = bench.queues.open("q");
  await bench.disk.idle();
  bench.disk.disk.failNextWrite();
  const put = putNow(bench, "q", "a");
  queue.giveBack([await open(queue)], 1000);
  await t.rejects(put, { code: "WH_WRITE_FAILED" });
  t.equal(queue.stats().delayed, 0);
});

t.test("a delayed item survives a failed batch, both while it waits and when it joins", async (t) => {
  for (const moment of ["waits", "joins"]) {
    const bench = await QueueBench.for(t);
    await putNow(bench, "q", "a", { delayMs: 5000 });
    await bench.disk.idle();
    bench.disk.disk.failNextWrite();
    if (moment === "joins") bench.clock.setWall(bench.clock.wallMs() + 4000);
    if (moment === "joins") bench.clock.pass(5000);
    else await t.rejects(putNow(bench, "q", "x"));
    await bench.disk.idle();
    await bench.disk.reopened();
    bench.clock.pass(5000);
    await bench.disk.idle();
    await bench.restart();
    bench.clock.pass(5000);
    t.same(await drainNamed(bench, "q"), ["a"], moment);
    await bench.disk.idle();
    await bench.restart();
    bench.clock.pass(5000);
    t.same(await drainNamed(bench, "q"), [], moment);
  }
});

t.test("delays work without a journal and reach fanout children", async (t) => {
  const bench = await QueueBench.for(t, { keepJournal: false });
  bench.queues.open("q+c");
  await putNow(bench, "q", "a", { delayMs: 1000 });
  t.same(await drainNamed(bench, "q+c"), []);
  bench.clock.pass(1000);
  t.same(await drainNamed(bench, "q"), ["a"]);
  t.same(await drainNamed(bench, "q+c"), ["a"]);
});
