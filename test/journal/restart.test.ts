import t from "tap";
import type { Item } from "../../src/item.js";
import { JournalItem } from "../../src/journal/journal-item.js";
import { outKey } from "../../src/journal/keys.js";
import type { LevelJournal } from "../../src/journal/level-journal.js";
import { Page, readPage } from "../../src/journal/page.js";
import type { QueueJournal } from "../../src/journal/queue-journal.js";
import { recordsOf, withStore, writeRecords } from "../helpers/damage.js";
import { keysDeleted, keysPut, type SeenBatch } from "../helpers/faulty-store.js";
import { contents, JournalBench, put, readLine, turn } from "../helpers/journal-bench.js";

const restarts = {
  "a stop": async (bench: JournalBench, journal: LevelJournal) => {
    await journal.close();
    return bench.open();
  },
  "a kill": (bench: JournalBench) => bench.crash(),
} as const;

for (const [how, restart] of Object.entries(restarts)) {
  t.test(`after ${how} every queue is known, with its line and its counts`, async (t) => {
    const bench = await JournalBench.for(t);
    const journal = await bench.open();
    const [one, empty] = [journal.create("one"), journal.create("\xe9mpty")];
    const puts = ["a", "bb", "", "dddd"].map((data) => put(one, data, { flags: 7, addedAt: 123, expiresAt: 456 }));
    await Promise.all(puts.map(({ written }) => written));
    one.take(puts[0]?.item as Item);
    empty.take(put(empty, "x").item);
    await bench.settle();
    const again = await restart(bench, journal);
    t.same(again.recovered.map(({ name }) => name).sort(), ["one", "\xe9mpty"].sort());
    t.equal(again.boots, 2);
    const found = again.recovered.find(({ name }) => name === "one");
    t.match(found, { lost: 0, back: [], journal: { waiting: 3, waitingBytes: 6 } });
    t.ok((found?.journal.pageBytes as number) > 0);
    t.match(found?.headAddedAt, 0, "nobody listens in this test");
    const line = await readLine(found?.journal as never);
    t.same(
      line.map(({ data }) => data.toString()),
      ["bb", "", "dddd"],
    );
    t.match(line[0], { flags: 7, addedAt: 123, expiresAt: 456, attempts: 0 });
    t.same(await contents(again, "\xe9mpty"), []);
  });

  t.test(`after ${how} what was open or back comes first, in its old order, with its attempts`, async (t) => {
    const bench = await JournalBench.for(t);
    const journal = await bench.open();
    const queue = journal.create("q");
    const items = ["a", "b", "c", "d", "e"].map((data) => put(queue, data).item);
    const [a, b, c] = items as [Item, Item, Item];
    for (const item of [a, b, c]) queue.open(item);
    queue.giveBack(b);
    queue.open(b);
    queue.giveBack(c);
    queue.confirm(a);
    await bench.settle();
    const again = await restart(bench, journal);
    t.match(
      again.recovered[0]?.back.map(({ attempts }) => attempts),
      [2, 1],
    );
    t.same(await contents(again, "q"), ["b", "c", "d", "e"]);
  });
}

t.test("G126 counts do not drift over restarts", async (t) => {
  const bench = await JournalBench.for(t);
  let journal = await bench.open();
  const queue = journal.create("q");
  for (let n = 0; n < 30; n++) await put(queue, `${n}`).written;
  for (let round = 0; round < 5; round++) {
    await journal.close();
    journal = await bench.open();
    const found = journal.recovered[0] as LevelJournal["recovered"][number];
    t.equal(found.journal.waiting + found.back.length, 30 - 2 * round);
    const line = await readLine(found.journal);
    const all = [...found.back, ...line] as Item[];
    for (const item of all.slice(0, 8)) found.journal.open(item);
    for (const item of all.slice(0, 2)) found.journal.confirm(item);
    for (const item of all.slice(2, 5)) found.journal.giveBack(item);
  }
  t.same(bench.log.complaints, []);
});

t.test("items that a former run had open share the page that they are in", async (t) => {
  const bench = await JournalBench.for(t);
  const queue = (await bench.open()).create("q");
  const puts = Array.from({ length: 20 }, (_, n) => put(queue, `${n}`.padEnd(1000)));
  for (const { item } of puts) queue.open(item);
  await Promise.all(puts.map(({ written }) => written));
  const pages = bench.disk.batches.flatMap((batch) => keysPut(batch, "p"));
  const [found] = (await bench.crash()).recovered;
  const buffers = new Set(found?.back.map(({ data }) => data.buffer));
  t.equal(found?.back.length, 20);
  t.equal(buffers.size, pages.length);
  t.ok(pages.length < 10);
});

