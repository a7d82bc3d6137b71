import t, { type Test } from "tap";
import { WindhoverError } from "../../src/errors.js";
import type { Item } from "../../src/item.js";
import type { QueueJournal } from "../../src/journal/queue-journal.js";
import { keysDeleted, keysPut, type SeenBatch } from "../helpers/faulty-store.js";
import { contents, JournalBench, newItem, put, turn } from "../helpers/journal-bench.js";

/** Listens as a queue does, and keeps what it hears. */
function listen(journal: QueueJournal): Set<Item> {
  const withdrawn = new Set<Item>();
  const withdraw = (items: ReadonlySet<Item>): void => {
    for (const item of items) withdrawn.add(item);
  };
  journal.setListener({ withdraw, lost: () => {}, headAddedAt: () => 0 });
  return withdrawn;
}

async function rejected(t: Test, written: Promise<void>): Promise<void> {
  const error: unknown = await written.then(
    () => null,
    (reason: unknown) => reason,
  );
  t.ok(error instanceof WindhoverError, "a WindhoverError");
  t.match(error, { code: "WH_WRITE_FAILED", cause: { message: /no space left/ } });
}

t.test(
  "what is in line of a batch that fails is withdrawn, and its puts are rejected with WH_WRITE_FAILED",
  async (t) => {
    const bench = await JournalBench.for(t);
    const queue = (await bench.open()).create("q");
    const withdrawn = listen(queue);
    await put(queue, "stays").written;
    bench.disk.failNextWrite();
    const [a, b] = [put(queue, "a"), put(queue, "bb")];
    await rejected(t, a.written);
    await rejected(t, b.written);
    t.same(withdrawn, new Set([a.item, b.item]));
    t.match(queue, { waiting: 1, waitingBytes: 5 });
    t.match(bench.log.complaints, [{ level: "error", message: /failed/ }]);
  },
);

t.test("what was put while the failing batch was in flight fails with it", async (t) => {
  const bench = await JournalBench.for(t);
  const journal = await bench.open();
  const [queue, other] = [journal.create("q"), journal.create("other")];
  const hold = bench.disk.hold();
  bench.disk.failNextWrite();
  const a = put(queue, "a");
  await hold.reached;
  const [b, c] = [put(queue, "b"), put(other, "c")];
  hold.release();
  for (const { written } of [a, b, c]) await rejected(t, written);
  t.equal(queue.waiting + other.waiting, 0);
});

t.test("what was delivered while the failing batch was in flight counts as put", async (t) => {
  const bench = await JournalBench.for(t);
  const queue = (await bench.open()).create("q");
  const withdrawn = listen(queue);
  const hold = bench.disk.hold();
  bench.disk.failNextWrite();
  const [a, b] = [put(queue, "a"), put(queue, "b")];
  await hold.reached;
  queue.take(a.item);
  queue.open(b.item);
  queue.confirm(b.item);
  hold.release();
  await t.resolves(Promise.all([a.written, b.written]));
  t.equal(withdrawn.size, 0);
});

t.test("an open copy stays with its holder: confirmed it is gone, given back it is lost", async (t) => {
  const bench = await JournalBench.for(t);
  const queue = (await bench.open()).create("q");
  const withdrawn = listen(queue);
  const hold = bench.disk.hold();
  bench.disk.failNextWrite();
  const [a, b, c] = [put(queue, "a"), put(queue, "b"), put(queue, "c")];
  await hold.reached;
  for (const { item } of [a, b, c]) queue.open(item);
  queue.giveBack(c.item);
  hold.release();
  for (const { written } of [a, b, c]) await rejected(t, written);
  t.same(withdrawn, new Set([c.item]), "what was given back before is in line, so it goes");
  t.equal(queue.confirm(a.item), null);
  t.equal(queue.giveBack(b.item), false);
  t.equal(queue.giveBack(a.item), false);
  await bench.reopened();
  await put(queue, "d").written;
  t.same(await contents(await bench.crash(), "q"), ["d"]);
});

t.test("after a failure nothing is written to the old handle, and the rest goes on in memory", async (t) => {
  const bench = await JournalBench.for(t);
  bench.sync.set("q", { kind: "always" });
  const journal = await bench.open();
  const queue = journal.create("q");
  const [a, b, c] = [put(queue, "a"), put(queue, "b"), put(queue, "c")];
  await c.written;
  bench.disk.fill();
  await rejected(t, put(queue, "x").written);
  const before = bench.disk.batches.length;
  t.match(queue.refusal, /cannot be written/);
  t.equal(queue.take(a.item), null, "nobody waits for a batch that does not come");
  t.equal(queue.open(b.item), null);
  t.equal(queue.confirm(b.item), null);
  t.same((await queue.readAhead(c.item.seq, 1000)).next, queue.next, "reads go on");
  bench.clock.advance(50);
  await turn();
  t.equal(bench.disk.batches.length, before);
  bench.disk.free();
  await bench.reopened();
  t.equal(queue.refusal, null);
  await put(queue, "d").written;
  t.same([...new Set(bench.disk.batches.slice(before).map(({ handle }) => handle))], [2]);
  t.same(await contents(await bench.crash(), "q"), ["c", "d"], "what had changed meanwhile is written");
});

