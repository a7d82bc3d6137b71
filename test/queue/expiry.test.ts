import t from "tap";
import { keysDeleted, keysPut } from "../helpers/faulty-store.js";
import { turn } from "../helpers/journal-bench.js";
import { drain, drainNamed, got, open, PATIENT, putNow, QueueBench, take } from "../helpers/queue-bench.js";

const SECOND = 1000;

t.test("D87 an item is there until its time, and never after it", async (t) => {
  const bench = await QueueBench.for(t);
  const expiresAt = bench.clock.wallMs() + 2 * SECOND;
  await putNow(bench, "q", "a", { expiresAt });
  await putNow(bench, "q", "b");
  const queue = bench.queues.open("q");
  bench.clock.setWall(expiresAt - 1);
  t.equal((await queue.peekAt(0))?.data.toString(), "a");
  bench.clock.setWall(expiresAt);
  t.equal((await queue.peekAt(0))?.data.toString(), "b", "peek at the head");
  t.equal(queue.counters.expiredItems, 1);
  t.same(await drain(queue), ["b"]);
});

t.test("a put looks at the head, so an expired item leaves room", async (t) => {
  const bench = await QueueBench.for(t, { maxItems: 1 });
  await putNow(bench, "q", "a", { expiresAt: bench.clock.wallMs() + 1 });
  t.equal(await putNow(bench, "q", "b"), "full");
  bench.clock.setWall(bench.clock.wallMs() + 1);
  t.equal(await putNow(bench, "q", "b"), undefined);
  t.same(await drainNamed(bench, "q"), ["b"]);
});

t.test("a full fanout parent whose items have expired takes a put as well", async (t) => {
  const bench = await QueueBench.for(t, { maxItems: 1 });
  bench.queues.open("q+c");
  for (const fanoutStrict of [false, true]) {
    bench.configure({ maxItems: 1, fanoutStrict });
    await putNow(bench, "q", "a", { expiresAt: bench.clock.wallMs() + 1 });
    bench.clock.setWall(bench.clock.wallMs() + 1);
    t.equal(await putNow(bench, "q", "b"), undefined, `strict: ${fanoutStrict}`);
    t.same(await drainNamed(bench, "q"), ["b"]);
    t.same(await drainNamed(bench, "q+c"), ["b"]);
  }
});

t.test("D91 max_age counts from the put, caps a longer expiry, and a reload acts on what waits", async (t) => {
  const bench = await QueueBench.for(t, { maxAgeMs: 60 * SECOND });
  await putNow(bench, "q", "a", { expiresAt: bench.clock.wallMs() + 3600 * SECOND });
  await putNow(bench, "q", "b");
  bench.clock.setWall(bench.clock.wallMs() + 59 * SECOND);
  bench.configure({ maxAgeMs: 120 * SECOND });
  bench.clock.setWall(bench.clock.wallMs() + SECOND);
  const queue = bench.queues.open("q");
  t.equal(await take(queue), "a", "a longer one came in time");
  bench.configure({ maxAgeMs: 30 * SECOND });
  t.equal(await take(queue), null, "a shorter one acts at once");
  t.equal(queue.counters.expiredItems, 1);
});

t.test("D91 max_age goes on counting over a restart", async (t) => {
  const bench = await QueueBench.for(t, { maxAgeMs: 60 * SECOND });
  await putNow(bench, "q", "a");
  bench.clock.setWall(bench.clock.wallMs() + 60 * SECOND);
  await bench.restart();
  t.same(await drainNamed(bench, "q"), []);
});

t.test("D92 the sweep expires items of a queue that nobody touches", async (t) => {
  const bench = await QueueBench.for(t);
  await putNow(bench, "q", "a", { expiresAt: bench.clock.wallMs() + 1 });
  bench.clock.pass(SECOND);
  t.match(bench.queues.open("q").stats(), { items: 0, bytes: 0, expiredItems: 1 });
});

t.test("max_expire_sweep bounds a sweep", async (t) => {
  const bench = await QueueBench.for(t, { maxExpireSweep: 3 });
  const expiresAt = bench.clock.wallMs() + 1;
  await Promise.all(Array.from({ length: 8 }, () => putNow(bench, "q", "a", { expiresAt })));
  bench.clock.pass(SECOND);
  await turn();
  t.equal(bench.queues.open("q").items, 5);
  bench.clock.pass(SECOND);
  await turn();
  t.equal(bench.queues.open("q").items, 2);
});

t.test("D93 thousands that expire together go in steps; a fetch behind them waits for the steps", async (t) => {
  const bench = await QueueBench.for(t);
  const expiresAt = bench.clock.wallMs() + 1;
  await Promise.all(Array.from({ length: 3000 }, () => putNow(bench, "q", "a", { expiresAt })));
  await putNow(bench, "q", "good");
  const queue = bench.queues.open("q");
  bench.clock.setWall(expiresAt);
  t.equal(queue.fetchNow("take"), "loading");
  t.ok(queue.items > 2000, "one step only");
  const waiter = queue.wait("take", 0, PATIENT);
  t.equal(await got(waiter), "good");
  t.equal(queue.counters.expiredItems, 3000);
});

