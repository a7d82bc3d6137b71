import { randomBytes } from "node:crypto";
import t from "tap";
import type { Item } from "../../src/item.js";
import type { QueueJournal, ReadAhead } from "../../src/journal/queue-journal.js";
import type { StoreEntry } from "../../src/journal/store.js";
import { silentLog } from "../../src/log.js";
import { ItemList } from "../../src/queue/item-list.js";
import { ReadBehind } from "../../src/queue/read-behind.js";
import { recordsOf, withBitTurned, withStore, writeRecords } from "../helpers/damage.js";
import { newItem, turn } from "../helpers/journal-bench.js";
import { drain, got, open, PATIENT, putAll, QueueBench, store, take } from "../helpers/queue-bench.js";
import { TestClock } from "../helpers/test-clock.js";
import { until, within } from "../helpers/within.js";

const KB = 1024;
const MAX_MEMORY = 64 * KB;
/** A page is read whole, so that much may be in memory beside what may be. */
const PAGE = 130 * KB;

const small = { maxMemoryBytes: MAX_MEMORY };
const numbered = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, n) => `${from + n}`.padEnd(1000, "."));

t.test("only the head is in memory, while it is filled, afterwards, and while it is drained", async (t) => {
  const { queues } = await QueueBench.for(t, small);
  const queue = queues.open("q");
  const items = numbered(1000);
  for (let n = 0; n < items.length; n += 50) {
    await store(queue, ...items.slice(n, n + 50));
    t.ok(queue.stats().memBytes <= MAX_MEMORY, `${queue.stats().memBytes} bytes while it is filled`);
  }
  t.match(queue.stats(), { items: 1000, bytes: 1_000_000 });
  const taken: string[] = [];
  for (let item = await take(queue); item !== null; item = await take(queue)) {
    taken.push(item);
    const { memBytes, items: left } = queue.stats();
    if (memBytes > MAX_MEMORY + PAGE) t.fail(`${memBytes} bytes in memory with ${left} items left`);
  }
  t.same(taken, items);
  t.match(queue.stats(), { items: 0, bytes: 0, memItems: 0, lost: 0 });
});

t.test("there is never no item while there are some, also when they must be read first", async (t) => {
  const bench = await QueueBench.for(t, small);
  const items = numbered(300);
  await store(bench.queues.open("q"), ...items);
  const queue = (await bench.restart()).open("q");
  t.equal(queue.fetchNow("take"), "loading");
  const waiters = [0, 0, 100].map((ms) => queue.wait("take", ms, PATIENT));
  t.same(await Promise.all(waiters.map(got)), items.slice(0, 3));
  t.same(await drain(queue), items.slice(3));
  t.equal(queue.fetchNow("take"), null);
});

t.test("puts and gets at the border between memory and disk keep the order, however they mix", async (t) => {
  for (const maxMemoryBytes of [1, 3 * KB, 20 * KB]) {
    const { queues } = await QueueBench.for(t, { maxMemoryBytes });
    const queue = queues.open("q");
    const taken: (string | null)[] = [];
    const puts: Promise<void>[] = [];
    let put = 0;
    for (let round = 0; round < 60; round++) {
      const count = (round * 7) % 23;
      puts.push(...(putAll(queue, ...numbered(count, put)) as Promise<void>[]));
      put += count;
      if (round % 5 === 0) await Promise.all(puts);
      for (let n = 0; n < (round * 5) % 19 && queue.items > 0; n++) taken.push(await take(queue));
    }
    await Promise.all(puts);
    taken.push(...(await drain(queue)));
    t.same(taken, numbered(put), `${maxMemoryBytes} bytes of memory`);
    t.match(queue.stats(), { items: 0, bytes: 0, lost: 0 });
  }
});

t.test("items of many sizes, also empty and larger than all memory, come through", async (t) => {
  const bench = await QueueBench.for(t, { maxMemoryBytes: 10 * KB });
  const queue = bench.queues.open("q");
  const sizes = [0, 1, 300_000, 0, 0, 131_000, 5, 140_000, 0, 20_000, 20_000, 1_200_000, 3];
  const items = sizes.map((size) => randomBytes(size));
  await Promise.all(items.map((data) => queue.put(newItem("", { data }), false)));
  const read = async (): Promise<string[]> =>
    (await drain(bench.queues.open("q"))).map((data) => Buffer.from(data, "latin1").toString("hex"));
  t.same(
    await read(),
    items.map((data) => data.toString("hex")),
  );
  await Promise.all(items.map((data) => bench.queues.open("q").put(newItem("", { data }), false)));
  await bench.restart();
  t.same(
    await read(),
    items.map((data) => data.toString("hex")),
  );
});

t.test("reads behind can be open, given back and confirmed while the rest is read", async (t) => {
  const bench = await QueueBench.for(t, { maxMemoryBytes: 5 * KB });
  const items = numbered(60);
  await store(bench.queues.open("q"), ...items);
  const queue = (await bench.restart()).open("q");
  const reads = [];
  for (let n = 0; n < 40; n++) reads.push(await open(queue));
  queue.giveBack(reads.filter((_, n) => n % 2 === 0));
  for (const read of reads) void queue.confirm(read);
  t.same(
    await drain(queue),
    items.filter((_, n) => n % 2 === 0 || n >= 40),
  );
  t.match(queue.stats(), { items: 0, lost: 0, openTransactions: 0 });
});

