import t from "tap";
import { readMetadata } from "../../src/journal/metadata.js";
import { drainNamed, fetch, open, putNow, QueueBench, take } from "../helpers/queue-bench.js";

async function fail(bench: QueueBench, name: string): Promise<void> {
  const queue = bench.queues.open(name);
  queue.giveBack([await open(queue)]);
}

t.test("after max_attempts deliveries an item becomes a dead letter, with its history", async (t) => {
  const bench = await QueueBench.for(t, { maxAttempts: 3 });
  const put = bench.clock.wallMs();
  await putNow(bench, "q", "a", { flags: 5, expiresAt: put + 1_000_000 });
  await putNow(bench, "q", "b");
  bench.clock.pass(500);
  for (let i = 0; i < 3; i++) await fail(bench, "q");
  const queue = bench.queues.open("q");
  t.match(queue.stats(), { items: 1, deadLettered: 1, openTransactions: 0 });
  const dead = (await fetch(bench.queues.open("q_dead"), "peek"))?.item;
  t.match(dead, { flags: 5, expiresAt: 0, addedAt: put + 500 });
  t.equal(dead?.data.toString(), "a");
  const history = { source: "q", attempts: 3, firstAddedAt: put, diedAt: put + 500 };
  t.same(readMetadata(dead?.meta as Buffer), history);
  await bench.disk.idle();
  await bench.restart();
  const again = (await fetch(bench.queues.open("q_dead"), "take"))?.item;
  t.same(readMetadata(again?.meta as Buffer), history);
  t.same(await drainNamed(bench, "q"), ["b"]);
});

t.test("attempts are counted across restarts and crashes", async (t) => {
  const bench = await QueueBench.for(t, { maxAttempts: 3 });
  await putNow(bench, "q", "a");
  await fail(bench, "q");
  await bench.disk.idle();
  await bench.restart();
  await open(bench.queues.open("q"));
  await bench.disk.idle();
  await bench.restart();
  const read = await open(bench.queues.open("q"));
  t.equal(read.item.attempts, 3);
  bench.queues.open("q").giveBack([read]);
  t.same(await drainNamed(bench, "q"), []);
  t.same(await drainNamed(bench, "q_dead"), ["a"]);
});

t.test("a dead-letter queue has neither max_age nor max_attempts of the defaults", async (t) => {
  const bench = await QueueBench.for(t, { maxAttempts: 1, maxAgeMs: 1000 });
  await putNow(bench, "q", "a");
  await fail(bench, "q");
  for (let i = 0; i < 5; i++) await fail(bench, "q_dead");
  bench.clock.pass(10_000);
  t.same(await drainNamed(bench, "q_dead"), ["a"]);
  t.equal(bench.queues.find("q_dead_dead"), undefined);
});

t.test("dead_letter_queue names another one; its own max_attempts counts from the beginning", async (t) => {
  const bench = await QueueBench.for(t);
  bench.sections.set("q", { maxAttempts: 2, deadLetterQueue: "morgue" });
  bench.sections.set("morgue", { maxAttempts: 2, deadLetterQueue: "end" });
  bench.configure();
  await putNow(bench, "q", "a");
  await fail(bench, "q");
  await fail(bench, "q");
  await fail(bench, "morgue");
  t.equal(bench.queues.open("morgue").items, 1, "one attempt there");
  await fail(bench, "morgue");
  t.same(await drainNamed(bench, "end"), ["a"]);
});

t.test("a full dead-letter queue: the item is set aside and tried at each sweep, also after a restart", async (t) => {
  const bench = await QueueBench.for(t, { maxAttempts: 1 });
  bench.sections.set("q_dead", { maxItems: 1 });
  bench.configure();
  for (const data of ["a", "b", "c", "d"]) await putNow(bench, "q", data);
  await fail(bench, "q");
  await fail(bench, "q");
  const queue = bench.queues.open("q");
  t.match(queue.stats(), { expireBlocked: 1, deadLettered: 1, items: 2 });
  t.equal(await take(queue), "c", "those behind it are served");
  bench.clock.pass(1000);
  t.equal(queue.stats().expireBlocked, 1);
  t.same(await drainNamed(bench, "q_dead"), ["a"]);
  bench.clock.pass(1000);
  t.match(queue.stats(), { expireBlocked: 0, deadLettered: 2 });
  const dead = (await fetch(bench.queues.open("q_dead"), "peek"))?.item;
  t.match(readMetadata(dead?.meta as Buffer), { source: "q", attempts: 1 });
  await fail(bench, "q");
  await bench.disk.idle();
  await bench.restart();
  t.same(await drainNamed(bench, "q_dead"), ["b"]);
  const item = await fetch(bench.queues.open("q"), "open");
  if (item?.read) bench.queues.open("q").giveBack([item.read]);
  bench.clock.pass(1000);
  t.same(await drainNamed(bench, "q_dead"), ["d"]);
});

t.test("a batch that fails brings a dead letter back; it dies again at the next sweep, counted once", async (t) => {
  const bench = await QueueBench.for(t, { maxAttempts: 1 });
  bench.queues.open("q_dead");
  await putNow(bench, "q", "a");
  await bench.disk.idle();
  bench.disk.disk.failNextWrite();
  await fail(bench, "q");
  await bench.disk.idle();
  t.equal(bench.queues.open("q").stats().expireBlocked, 1);
  await bench.disk.reopened();
  bench.clock.pass(1000);
  await bench.disk.idle();
  t.equal(bench.queues.open("q").stats().deadLettered, 1);
  await bench.restart();
  t.same(await drainNamed(bench, "q"), []);
  t.same(await drainNamed(bench, "q_dead"), ["a"]);
});
