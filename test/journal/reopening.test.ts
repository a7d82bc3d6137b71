import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { openLevelStore } from "../../src/journal/store.js";
import { isPending, JournalBench, newItem, put, turn } from "../helpers/journal-bench.js";
import { until, within } from "../helpers/within.js";

t.test("a second server on the same directory is told that it is locked, and by what", async (t) => {
  const bench = await JournalBench.for(t);
  await bench.open();
  await t.rejects(bench.open(), { code: "WH_JOURNAL_LOCKED", message: new RegExp(join(bench.directory, "LOCK")) });
});

t.test("a directory that cannot be made is unreadable", async (t) => {
  const bench = await JournalBench.for(t);
  await bench.open();
  const directory = join(bench.directory, "CURRENT", "below a file");
  await t.rejects(bench.open({ directory }), { code: "WH_JOURNAL_UNREADABLE", message: /below a file/ });
});

t.test("a store that cannot be written at the start is unreadable, and nothing is left of it", async (t) => {
  const bench = await JournalBench.for(t);
  bench.disk.fill();
  await t.rejects(bench.open(), { code: "WH_JOURNAL_UNREADABLE" });
  bench.clock.advance(1000);
  await turn();
  t.equal(bench.clock.timers, 0);
  bench.disk.free();
  await bench.open();
});

t.test("a store whose first read fails is unreadable", async (t) => {
  const bench = await JournalBench.for(t);
  bench.disk.failReads(1);
  await t.rejects(bench.open(), { code: "WH_JOURNAL_UNREADABLE", cause: { message: /input\/output/ } });
  await bench.open();
});

t.test("files that are not the journal's do not stop the start", async (t) => {
  const bench = await JournalBench.for(t);
  const journal = await bench.open();
  await put(journal.create("q"), "a").written;
  await journal.close();
  await mkdir(join(bench.directory, "lost+found"));
  for (const name of [".DS_Store", "x~~123", "old.log", "notes.txt"])
    await writeFile(join(bench.directory, name), "stray");
  const again = await bench.open();
  t.equal(again.recovered[0]?.journal.waiting, 1);
  t.same(bench.log.complaints, []);
  t.ok((await readdir(bench.directory)).includes("x~~123"), "and are left alone");
});

t.test("while the disk has too little room puts are refused, and accepted again when it has", async (t) => {
  const bench = await JournalBench.for(t);
  let free = 1000;
  const journal = await bench.open({ minFreeBytes: 500, freeBytes: async () => free });
  const queue = journal.create("q");
  t.equal(queue.refusal, null);
  free = 499;
  await until("the shortage is seen", async () => {
    bench.clock.advance(1000);
    return queue.refusal !== null;
  });
  t.match(queue.refusal, /nearly full/);
  free = 500;
  await until("the room is seen", async () => {
    bench.clock.advance(1000);
    return queue.refusal === null;
  });
  t.match(bench.log.lines, [
    { level: "error", facts: { free_bytes: 499, min_free_bytes: 500 } },
    { level: "info", facts: { free_bytes: 500 } },
  ]);
});

t.test("a start on a disk with too little room serves, and refuses puts", async (t) => {
  const bench = await JournalBench.for(t);
  const journal = await bench.open({ minFreeBytes: 500, freeBytes: async () => 0 });
  t.not(journal.create("q").refusal, null);
});

t.test("the journal is opened again only when there is room, after longer and longer pauses", async (t) => {
  const bench = await JournalBench.for(t);
  let free = 1000;
  const journal = await bench.open({ minFreeBytes: 500, freeBytes: async () => free });
  const queue = journal.create("q");
  bench.disk.fill();
  free = 0;
  await t.rejects(put(queue, "a").written);
  for (const ms of [100, 200, 400, 800]) {
    bench.clock.advance(ms);
    await turn();
  }
  t.equal(bench.disk.opened, 1);
  bench.disk.free();
  free = 1000;
  await bench.reopened();
  t.equal(bench.disk.opened, 2);
  await put(queue, "b").written;
});

t.test("who reads while the store cannot be opened again waits for it, and is served then", async (t) => {
  const bench = await JournalBench.for(t);
  const journal = await bench.open();
  const queue = journal.create("q");
  const from = queue.next;
  const item = queue.append(newItem("a"), true, false);
  await queue.written(item);
  bench.disk.failNextWrite();
  await t.rejects(put(queue, "b").written);
  bench.disk.failOpenings(2);
  const complained = (): boolean =>
    bench.log.complaints.some(({ message }) => /could not be opened again/.test(message));
  await until("an opening failed", async () => {
    bench.clock.advance(100);
    return complained();
  });
  const read = queue.readAhead(from, 1000);
  t.equal(await isPending(read), true);
  await bench.reopened();
  t.same(
    (await within(read, "the read")).items.map(({ data }) => data.toString()),
    ["a"],
  );
});

t.test("a broken journal can be closed: before it is opened again, while it cannot be, and while it is", async (t) => {
  for (const moment of ["before", "failed", "during"]) {
    const bench = await JournalBench.for(t);
    const journal = await bench.open();
    const [queue, doomed] = [journal.create("q"), journal.create("doomed")];
    await Promise.all([put(queue, "a").written, put(doomed, "b").written]);
    bench.disk.failNextWrite();
    await t.rejects(put(queue, "c").written);
    await doomed.retire();
    if (moment === "failed") bench.disk.failOpenings(1);
    if (moment !== "before") bench.clock.advance(100);
    if (moment === "failed") await until("it failed", async () => bench.log.complaints.length > 1);
    const read = queue.readAhead(1, 1000).catch(() => "failed");
    await within(journal.close(), `the close ${moment}`);
    await within(read, "the read");
    t.equal(bench.clock.timers, 0, moment);
    const store = await openLevelStore(bench.directory);
    await store.close();
  }
});

t.test("a journal can be closed while the removal of a deleted queue waits for the store", async (t) => {
  const bench = await JournalBench.for(t);
  const journal = await bench.open();
  const [queue, doomed] = [journal.create("q"), journal.create("doomed")];
  await Promise.all([put(queue, "a").written, put(doomed, "b").written]);
  bench.disk.failReads(1);
  await doomed.retire();
  await until("the removal failed", async () => bench.log.complaints.length === 1);
  bench.disk.failNextWrite();
  bench.disk.failOpenings(1000);
  await t.rejects(put(queue, "c").written);
  bench.clock.advance(100);
  await until("an opening failed", async () => bench.log.complaints.length >= 3);
  bench.clock.advance(900);
  await turn();
  await within(journal.close(), "the close");
  t.equal(bench.clock.timers, 0);
});