t.test("D93 the sweep takes all, in steps", async (t) => {
  const bench = await QueueBench.for(t);
  const expiresAt = bench.clock.wallMs() + 1;
  await Promise.all(Array.from({ length: 1000 }, () => putNow(bench, "q", "a", { expiresAt })));
  bench.clock.pass(SECOND);
  const queue = bench.queues.open("q");
  t.ok(queue.items > 0);
  for (let i = 0; i < 10; i++) await turn();
  t.equal(queue.items, 0);
});

t.test("expired items that lie behind on the disk go too, also for a fetch", async (t) => {
  const bench = await QueueBench.for(t, { maxMemoryBytes: 200 });
  const expiresAt = bench.clock.wallMs() + 1;
  await Promise.all(Array.from({ length: 100 }, () => putNow(bench, "q", "x".repeat(50), { expiresAt })));
  await putNow(bench, "q", "good");
  bench.clock.setWall(expiresAt);
  t.equal(await take(bench.queues.open("q")), "good");
});

t.test("open reads do not expire; given back they may", async (t) => {
  const bench = await QueueBench.for(t);
  await putNow(bench, "q", "a", { expiresAt: bench.clock.wallMs() + 1 });
  const queue = bench.queues.open("q");
  const read = await open(queue);
  bench.clock.pass(5 * SECOND);
  t.equal(queue.counters.expiredItems, 0);
  queue.giveBack([read]);
  t.equal(await take(queue), null);
  t.equal(queue.counters.expiredItems, 1);
});

t.test("flush_expired counts what it took; nothing of a queue that is not there", async (t) => {
  const bench = await QueueBench.for(t);
  const expiresAt = bench.clock.wallMs() + 1;
  for (const name of ["a", "b"]) for (const data of ["1", "2"]) await putNow(bench, name, data, { expiresAt });
  await putNow(bench, "b", "3");
  bench.clock.setWall(expiresAt);
  t.equal(bench.queues.flushExpired("none"), 0);
  t.equal(bench.queues.flushExpired("a"), 2);
  t.equal(bench.queues.flushAllExpired(), 2);
  t.same(await drainNamed(bench, "b"), ["3"]);
  t.equal(bench.queues.find("none"), undefined);
});

t.test("expire_to_queue: the move is one batch, the item is new there and has no expiry", async (t) => {
  const bench = await QueueBench.for(t);
  bench.sections.set("q", { expireToQueue: "old" });
  bench.configure();
  bench.queues.open("old+child");
  await putNow(bench, "q", "a", { expiresAt: bench.clock.wallMs() + 1, flags: 7 });
  await bench.disk.idle();
  const before = bench.disk.disk.batches.length;
  bench.clock.pass(SECOND);
  await bench.disk.idle();
  const moves = bench.disk.disk.batches.slice(before).filter((batch) => keysPut(batch, "p").length > 0);
  t.equal(moves.length, 1);
  t.equal(keysPut(moves[0] as never, "p").length, 1, "put there");
  t.equal(keysDeleted(moves[0] as never, "p").length, 1, "removed here, in the same batch");
  const old = bench.queues.open("old");
  const item = await old.peekAt(0);
  t.match(item, { flags: 7, expiresAt: 0, addedAt: bench.clock.wallMs() });
  t.equal(bench.queues.open("old+child").items, 0, "not to the target's children");
  await bench.restart();
  t.same(await drainNamed(bench, "q"), []);
  t.same(await drainNamed(bench, "old"), ["a"]);
});

t.test("a moved item wakes who waits at the target", async (t) => {
  const bench = await QueueBench.for(t);
  bench.sections.set("q", { expireToQueue: "old" });
  bench.configure();
  await putNow(bench, "q", "a", { expiresAt: bench.clock.wallMs() + 1 });
  const waiter = bench.queues.open("old").wait("take", 5000, PATIENT);
  bench.clock.pass(SECOND);
  t.equal(await got(waiter), "a");
});

t.test("a full target: the item is set aside, those behind it are served, each sweep tries again", async (t) => {
  const bench = await QueueBench.for(t);
  bench.sections.set("q", { expireToQueue: "old" });
  bench.sections.set("old", { maxItems: 1 });
  bench.configure();
  await putNow(bench, "old", "first");
  await putNow(bench, "q", "a", { expiresAt: bench.clock.wallMs() + 1 });
  await putNow(bench, "q", "b");
  bench.clock.pass(SECOND);
  const queue = bench.queues.open("q");
  t.match(queue.stats(), { items: 1, expireBlocked: 1, expiredItems: 1 });
  t.equal(await take(queue), "b");
  t.equal(await take(queue), null);
  bench.clock.pass(SECOND);
  t.equal(queue.stats().expireBlocked, 1);
  t.same(await drainNamed(bench, "old"), ["first"]);
  bench.clock.pass(SECOND);
  t.match(queue.stats(), { expireBlocked: 0, expiredItems: 1 });
  t.same(await drainNamed(bench, "old"), ["a"]);
  await bench.disk.idle();
  await bench.restart();
  t.same(await drainNamed(bench, "q"), []);
  t.same(await drainNamed(bench, "old"), []);
});

