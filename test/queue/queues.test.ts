import t from "tap";
import { DEFAULT_QUEUE_SETTINGS } from "../../src/config/defaults.js";
import { Queues } from "../../src/queue/queues.js";
import { JournalBench } from "../helpers/journal-bench.js";
import { drain, got, open, PATIENT, putAll, QueueBench, store, take } from "../helpers/queue-bench.js";

t.test("a queue is made when it is opened, and found afterwards", async (t) => {
  const { queues } = await QueueBench.for(t);
  t.equal(queues.find("q"), undefined);
  const queue = queues.open("q");
  t.equal(queues.open("q"), queue);
  t.equal(queues.find("q"), queue);
  t.not(queues.open("Q"), queue, "names are told apart by case");
  t.match(queues, { creates: 2, deletes: 0 });
  t.same(
    queues.list().map(({ name }) => name),
    ["q", "Q"],
  );
});

t.test("F111 delete and flush of what does not exist make nothing", async (t) => {
  const { queues } = await QueueBench.for(t);
  t.equal(queues.delete("q"), null);
  t.equal(queues.flush("q"), null);
  t.match(queues, { creates: 0, deletes: 0 });
  t.same(queues.list(), []);
});

t.test("C81 a queue that is made anew after a delete is a new one", async (t) => {
  const bench = await QueueBench.for(t);
  const old = bench.queues.open("q");
  await store(old, "old", "older");
  const read = await open(old);
  const deleted = bench.queues.delete("q");
  const fresh = bench.queues.open("q");
  t.not(fresh, old);
  await Promise.all([deleted, store(fresh, "new")]);
  old.giveBack([read]);
  t.same(await drain(fresh), ["new"], "the old one's read does not come back into it");
  await store(fresh, "newer");
  t.same(await drain((await bench.restart()).open("q")), ["newer"]);
  t.equal(bench.queues.creates, 0, "it was there");
});

t.test("F112 all queues are flushed together", async (t) => {
  const { queues } = await QueueBench.for(t);
  const all = Array.from({ length: 50 }, (_, n) => queues.open(`q${n}`));
  for (const queue of all) putAll(queue, "a", "b");
  await queues.flushAll();
  t.equal(
    all.reduce((sum, queue) => sum + queue.items, 0),
    0,
  );
});

t.test("C82 when waits end, those that there are end, and later ones at once, also on new queues", async (t) => {
  const { queues, clock } = await QueueBench.for(t);
  const queue = queues.open("q");
  const waiters = Array.from({ length: 100 }, () => queue.wait("take", 10_000, PATIENT));
  queues.endWaits();
  t.same(new Set(await Promise.all(waiters.map(got))), new Set([null]));
  t.equal(await got(queue.wait("take", 10_000, PATIENT)), null);
  t.equal(await got(queues.open("new").wait("take", 10_000, PATIENT)), null);
  await store(queue, "a");
  t.equal(await take(queue), "a", "what is there is still served");
  t.ok(clock.timers <= 2, "none of them is a waiter's");
});

t.test("figures count what deleted queues had", async (t) => {
  const { queues } = await QueueBench.for(t);
  await store(queues.open("a"), "1", "2");
  await store(queues.open("b"), "3");
  await queues.delete("a");
  t.equal(queues.totalItems, 3);
  t.match(queues, { creates: 2, deletes: 1 });
});

t.test("each queue has its own settings, also before it exists", async (t) => {
  const disk = await JournalBench.for(t);
  const settings = {
    queueDefaults: DEFAULT_QUEUE_SETTINGS,
    queues: new Map([["small", { maxItemBytes: 3 }]]),
    aliases: new Map(),
    expirationTimerMs: 1000,
  };
  const queues = new Queues({ journal: await disk.open(), settings, clock: disk.clock, log: disk.log });
  t.equal(queues.maxItemBytes("small"), 3);
  t.equal(queues.maxItemBytes("other"), Infinity);
  t.same(queues.list(), []);
  t.same(putAll(queues.open("small"), "1234"), ["too-large"]);
});

t.test("G124 restart: the same queues, with their items, ages and what was open", async (t) => {
  const bench = await QueueBench.for(t);
  const queue = bench.queues.open("q");
  await store(queue, "1", "2", "3", "4");
  const reads = [await open(queue), await open(queue)];
  t.equal(reads[0]?.item.attempts, 1);
  bench.queues.open("empty");
  const queues = await bench.restart();
  t.same(
    queues
      .list()
      .map(({ name }) => name)
      .sort(),
    ["empty", "q"],
  );
  const again = queues.open("q");
  t.match(again.stats(), { items: 4, bytes: 4, openTransactions: 0 });
  t.equal(again.stats().ageMs, bench.clock.wallMs() - 1);
  const read = await open(again);
  t.equal(read.item.attempts, 2);
  t.notOk(
    reads.some(({ id }) => id >= read.id),
    "delivery numbers go on",
  );
  again.giveBack([read]);
  t.same(await drain(again), ["1", "2", "3", "4"]);
});

t.test("the age of what lies behind after a restart is known before it is read, and not afterwards", async (t) => {
  const bench = await QueueBench.for(t);
  await store(bench.queues.open("q"), "1", "2");
  const again = (await bench.restart()).open("q");
  t.equal(again.stats().ageMs, bench.clock.wallMs() - 1);
  t.match(again.stats(), { items: 2, memItems: 0 });
  await take(again);
  t.match(again.stats(), { items: 1, memItems: 1 });
  await take(again);
  t.equal(again.stats().ageMs, 0);
});

t.test("delivery numbers never come again, not after a kill either", async (t) => {
  const bench = await QueueBench.for(t);
  await store(bench.queues.open("q"), "1");
  const seen = new Set<number>();
  for (let run = 0; run < 4; run++) {
    const { id } = await open(bench.queues.open("q"));
    t.notOk(seen.has(id));
    seen.add(id);
    await bench.disk.settle();
    const copy = await bench.disk.copy();
    await bench.disk.closeAll();
    bench.disk.directory = copy;
    bench.resume(await bench.disk.open());
  }
});

t.test("a put that fails leaves the queue, and its figures say what was lost with an open read", async (t) => {
  const bench = await QueueBench.for(t);
  const queue = bench.queues.open("q");
  await store(queue, "before");
  const hold = bench.disk.disk.hold();
  bench.disk.disk.failNextWrite();
  const puts = putAll(queue, "a", "b") as Promise<void>[];
  await hold.reached;
  const [before, a] = [await open(queue), await open(queue)];
  hold.release();
  t.same(
    (await Promise.allSettled(puts)).map(({ status }) => status),
    ["rejected", "rejected"],
  );
  t.match(queue.stats(), { items: 0, openTransactions: 2, lost: 0 });
  t.same(putAll(queue, "c"), ["blocked"]);
  queue.giveBack([a, before]);
  t.match(queue.stats(), { items: 1, openTransactions: 0, lost: 1, canceledTransactions: 2 });
  t.equal(await take(queue), "before");
  await bench.disk.reopened();
  await store(queue, "d");
  t.same(await drain(queue), ["d"]);
});
