import t from "tap";
import { open, PATIENT, putNow, QueueBench, take } from "../helpers/queue-bench.js";

t.test("D97 an empty queue that nobody used for max_queue_age is deleted, and stays so", async (t) => {
  const bench = await QueueBench.for(t, { maxQueueAgeMs: 10_000 });
  await putNow(bench, "q", "1");
  bench.clock.pass(60_000);
  t.ok(bench.queues.find("q"), "not while it has items");
  await take(bench.queues.open("q"));
  bench.clock.pass(10_000);
  t.ok(bench.queues.find("q"), "counted from its last use");
  bench.clock.pass(1000);
  t.equal(bench.queues.find("q"), undefined);
  t.match(bench.queues, { expires: 1, deletes: 1 });
  await bench.disk.idle();
  await bench.restart();
  t.equal(bench.queues.find("q"), undefined);
});

t.test("D97 not with open reads, delayed items, waiters or children", async (t) => {
  const bench = await QueueBench.for(t, { maxQueueAgeMs: 10_000 });
  await putNow(bench, "open", "1");
  const read = await open(bench.queues.open("open"));
  await putNow(bench, "delayed", "1", { delayMs: 3_600_000 });
  const waiter = bench.queues.open("wait").wait("take", 3_600_000, PATIENT);
  bench.queues.open("parent");
  await putNow(bench, "parent+child", "1");
  bench.clock.pass(100_000);
  for (const name of ["open", "delayed", "wait", "parent", "parent+child"]) t.ok(bench.queues.find(name), name);
  bench.queues.open("open").giveBack([read]);
  waiter.cancel();
  await waiter.outcome;
  bench.clock.pass(5000);
  t.ok(bench.queues.find("open"));
  t.ok(bench.queues.find("wait"), "the end of a wait is a use");
  bench.clock.pass(7000);
  t.equal(bench.queues.find("wait"), undefined);
  t.ok(bench.queues.find("open"), "it has its item back");
});