t.test(
  "a page of which less than a quarter is needed goes, and what is left of it has records of its own",
  async (t) => {
    const bench = await JournalBench.for(t);
    const queue = (await bench.open()).create("q");
    const puts = Array.from({ length: 9 }, (_, n) => put(queue, `item ${n}`));
    await Promise.all(puts.map(({ written }) => written));
    for (const { item } of puts) queue.open(item);
    for (const n of [0, 1, 2, 3, 4, 6]) queue.confirm((puts[n] as (typeof puts)[number]).item);
    await bench.settle();
    t.equal(keysDeleted(bench.disk.batches.at(-1) as SeenBatch, "p").length, 0, "three of nine are needed");
    queue.confirm((puts[8] as (typeof puts)[number]).item);
    await bench.settle();
    t.equal(keysDeleted(bench.disk.batches.at(-1) as SeenBatch, "p").length, 1, "two of nine are not enough");
    t.equal(queue.pageBytes, 0);
    const again = await bench.crash();
    t.same(await contents(again, "q"), ["item 5", "item 7"]);
    const [found] = again.recovered;
    for (const item of found?.back ?? []) found?.journal.open(item);
    t.same(await contents(await bench.crash(), "q"), ["item 5", "item 7"]);
  },
);

t.test("a page whose last item is opened late goes as well", async (t) => {
  const bench = await JournalBench.for(t);
  const queue = (await bench.open()).create("q");
  const puts = Array.from({ length: 9 }, (_, n) => put(queue, `item ${n}`));
  await Promise.all(puts.map(({ written }) => written));
  for (const { item } of puts.slice(0, 8)) queue.take(item);
  await bench.settle();
  queue.open((puts[8] as (typeof puts)[number]).item);
  await bench.settle();
  t.equal(keysDeleted(bench.disk.batches.at(-1) as SeenBatch, "p").length, 1);
  t.same(await contents(await bench.crash(), "q"), ["item 8"]);
});

t.test("sequence numbers never come again, also not those that a killed run had not written", async (t) => {
  const bench = await JournalBench.for(t);
  const journal = await bench.open();
  await put(journal.create("q"), "a").written;
  await journal.close();
  const seen = new Set<number>();
  for (let run = 0; run < 4; run++) {
    const queue = (await bench.open()).recovered[0]?.journal;
    const copy = await bench.copy();
    const { item } = put(queue as never, "never written");
    t.notOk(seen.has(item.seq), `run ${run}`);
    seen.add(item.seq);
    queue?.take(item);
    await bench.closeAll();
    bench.directory = copy;
  }
});

t.test("an open read that was restored after its page had gone is still there after a restart", async (t) => {
  const bench = await JournalBench.for(t);
  const queue = (await bench.open()).create("q");
  const [a, b] = [put(queue, "a"), put(queue, "b")];
  await b.written;
  queue.take(a.item);
  queue.take(b.item);
  await bench.settle();
  queue.restore(a.item);
  await bench.settle();
  t.same(await contents(await bench.crash(), "q"), ["a"]);
});

t.test("an item that is restored in the turn in which it was put and taken is written", async (t) => {
  const bench = await JournalBench.for(t);
  const queue = (await bench.open()).create("q");
  const [a, b] = [put(queue, "a"), put(queue, "b")];
  queue.take(a.item);
  queue.take(b.item);
  queue.restore(a.item);
  await Promise.all([a.written, b.written]);
  await turn();
  t.same(await contents(await bench.crash(), "q"), ["a"]);
});

t.test("records of items out of line go when the items do", async (t) => {
  const bench = await JournalBench.for(t);
  const queue = (await bench.open()).create("q");
  const { item, written } = put(queue, "a");
  await written;
  queue.open(item);
  await bench.settle();
  t.same(keysPut(bench.disk.batches.at(-1) as SeenBatch, "o").length, 1);
  queue.confirm(item);
  await bench.settle();
  t.same(keysDeleted(bench.disk.batches.at(-1) as SeenBatch, "o"), [outKey(1, item.seq)]);
});

t.test("metadata that this version does not know is kept, also when the item leaves its page", async (t) => {
  const bench = await JournalBench.for(t);
  const journal = await bench.open();
  const queue = journal.create("q");
  const puts = Array.from({ length: 9 }, (_, n) => put(queue, `item ${n}`));
  await Promise.all(puts.map(({ written }) => written));
  await journal.close();
  const meta = Buffer.from("\x77\x00\x03new");
  await withStore(bench.directory, async (store) => {
    const [[key, record]] = (await recordsOf(store, "p")) as [[Buffer, Buffer]];
    const page = new Page();
    for (const item of readPage(record, null)?.items ?? []) {
      page.add(new JournalItem(item.seq, item.data, item.flags, item.addedAt, item.expiresAt, meta, page));
    }
    await writeRecords(store, [[key, page.seal(0, 0)]]);
  });
  const again = (await bench.open()).recovered[0]?.journal as QueueJournal;
  const line = await readLine(again);
  const oldPage = (line[0] as JournalItem).meta.buffer;
  for (const item of line) again.open(item);
  for (const item of line.slice(1)) again.confirm(item);
  await bench.idle();
  t.equal(again.pageBytes, 0);
  t.not((line[0] as JournalItem).meta.buffer, oldPage, "it does not hold its old page in memory");
  t.match((await bench.crash()).recovered, [{ back: [{ data: Buffer.from("item 0"), meta }] }]);
});
