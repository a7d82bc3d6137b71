import { randomBytes } from "node:crypto";
import t, { type Test } from "tap";
import type { Item } from "../../src/item.js";
import type { QueueJournal, RecoveredQueue } from "../../src/journal/queue-journal.js";
import { isDamage, type Store, type StoreEntry } from "../../src/journal/store.js";
import { recordsOf, smashBlocks, withBitTurned, withStore, writeRecords } from "../helpers/damage.js";
import { contents, JournalBench, newItem, put, readLine } from "../helpers/journal-bench.js";

const PAGES = 8;
const ITEMS_A_PAGE = 3;
/** The items of page n, whose bytes do not compress and so stay as they are in a table. */
const pageOf = (n: number): string[] => Array.from({ length: ITEMS_A_PAGE }, (_, i) => `page-${n}-${i}!`);
const allBut = (...missing: number[]): string[] => {
  const pages = Array.from({ length: PAGES }, (_, n) => n).filter((n) => !missing.includes(n));
  return pages.flatMap(pageOf);
};

/** A closed journal with a queue of eight pages; the first `taken` items were taken. */
async function filled(t: Test, taken = 0): Promise<JournalBench> {
  const bench = await JournalBench.for(t);
  const journal = await bench.open();
  const queue = journal.create("q");
  const items: Item[] = [];
  // The next page is made as large as the last one was: this one is, and is never written.
  const large = put(queue, Buffer.alloc(12_000));
  queue.take(large.item);
  await large.written;
  for (let n = 0; n < PAGES; n++) {
    const puts = pageOf(n).map((name) => put(queue, Buffer.concat([Buffer.from(name), randomBytes(3000)])));
    await Promise.all(puts.map(({ written }) => written));
    items.push(...puts.map(({ item }) => item));
  }
  for (const item of items.slice(0, taken)) queue.take(item);
  await journal.close();
  return bench;
}

const nameOf = (item: Item): string => item.data.toString("latin1").replace(/!.*/s, "!");

/** Opens the journal anew and reads the queue to its end, like a consumer that is slower than the disk. */
async function drain(t: Test, bench: JournalBench): Promise<{ names: string[]; found: RecoveredQueue; lost: number }> {
  const [found] = (await bench.open()).recovered as [RecoveredQueue];
  let lost = 0;
  const count = (items: number): void => {
    lost += items;
  };
  found.journal.setListener({ withdraw: () => {}, lost: count, headAddedAt: () => 0 });
  const line = await readLine(found.journal, 10_000);
  found.journal.recount(
    line.length,
    line.reduce((sum, { data }) => sum + data.length, 0),
  );
  for (const item of line) found.journal.take(item);
  await bench.settle();
  t.match(found.journal, { waiting: 0, waitingBytes: 0 });
  return { names: line.map(nameOf), found, lost };
}

const damages = {
  "whose checksum is wrong": (bench: JournalBench, pages: readonly number[]) =>
    withStore(bench.directory, async (store) => {
      const records = await pagesOf(store, pages);
      await writeRecords(
        store,
        records.map(([key, value]) => [key, withBitTurned(value)]),
      );
    }),
  "that is missing": (bench: JournalBench, pages: readonly number[]) =>
    withStore(bench.directory, async (store) => {
      const records = await pagesOf(store, pages);
      await writeRecords(
        store,
        records.map(([key]) => [key, null]),
      );
    }),
  "in a block that LevelDB cannot read": (bench: JournalBench, pages: readonly number[]) =>
    smashBlocks(
      bench.directory,
      pages.map((n) => pageOf(n)[0] as string),
    ),
} as const;

// The first pages may be gone already.
async function pagesOf(store: Store, pages: readonly number[]): Promise<StoreEntry[]> {
  const records = await recordsOf(store, "p");
  return pages.map((n) => records[n - PAGES + records.length] as StoreEntry);
}

for (const [kind, damage] of Object.entries(damages)) {
  for (const pages of [
    [3],
    [PAGES - 1],
    [0],
    [2, 3],
    [PAGES - 2, PAGES - 1],
    Array.from({ length: PAGES }, (_, n) => n),
  ]) {
    t.test(
      `G134 a page ${kind} (${pages.join()} of ${PAGES}) costs its items, is counted, logged and passed over`,
      async (t) => {
        const bench = await filled(t);
        await damage(bench, pages);
        const { names, lost } = await drain(t, bench);
        t.same(names, allBut(...pages));
        t.equal(lost, pages.length * ITEMS_A_PAGE);
        const logged = bench.log.complaints.filter(({ message }) => /lost/.test(message));
        t.equal(
          logged.reduce((sum, { facts }) => sum + Number(facts["lost_items"]), 0),
          lost,
        );
        await bench.closeAll();
        t.equal((await drain(t, bench)).lost, 0, "once");
      },
    );
  }

  t.test(`a page ${kind} in which the head is costs what was left of it`, async (t) => {
    const bench = await filled(t, 4);
    await damage(bench, [1]);
    const { names, lost } = await drain(t, bench);
    t.same(names, allBut(0, 1));
    t.equal(lost, 2);
  });
}