t.test("G134 a read that fails is tried again, and who waits is served then", async (t) => {
  const bench = await QueueBench.for(t, small);
  await store(bench.queues.open("q"), ...numbered(5));
  const queue = (await bench.restart()).open("q");
  bench.disk.disk.failReads(3);
  const taken = take(queue);
  await until("the read failed three times", async () => {
    bench.clock.advance(100);
    return bench.disk.log.complaints.length === 3;
  });
  bench.clock.advance(100);
  t.equal(await within(taken, "the item"), numbered(1)[0]);
  t.match(bench.disk.log.complaints, [{ level: "error", facts: { queue: "q" }, message: /trying again/ }]);
});

t.test("a flush while items are being read leaves a queue that can be filled beyond memory at once", async (t) => {
  const bench = await QueueBench.for(t, { maxMemoryBytes: 3 * KB });
  await store(bench.queues.open("q"), ...numbered(20));
  const queue = (await bench.restart()).open("q");
  const waiter = queue.wait("take", 0, PATIENT);
  const flushed = queue.flush();
  t.equal(await got(waiter), null);
  const puts = putAll(queue, ...numbered(20, 100));
  t.same(await drain(queue), numbered(20, 100));
  await Promise.all([flushed, ...puts]);
  t.same(await drain(queue), []);
});

t.test("a batch that fails while items lie behind takes its items out of the line, and no others", async (t) => {
  const bench = await QueueBench.for(t, { maxMemoryBytes: 3 * KB });
  const queue = bench.queues.open("q");
  await store(queue, ...numbered(10));
  bench.disk.disk.failNextWrite("landed");
  const puts = putAll(queue, ...numbered(5, 100)) as Promise<void>[];
  t.ok((await Promise.allSettled(puts)).every(({ status }) => status === "rejected"));
  t.equal(queue.items, 10);
  await bench.disk.reopened();
  await store(queue, ...numbered(5, 200));
  t.same(await drain(queue), [...numbered(10), ...numbered(5, 200)]);
  t.match(queue.stats(), { items: 0, bytes: 0, lost: 0 });
});

t.test("a queue that nobody reads reads nothing, and its journal can be closed", async (t) => {
  const bench = await QueueBench.for(t, small);
  await store(bench.queues.open("q"), ...numbered(300));
  const queue = (await bench.restart()).open("q");
  await turn();
  t.match(queue.stats(), { items: 300, memItems: 0 });
  const loading = queue.wait("take", 0, PATIENT);
  bench.queues.endWaits();
  t.equal(await got(loading), null);
  await bench.disk.closeAll();
  for (let n = 0; n < 5; n++) {
    bench.clock.advance(100);
    await turn();
  }
  t.equal(bench.clock.timers, 0, "nothing is tried for ever");
});

t.test("the age is that of the head also while the head is being read", async (t) => {
  const bench = await QueueBench.for(t, { maxMemoryBytes: 1 });
  await Promise.all(
    [1000, 2000, 3000].map((addedAt) => bench.queues.open("q").put(newItem("x".repeat(200_000), { addedAt }), true)),
  );
  const queue = (await bench.restart()).open("q");
  bench.clock.setWall(10_000);
  t.equal(queue.stats().ageMs, 9000);
  for (const ageMs of [9000, 8000, 0]) {
    await take(queue);
    t.match(queue.stats(), { ageMs, memItems: 0 }, "as old as the last one was, until it is there");
  }
});

t.test("a waiter whose time ends while items are read gets one of them", async (t) => {
  const bench = await QueueBench.for(t, small);
  await store(bench.queues.open("q"), ...numbered(3));
  const queue = (await bench.restart()).open("q");
  const waiter = queue.wait("take", 1, PATIENT);
  bench.clock.advance(1);
  t.equal(await got(waiter), numbered(1)[0]);
});

t.test(
  "what a damaged page had is counted as lost while the rest is served, and the counts are right again at the end",
  async (t) => {
    const bench = await QueueBench.for(t, { maxMemoryBytes: 3 * KB });
    for (const item of numbered(20)) await store(bench.queues.open("q"), item);
    await bench.disk.closeAll();
    await withStore(bench.disk.directory, async (store) => {
      const pages = await recordsOf(store, "p");
      await writeRecords(
        store,
        [3, 4, 19].map((n) => pages[n] as StoreEntry).map(([key, value]) => [key, withBitTurned(value)]),
      );
    });
    const queue = bench.resume(await bench.disk.open()).open("q");
    t.equal(queue.items, 20, "nobody knows yet");
    const lost = new Set([3, 4, 19]);
    t.same(
      await drain(queue),
      numbered(20).filter((_, n) => !lost.has(n)),
    );
    t.match(queue.stats(), { items: 0, bytes: 0, lost: 3 });
    await store(queue, "more");
    t.same(await drain(queue), ["more"]);
  },
);

t.test("what is withdrawn while it is being read does not come into the line", async (t) => {
  const list = new ItemList();
  const items = [1, 2, 3].map((seq) => ({ ...newItem(`${seq}`), seq, attempts: 0, meta: Buffer.alloc(0) }));
  let bring = (_read: ReadAhead): void => {};
  const journal = {
    waiting: 3,
    head: 1,
    next: 4,
    readAhead: () => new Promise<ReadAhead>((resolve) => (bring = resolve)),
    recount: () => {},
  } as unknown as QueueJournal;
  const clock = new TestClock();
  const behind = new ReadBehind({ list, journal, clock, log: silentLog, maxBytes: 1000, onItems: () => {} });
  behind.prefetch();
  behind.withdraw(new Set([items[1] as Item]));
  bring({ items, next: 4 });
  await turn();
  t.same(
    [...list].map(({ seq }) => seq),
    [1, 3],
  );
  t.equal(behind.active, false);
});
