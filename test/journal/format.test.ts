import { Level } from "level";
import t, { type Test } from "tap";
import type { ErrorCode } from "../../src/errors.js";
import { FORMAT_KEY, outKey } from "../../src/journal/keys.js";
import { readFormat, writeFormat, writeOut } from "../../src/journal/records.js";
import { openLevelStore } from "../../src/journal/store.js";
import { recordsOf, withStore, writeRecords } from "../helpers/damage.js";
import { contents, JournalBench, put, turn } from "../helpers/journal-bench.js";

/** A closed journal with one item, whose records were changed. */
async function changed(t: Test, records: readonly [Buffer, Buffer | null][]): Promise<JournalBench> {
  const bench = await JournalBench.for(t);
  const journal = await bench.open();
  await put(journal.create("q"), "a").written;
  await journal.close();
  await withStore(bench.directory, (store) => writeRecords(store, records));
  return bench;
}

async function refuses(t: Test, bench: JournalBench, error: { code: ErrorCode; message: RegExp }): Promise<void> {
  await t.rejects(bench.open(), error);
  bench.clock.advance(1000);
  await turn();
  t.equal(bench.clock.timers, 0, "nothing is left of the attempt");
  const store = await openLevelStore(bench.directory);
  await store.close();
}

t.test("a new journal says which format it has, and counts its openings", async (t) => {
  const bench = await JournalBench.for(t);
  for (let boots = 1; boots <= 3; boots++) {
    const journal = await bench.open();
    t.equal(journal.boots, boots);
    await journal.close();
    const record = await withStore(bench.directory, (store) => store.get(FORMAT_KEY));
    t.match(readFormat(record as Buffer), { format: 1, oldestReader: 1, boots });
  }
});

t.test("G137 a journal that needs a newer reader is refused, and left as it is", async (t) => {
  const record = writeFormat({ format: 3, oldestReader: 2, boots: 5, nextQueueId: 9 });
  const bench = await changed(t, [[FORMAT_KEY, record]]);
  await refuses(t, bench, { code: "WH_JOURNAL_FORMAT", message: /format 3.*newer/ });
  t.same(await withStore(bench.directory, (store) => store.get(FORMAT_KEY)), record);
});

t.test("G137 a journal of a newer format that says that this reader will do is served", async (t) => {
  const bench = await changed(t, [
    [FORMAT_KEY, writeFormat({ format: 2, oldestReader: 1, boots: 5, nextQueueId: 5000 })],
  ]);
  const journal = await bench.open();
  t.same(await contents(journal, "q"), ["a"]);
  t.equal(journal.boots, 6);
});

t.test("a damaged format record is refused", async (t) => {
  await refuses(t, await changed(t, [[FORMAT_KEY, Buffer.from("?")]]), {
    code: "WH_JOURNAL_FORMAT",
    message: /format record/,
  });
});

t.test("a record of an unknown kind is refused, wherever it lies", async (t) => {
  for (const key of ["a", "m", "n|1", "p}", "r|x", "s~", "z|1", "\x00", "\xff\xff"]) {
    const bench = await changed(t, [[Buffer.from(key, "latin1"), Buffer.from("?")]]);
    await refuses(t, bench, { code: "WH_JOURNAL_FORMAT", message: /unknown kind/ });
  }
});

t.test("an item in a state that this version does not know is refused", async (t) => {
  for (const kind of ["removed"] as const) {
    const out = writeOut({ kind, attempts: 0, dueAt: 1, placeInLine: 1, item: null });
    await refuses(t, await changed(t, [[outKey(1, 2 ** 30), out]]), {
      code: "WH_JOURNAL_FORMAT",
      message: /state that this version/,
    });
  }
});

t.test("a LevelDB that is not a journal is refused, and left as it is", async (t) => {
  const bench = await JournalBench.for(t);
  const level = new Level<string, string>(bench.directory);
  await level.put("somebody", "else's");
  await level.close();
  await refuses(t, bench, { code: "WH_JOURNAL_FORMAT", message: /not a journal/ });
  await level.open();
  t.same(await level.iterator().all(), [["somebody", "else's"]]);
  await level.close();
});

t.test("queue ids are never used again, after a deletion, a stop or a kill", async (t) => {
  const bench = await JournalBench.for(t);
  const ids = new Set<string>();
  let expected = 0;
  for (const ending of ["stop", "kill", "stop"]) {
    const journal = await bench.open();
    for (const name of ["a", "b", "c"]) {
      const queue = journal.create(`${name} of ${ending}`);
      await put(queue, "x").written;
      await queue.flush();
      await put(queue, "y").written;
      expected += 2;
    }
    const copy = await bench.copy();
    await journal.close();
    if (ending === "kill") bench.directory = copy;
  }
  for (const { operations } of bench.disk.batches) {
    for (const [key] of operations) if (key.toString("latin1").startsWith("s|")) ids.add(key.toString("hex"));
  }
  t.equal(ids.size, expected);
});

t.test("a queue without items is known after a restart", async (t) => {
  const bench = await JournalBench.for(t);
  const journal = await bench.open();
  journal.create("empty");
  await bench.settle();
  t.same(await contents(await bench.crash(), "empty"), []);
});

t.test("a store holds no kinds of records but those that are written down", async (t) => {
  const bench = await changed(t, []);
  const counts = await withStore(bench.directory, async (store) => {
    const kinds = await Promise.all(
      (["m", "q", "s", "x", "p", "o", "d"] as const).map((kind) => recordsOf(store, kind)),
    );
    return kinds.map((records) => records.length);
  });
  t.same(counts, [1, 1, 1, 0, 1, 0, 0]);
});
