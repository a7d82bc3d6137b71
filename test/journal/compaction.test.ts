import { randomBytes } from "node:crypto";
import t from "tap";
import { directoryBytes } from "../helpers/files.js";
import { JournalBench, newItem, put, readLine, turn } from "../helpers/journal-bench.js";
import { until } from "../helpers/within.js";

const MB = 1_000_000;
/** LevelDB rewrites a table only together with another one, so the last one that it wrote may stay until the next comes. */
const SMALL = 20 * MB;

/** Lets time pass until the directory takes less than `bytes`. */
async function shrinks(bench: JournalBench, bytes: number): Promise<void> {
  await until(`the directory takes less than ${bytes} bytes`, async () => {
    bench.clock.advance(100);
    await turn();
    return (await directoryBytes(bench.directory)) < bytes;
  });
}

t.test("G129 after 64 MB were put and taken the directory is small again", { timeout: 60_000 }, async (t) => {
  const bench = await JournalBench.for(t);
  const queue = (await bench.open()).create("q");
  const data = randomBytes(100_000);
  for (let n = 0; n < 64; n++) {
    const puts = Array.from({ length: 10 }, () => queue.append(newItem("", { data }), false, false));
    await Promise.all(puts.map((item) => queue.written(item)));
  }
  t.ok((await directoryBytes(bench.directory)) > 60 * MB);
  t.ok(queue.pageBytes >= 64 * MB);
  const line = await readLine(queue, 4 * MB);
  t.equal(line.length, 640);
  for (const item of line) queue.take(item);
  await bench.settle();
  t.equal(queue.pageBytes, 0);
  await shrinks(bench, SMALL);
});

t.test("after a flush and after a delete the directory is small again", { timeout: 60_000 }, async (t) => {
  const bench = await JournalBench.for(t);
  const journal = await bench.open();
  const queue = journal.create("q");
  const data = randomBytes(100_000);
  for (const remove of ["flush", "retire"] as const) {
    for (let n = 0; n < 20; n++) {
      const puts = Array.from({ length: 20 }, () => queue.append(newItem("", { data }), false, false));
      await Promise.all(puts.map((item) => queue.written(item)));
    }
    t.ok((await directoryBytes(bench.directory)) > 35 * MB);
    await queue[remove]();
    await shrinks(bench, SMALL);
  }
});

t.test("reliable reads one by one leave nothing that grows", { timeout: 60_000 }, async (t) => {
  const bench = await JournalBench.for(t);
  const queue = (await bench.open()).create("q");
  const data = randomBytes(10_000);
  for (let n = 0; n < 5000; n++) {
    const { item, written } = put(queue, data);
    queue.open(item);
    await written;
    queue.confirm(item);
  }
  await bench.settle();
  t.equal(queue.pageBytes, 0);
  await shrinks(bench, SMALL);
});

t.test("G130 many open reads on an empty queue write each record once", async (t) => {
  const bench = await JournalBench.for(t);
  const queue = (await bench.open()).create("q");
  const puts = Array.from({ length: 5000 }, (_, n) => put(queue, `item ${n}`));
  await Promise.all(puts.map(({ written }) => written));
  for (const { item } of puts) queue.open(item);
  await bench.settle();
  const before = bench.disk.batches.length;
  for (const { item } of puts.slice(0, 100)) {
    queue.confirm(item);
    await bench.settle();
  }
  const operations = bench.disk.batches.slice(before).reduce((sum, batch) => sum + batch.operations.length, 0);
  t.ok(operations <= 300, `${operations} for 100 confirms`);
});

t.test("a compaction that fails is logged, and the journal goes on and closes", async (t) => {
  const bench = await JournalBench.for(t);
  const journal = await bench.open({
    openStore: async (directory) => {
      const store = await bench.disk.open(directory);
      return Object.assign(store, { compact: () => Promise.reject(new Error("no room")) });
    },
  });
  const queue = journal.create("q");
  const puts = Array.from({ length: 20 }, () => put(queue, randomBytes(100_000)));
  await Promise.all(puts.map(({ written }) => written));
  for (const { item } of puts) queue.take(item);
  await bench.settle();
  bench.clock.advance(2000);
  bench.clock.advance(2000);
  await until("it is logged", async () => bench.log.complaints.length > 0);
  t.match(bench.log.complaints, [{ level: "warn", message: /compaction failed/ }]);
  await put(queue, "more").written;
  await journal.close();
});