t.test("an item that was set aside is there after a restart, and moves when there is room", async (t) => {
  const bench = await QueueBench.for(t);
  bench.sections.set("q", { expireToQueue: "old" });
  bench.sections.set("old", { maxItems: 1 });
  bench.configure();
  await putNow(bench, "old", "first");
  await putNow(bench, "q", "a", { expiresAt: bench.clock.wallMs() + 1 });
  bench.clock.pass(SECOND);
  await bench.restart();
  t.equal(await take(bench.queues.open("q")), null, "it is still not delivered");
  await drainNamed(bench, "old");
  bench.clock.pass(SECOND);
  t.same(await drainNamed(bench, "old"), ["a"]);
});

t.test("a flush and a delete remove what was set aside", async (t) => {
  for (const way of ["flush", "delete"] as const) {
    const bench = await QueueBench.for(t);
    bench.sections.set("q", { expireToQueue: "old" });
    bench.sections.set("old", { maxItems: 1 });
    bench.configure();
    await putNow(bench, "old", "first");
    await putNow(bench, "q", "a", { expiresAt: bench.clock.wallMs() + 1 });
    bench.clock.pass(SECOND);
    await bench.queues[way]("q");
    t.equal(bench.queues.open("q").stats().expireBlocked, 0);
    t.same(await drainNamed(bench, "old"), ["first"]);
    bench.clock.pass(SECOND);
    await bench.restart();
    bench.clock.pass(SECOND);
    t.same(await drainNamed(bench, "old"), []);
    t.same(await drainNamed(bench, "q"), []);
  }
});

t.test("queues that expire into each other come to rest", async (t) => {
  const bench = await QueueBench.for(t, { maxAgeMs: SECOND });
  bench.sections.set("a", { expireToQueue: "b" });
  bench.sections.set("b", { expireToQueue: "a" });
  bench.configure();
  for (let i = 0; i < 5; i++) await putNow(bench, "a", `${i}`);
  for (let i = 0; i < 5; i++) {
    bench.clock.pass(SECOND);
    await turn();
    t.equal(bench.queues.open("a").items + bench.queues.open("b").items, 5);
  }
});

t.test("a batch that fails brings the item back: it is not lost and not in both queues", async (t) => {
  const bench = await QueueBench.for(t);
  bench.sections.set("q", { expireToQueue: "old" });
  bench.configure();
  bench.queues.open("old");
  await putNow(bench, "q", "a", { expiresAt: bench.clock.wallMs() + 1 });
  await bench.disk.idle();
  bench.disk.disk.failNextWrite();
  bench.clock.setWall(bench.clock.wallMs() + 1);
  bench.queues.flushExpired("q");
  await bench.disk.idle();
  t.match(bench.queues.open("q").stats(), { expireBlocked: 1, items: 0 });
  t.equal(bench.queues.open("old").items, 0);
  await bench.disk.reopened();
  bench.clock.pass(SECOND);
  await bench.disk.idle();
  t.equal(bench.queues.open("q").stats().expireBlocked, 0);
  await bench.restart();
  t.same(await drainNamed(bench, "q"), []);
  t.same(await drainNamed(bench, "old"), ["a"]);
});

t.test("an item whose put fails while it is set aside is gone", async (t) => {
  const bench = await QueueBench.for(t);
  bench.sections.set("q", { expireToQueue: "old" });
  bench.sections.set("old", { maxItems: 1 });
  bench.configure();
  await putNow(bench, "old", "first");
  await bench.disk.idle();
  bench.disk.disk.failNextWrite();
  const put = putNow(bench, "q", "a", { expiresAt: bench.clock.wallMs() + 1 });
  bench.clock.setWall(bench.clock.wallMs() + 1);
  bench.queues.flushExpired("q");
  t.equal(bench.queues.open("q").stats().expireBlocked, 1);
  await t.rejects(put, { code: "WH_WRITE_FAILED" });
  await bench.disk.reopened();
  t.equal(bench.queues.open("q").stats().expireBlocked, 0);
  await drainNamed(bench, "old");
  bench.clock.pass(SECOND);
  t.same(await drainNamed(bench, "old"), []);
});

t.test("a target that discards its oldest items makes room for what moves", async (t) => {
  const bench = await QueueBench.for(t);
  bench.sections.set("q", { expireToQueue: "old" });
  bench.sections.set("old", { maxItems: 2, discardOldWhenFull: true });
  bench.configure();
  const expiresAt = bench.clock.wallMs() + 1;
  for (const data of ["1", "2", "3", "4"]) await putNow(bench, "q", data, { expiresAt });
  bench.clock.pass(SECOND);
  t.equal(bench.queues.open("old").items, 2);
  t.same(await drainNamed(bench, "old"), ["3", "4"]);
});