t.test("a delete or flush while nothing can be written is done in memory at once, and on the disk later", async (t) => {
  const bench = await JournalBench.for(t);
  const journal = await bench.open();
  const [deleted, flushed] = [journal.create("deleted"), journal.create("flushed")];
  await Promise.all([put(deleted, "a").written, put(flushed, "b").written]);
  bench.disk.fill();
  await rejected(t, put(deleted, "x").written);
  await deleted.retire();
  await flushed.flush();
  bench.disk.free();
  await bench.reopened();
  await put(flushed, "c").written;
  const after = await bench.crash();
  t.equal(await contents(after, "deleted"), null);
  t.same(await contents(after, "flushed"), ["c"]);
});

for (const failure of ["lost", "landed"] as const) {
  t.test(
    `after a batch that was ${failure} exactly what was answered is there, and no sequence number comes again`,
    async (t) => {
      const bench = await JournalBench.for(t);
      const queue = (await bench.open()).create("q");
      const [a, b] = [put(queue, "a"), put(queue, "b")];
      await b.written;
      queue.take(a.item);
      queue.open(b.item);
      bench.disk.failNextWrite(failure);
      const c = put(queue, "c");
      await rejected(t, c.written);
      const failed = bench.disk.batches.at(-1) as SeenBatch;
      queue.giveBack(b.item);
      await bench.reopened();
      const d = put(queue, "d");
      t.ok(d.item.seq > c.item.seq);
      await d.written;
      const next = bench.disk.batches.find(({ handle }) => handle === 2) as SeenBatch;
      t.same(
        keysDeleted(next, "p").filter((key) => keysPut(failed, "p").some((put) => put.equals(key))),
        keysPut(failed, "p"),
      );
      t.same(await contents(await bench.crash(), "q"), ["b", "d"]);
    },
  );
}

t.test("a page that a failed batch left in the store is not read as long as it is there", async (t) => {
  const bench = await JournalBench.for(t);
  const queue = (await bench.open()).create("q");
  const from = queue.next;
  const behind = (data: string): Promise<void> => {
    const item = queue.append(newItem(data), true, false);
    return queue.written(item) ?? Promise.resolve();
  };
  await behind("a");
  bench.disk.failNextWrite("landed");
  await rejected(t, behind("b"));
  const hold = bench.disk.hold();
  await bench.reopened();
  await hold.reached;
  const read = await queue.readAhead(from, 1000);
  t.same(
    read.items.map((item) => item.data.toString()),
    ["a"],
  );
  t.same((await queue.readAhead(read.next, 1000)).items, []);
  hold.release();
  await behind("c");
  const rest = await queue.readAhead(read.next, 1000);
  t.same(
    rest.items.map((item) => item.data.toString()),
    ["c"],
  );
});

for (const failure of ["lost", "landed"] as const) {
  t.test(
    `a queue that is made anew while the batch that deletes the old one is ${failure} is there after a restart`,
    async (t) => {
      const bench = await JournalBench.for(t);
      const journal = await bench.open();
      const old = journal.create("q");
      await put(old, "old").written;
      const hold = bench.disk.hold();
      bench.disk.failNextWrite(failure);
      const deleted = old.retire();
      await hold.reached;
      const fresh = journal.create("q");
      hold.release();
      await deleted;
      await bench.reopened();
      await put(fresh, "new").written;
      t.same(await contents(await bench.crash(), "q"), ["new"]);
    },
  );

  t.test(
    `a flush while the batch in flight is ${failure} leaves the open reads and what is put afterwards`,
    async (t) => {
      const bench = await JournalBench.for(t);
      const queue = (await bench.open()).create("q");
      const a = put(queue, "a");
      await a.written;
      queue.open(a.item);
      const hold = bench.disk.hold();
      bench.disk.failNextWrite(failure);
      const [b, c] = [put(queue, "b"), put(queue, "c")];
      await hold.reached;
      queue.open(b.item);
      const flushed = queue.flush();
      const d = put(queue, "d");
      hold.release();
      await flushed;
      await Promise.allSettled([b.written, c.written, d.written]);
      await bench.reopened();
      await put(queue, "e").written;
      t.same(
        (await contents(await bench.crash(), "q"))?.filter((data) => data !== "b"),
        ["a", "e"],
      );
    },
  );
}

t.test(
  "a put that was opened and flushed before its batch failed is rejected, and its copy stays with its holder",
  async (t) => {
    const bench = await JournalBench.for(t);
    const queue = (await bench.open()).create("q");
    const { item, written } = put(queue, "a");
    queue.open(item);
    void queue.flush();
    bench.disk.failNextWrite();
    await rejected(t, written);
    t.equal(queue.confirm(item), null);
    await bench.reopened();
    await put(queue, "b").written;
    t.same(await contents(await bench.crash(), "q"), ["b"]);
  },
);