t.test("what stayed in memory between two reads from behind is not lost", async (t) => {
  const bench = await JournalBench.for(t);
  const queue = (await bench.open()).create("q");
  let lost = 0;
  queue.setListener({ withdraw: () => {}, lost: (count) => (lost += count), headAddedAt: () => 0 });
  for (const round of [1, 2]) {
    const from = queue.next;
    for (let n = 0; n < 3; n++) await behind(queue, `behind ${round} ${n}`);
    const read: string[] = [];
    for (let cursor = from; cursor < queue.next; ) {
      const { items, next } = await queue.readAhead(cursor, 1);
      read.push(...items.map(({ data }) => data.toString()));
      cursor = next;
    }
    t.same(
      read,
      [0, 1, 2].map((n) => `behind ${round} ${n}`),
    );
    for (let n = 0; n < 3; n++) await put(queue, `in memory ${n}`).written;
  }
  t.equal(lost, 0);
  t.equal(queue.waiting, 12);
});

async function behind(journal: QueueJournal, data: string): Promise<void> {
  await journal.written(journal.append(newItem(data), true, false));
}

t.test("pages that were used up are not lost, also when one before them is still needed", async (t) => {
  const bench = await JournalBench.for(t);
  const journal = await bench.open();
  const queue = journal.create("q");
  const pages = [];
  for (let n = 0; n < 3; n++) {
    const puts = ["a", "b", "c"].map((name) => put(queue, `${n}${name}`));
    await Promise.all(puts.map(({ written }) => written));
    pages.push(puts.map(({ item }) => item));
  }
  const [first, second, third] = pages as [Item[], Item[], Item[]];
  for (const item of first) queue.open(item);
  for (const item of [...second, ...third]) queue.take(item);
  await journal.close();
  // Sequence numbers jump, so the next page does not begin where the head is.
  const between = await bench.open();
  await put(between.recovered[0]?.journal as QueueJournal, "after").written;
  await between.close();
  const [found] = (await bench.open()).recovered as [RecoveredQueue];
  t.equal(found.back.length, 3);
  t.same(
    (await readLine(found.journal)).map(({ data }) => data.toString()),
    ["after"],
  );
  t.same(bench.log.complaints, []);
});

t.test("a read that fails once fails once: the next one brings everything", async (t) => {
  const bench = await filled(t);
  const [found] = (await bench.open()).recovered as [RecoveredQueue];
  bench.disk.failReads(1);
  await t.rejects(found.journal.readAhead(found.journal.head, 10_000), /input\/output/);
  t.same((await readLine(found.journal, 10_000)).map(nameOf), allBut());
});

for (const change of ["missing", "damaged"] as const) {
  t.test(`a state record that is ${change} is made again from the pages`, async (t) => {
    const bench = await filled(t, 4);
    await withStore(bench.directory, async (store) => {
      const [[key, value]] = (await recordsOf(store, "s")) as [[Buffer, Buffer]];
      await writeRecords(store, [[key, change === "missing" ? null : withBitTurned(value)]]);
    });
    const { names, found } = await drain(t, bench);
    t.same(names, allBut(0), "the items that were taken from the first page come once more");
    t.match(bench.log.complaints[0], { level: "error", facts: { queue: "q" }, message: /state record/ });
    const next = put(found.journal, "next");
    await next.written;
    await bench.closeAll();
    t.same(await contents(await bench.open(), "q"), ["next"]);
  });
}

t.test("a record of an item out of line that has no item is counted once, and goes", async (t) => {
  const bench = await JournalBench.for(t);
  const journal = await bench.open();
  const queue = journal.create("q");
  const puts = ["a", "b", "c"].map((data) => put(queue, data));
  for (const { item } of puts) queue.open(item);
  await journal.close();
  await withStore(bench.directory, async (store) => {
    const pages = await recordsOf(store, "p");
    await writeRecords(
      store,
      pages.map(([key]) => [key, null]),
    );
  });
  t.match((await bench.open()).recovered, [{ back: [], lost: 3 }]);
  await bench.closeAll();
  t.match((await bench.open()).recovered, [{ back: [], lost: 0 }]);
});

t.test("a damaged record of an item out of line costs it, unless its page is there", async (t) => {
  for (const isInPage of [true, false]) {
    const bench = await JournalBench.for(t);
    const journal = await bench.open();
    const queue = journal.create("q");
    const puts = Array.from({ length: 9 }, (_, n) => put(queue, `${n}`));
    for (const { item } of puts) queue.open(item);
    await Promise.all(puts.map(({ written }) => written));
    for (const { item } of isInPage ? [] : puts.slice(1)) queue.confirm(item);
    await journal.close();
    await withStore(bench.directory, async (store) => {
      const [[key, value]] = (await recordsOf(store, "o")) as [[Buffer, Buffer]];
      await writeRecords(store, [[key, withBitTurned(value, 20)]]);
    });
    t.match((await bench.open()).recovered, [
      isInPage ? { back: { length: 9 }, lost: 0 } : { back: { length: 0 }, lost: 1 },
    ]);
  }
});

t.test("a damaged queue record costs that queue, and is logged", async (t) => {
  const bench = await JournalBench.for(t);
  const journal = await bench.open();
  await Promise.all(["a", "b"].map((name) => put(journal.create(name), name).written));
  await journal.close();
  await withStore(bench.directory, async (store) => {
    const [[key]] = (await recordsOf(store, "q")) as [[Buffer, Buffer]];
    await writeRecords(store, [[key, Buffer.from("?")]]);
  });
  const again = await bench.open();
  t.equal(await contents(again, "a"), null);
  t.same(await contents(again, "b"), ["b"]);
  t.match(bench.log.complaints, [{ level: "error", facts: { queue: "a" } }]);
});

t.test("damage is told from other errors", (t) => {
  t.equal(isDamage(Object.assign(new Error("bad block"), { code: "LEVEL_CORRUPTION" })), true);
  t.equal(isDamage(Object.assign(new Error("no disk"), { code: "LEVEL_IO_ERROR" })), false);
  t.end();
});
