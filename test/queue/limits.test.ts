import t from "tap";
import { DEFAULT_QUEUE_SETTINGS } from "../../src/config/defaults.js";
import { putRefusal } from "../../src/queue/limits.js";
import { drain, drainNamed, open, putNow, QueueBench } from "../helpers/queue-bench.js";

const settings = { ...DEFAULT_QUEUE_SETTINGS, maxItems: 2, maxBytes: 100, maxItemBytes: 60 };

t.test("H139 a queue is full when it had as many items or bytes before the put: the last one may go over", (t) => {
  t.equal(putRefusal(settings, 60, { items: 1, bytes: 99, journalBytes: 0 }), null);
  t.equal(putRefusal(settings, 1, { items: 2, bytes: 0, journalBytes: 0 }), "full");
  t.equal(putRefusal(settings, 1, { items: 0, bytes: 100, journalBytes: 0 }), "full");
  t.end();
});

t.test("an item's own size is looked at first", (t) => {
  t.equal(putRefusal(settings, 61, { items: 2, bytes: 100, journalBytes: 0 }), "too-large");
  t.equal(putRefusal(settings, 60, { items: 0, bytes: 0, journalBytes: 0 }), null);
  t.end();
});

t.test("without limits everything fits", (t) => {
  t.equal(putRefusal(DEFAULT_QUEUE_SETTINGS, 2 ** 40, { items: 2 ** 50, bytes: 2 ** 52, journalBytes: 0 }), null);
  t.end();
});

t.test("max_journal_size counts what is on the disk", (t) => {
  const capped = { ...DEFAULT_QUEUE_SETTINGS, maxJournalBytes: 1000 };
  t.equal(putRefusal(capped, 1, { items: 0, bytes: 0, journalBytes: 999 }), null);
  t.equal(putRefusal(capped, 1, { items: 0, bytes: 0, journalBytes: 1000 }), "full");
  t.end();
});

t.test("H139 discard_old_when_full drops from the head until there is room, by items and by bytes", async (t) => {
  const bench = await QueueBench.for(t, { maxItems: 2, discardOldWhenFull: true });
  for (const data of ["1", "2", "3", "4"]) t.equal(await putNow(bench, "q", data), undefined);
  const queue = bench.queues.open("q");
  t.match(queue.stats(), { items: 2, discarded: 2, totalItems: 4 });
  t.same(await drain(queue), ["3", "4"]);
  bench.configure({ maxBytes: 5, discardOldWhenFull: true });
  for (const data of ["aa", "bb", "cccc", "d"]) await putNow(bench, "q", data);
  t.same(await drain(queue), ["cccc", "d"].slice(0), "one may go over");
  await bench.disk.idle();
  await bench.restart();
  t.same(await drainNamed(bench, "q"), []);
});

t.test("open reads count for no limit", async (t) => {
  const bench = await QueueBench.for(t, { maxItems: 1 });
  await putNow(bench, "q", "1");
  const read = await open(bench.queues.open("q"));
  t.equal(await putNow(bench, "q", "2"), undefined);
  bench.queues.open("q").giveBack([read]);
  t.equal(bench.queues.open("q").items, 2, "given back it may go over");
});

t.test("max_journal_size refuses once the pages on the disk are that large", async (t) => {
  const bench = await QueueBench.for(t, { maxJournalBytes: 1000 });
  for (let i = 0; i < 3; i++) t.equal(await putNow(bench, "q", "x".repeat(400)), undefined);
  t.equal(await putNow(bench, "q", "y"), "full");
  await drainNamed(bench, "q");
  await bench.disk.idle();
  t.equal(await putNow(bench, "q", "y"), undefined);
});
