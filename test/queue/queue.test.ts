import t, { type Test } from "tap";
import type { Fetched } from "../../src/queue/wait-list.js";
import { isPending, newItem } from "../helpers/journal-bench.js";
import { drain, got, open, PATIENT, putAll, QueueBench, store, take } from "../helpers/queue-bench.js";

/** Each case is tried on a queue with a journal and on one without. */
function it(title: string, play: (bench: QueueBench, t: Test) => Promise<void>, settings = {}): void {
  for (const keepJournal of [true, false]) {
    void t.test(`${title} (${keepJournal ? "with" : "without"} a journal)`, async (t) => {
      await play(await QueueBench.for(t, { keepJournal, ...settings }), t);
    });
  }
}

it("items are served in the order in which they were put", async ({ queues }, t) => {
  const queue = queues.open("q");
  await store(queue, "a", "", "c");
  t.match(queue.stats(), { items: 3, bytes: 2, totalItems: 3, memItems: 3, memBytes: 2 });
  t.same(await drain(queue), ["a", "", "c"]);
  t.match(queue.stats(), { items: 0, bytes: 0, totalItems: 3, memItems: 0 });
});

it("B49 an open read is not counted among the items, until it is given back", async ({ queues }, t) => {
  const queue = queues.open("q");
  await store(queue, "ab");
  const read = await open(queue);
  t.match(queue.stats(), { items: 0, bytes: 0, openTransactions: 1, transactions: 1, canceledTransactions: 0 });
  queue.giveBack([read]);
  t.match(queue.stats(), { items: 1, bytes: 2, openTransactions: 0, transactions: 1, canceledTransactions: 1 });
  await queue.confirm(await open(queue));
  t.match(queue.stats(), { items: 0, bytes: 0, openTransactions: 0, transactions: 2, totalItems: 1 });
});

it("B58 what is given back is at the head, several in their old order", async ({ queues }, t) => {
  const queue = queues.open("q");
  await store(queue, "1", "2", "3", "4");
  const reads = [await open(queue), await open(queue), await open(queue)] as const;
  queue.giveBack([reads[2]]);
  queue.giveBack([reads[1], reads[0]]);
  t.same(await drain(queue), ["1", "2", "3", "4"]);
});

it("a read that was confirmed or given back is over: neither can be done again", async ({ queues }, t) => {
  const queue = queues.open("q");
  await store(queue, "1", "2");
  const [one, two] = [await open(queue), await open(queue)];
  await queue.confirm(one);
  t.equal(queue.confirm(one), null);
  queue.giveBack([one]);
  queue.giveBack([two]);
  queue.giveBack([two]);
  t.equal(queue.confirm(two), null, "a late confirm finds nothing");
  t.match(queue.stats(), { items: 1, openTransactions: 0, canceledTransactions: 1 });
  const again = await open(queue);
  t.not(again.id, two.id, "each delivery has its own number");
  t.equal(again.item.attempts, 2);
});

it("an expired item is never served, whether it is put, in line or given back", async ({ queues, clock }, t) => {
  const queue = queues.open("q");
  const now = clock.wallMs();
  const expiring = (data: string, ms: number): void => void queue.put(newItem(data, { expiresAt: now + ms }), true);
  expiring("gone", -1);
  expiring("short", 100);
  expiring("long", 10_000);
  t.equal((queue.fetchNow("peek") as Fetched).item.data.toString(), "short");
  const read = await open(queue);
  clock.setWall(now + 100);
  t.match(queue.stats(), { items: 1, expiredItems: 1 });
  queue.giveBack([read]);
  t.equal(await take(queue), "long", "an open read does not expire, but one that is given back does");
  t.match(queue.stats(), { items: 0, expiredItems: 2 });
});

it("a waiter does not get an expired item, and goes on waiting", async ({ queues, clock }, t) => {
  const queue = queues.open("q");
  const waiter = queue.wait("take", 1000, PATIENT);
  queue.put(newItem("gone", { expiresAt: clock.wallMs() }), true);
  t.equal(await isPending(waiter.outcome), true);
  putAll(queue, "fresh");
  t.equal(await got(waiter), "fresh");
});

it("put, give back and restore wake who waits, first come first served", async ({ queues }, t) => {
  const queue = queues.open("q");
  await store(queue, "a");
  const read = await open(queue);
  const waiters = [1, 2, 3, 4].map(() => queue.wait("take", 1000, PATIENT));
  queue.giveBack([read]);
  t.equal(await got(waiters[0]!), "a");
  putAll(queue, "b");
  t.equal(await got(waiters[1]!), "b");
  const taken = (await waiters[1]!.outcome)?.item;
  queue.giveBackTaken(taken!);
  t.equal(await got(waiters[2]!), "b");
  t.match(queue.stats(), { waiters: 1, items: 0 });
});

it("a waiting open gets its own read", async ({ queues }, t) => {
  const queue = queues.open("q");
  const waiter = queue.wait("open", 1000, PATIENT);
  const [put] = putAll(queue, "a");
  const read = (await waiter.outcome)?.read;
  await put;
  t.equal(read?.item.data.toString(), "a");
  t.match(queue.stats(), { openTransactions: 1, items: 0 });
  queue.giveBack([read!]);
  t.equal(await take(queue), "a");
});

it("C73 an item passes a client that cannot take it, which gets the next when it can", async ({ queues }, t) => {
  const queue = queues.open("q");
  const patron = { canTake: false };
  const [blocked, free] = [queue.wait("take", 1000, patron), queue.wait("take", 1000, PATIENT)];
  putAll(queue, "1", "2");
  t.equal(await got(free), "1");
  t.equal(queue.items, 1);
  patron.canTake = true;
  queue.patronReady();
  t.equal(await got(blocked), "2");
});

it("a wait on an empty queue that has no time ends at once", async ({ queues }, t) => {
  t.equal(await got(queues.open("q").wait("take", 0, PATIENT)), null);
});

it("B63 a flush removes the line, keeps what is open, and lets waiters wait", async ({ queues }, t) => {
  const queue = queues.open("q");
  await store(queue, "open", "back", "line");
  const [kept, back] = [await open(queue), await open(queue)];
  queue.giveBack([back]);
  await queue.flush();
  t.match(queue.stats(), { items: 0, bytes: 0, openTransactions: 1, totalFlushes: 1 });
  const waiter = queue.wait("take", 1000, PATIENT);
  await queue.flush();
  queue.giveBack([kept]);
  t.equal(await got(waiter), "open");
});

it("B61 a deleted queue is empty, its reads are over, its waiters end and puts are refused", async ({ queues }, t) => {
  const queue = queues.open("q");
  await store(queue, "open", "line");
  const read = await open(queue);
  await take(queue);
  const waiter = queue.wait("take", 10_000, PATIENT);
  await queues.delete("q");
  t.equal(await got(waiter), null);
  t.equal(queue.confirm(read), null);
  queue.giveBack([read]);
  queue.giveBackTaken(read.item);
  t.match(queue.stats(), { items: 0, openTransactions: 0, waiters: 0 });
  t.equal(putAll(queue, "late")[0], "blocked");
  t.match(queue.refusal, /deleted/);
  t.equal(queue.fetchNow("take"), null);
  t.equal(await got(queue.wait("take", 10_000, PATIENT)), null);
});

it(
  "H139 a full queue refuses, and takes again when there is room",
  async ({ queues }, t) => {
    const queue = queues.open("q");
    await store(queue, "1", "22");
    t.same(putAll(queue, "3", "way too long"), ["full", "too-large"]);
    const read = await open(queue);
    await store(queue, "3");
    queue.giveBack([read]);
    t.match(queue.stats(), { items: 3, totalItems: 3 }, "open reads count for no limit");
    t.same(putAll(queue, "4"), ["full"]);
  },
  { maxItems: 2, maxItemBytes: 5 },
);

it("the age is that of the first item, and of none when there is none", async ({ queues, clock }, t) => {
  const queue = queues.open("q");
  const put = (data: string): void => void queue.put(newItem(data, { addedAt: clock.wallMs() }), true);
  t.equal(queue.stats().ageMs, 0);
  put("a");
  clock.pass(5000);
  put("b");
  t.equal(queue.stats().ageMs, 5000);
  await take(queue);
  clock.pass(1000);
  t.equal(queue.stats().ageMs, 1000);
  clock.setWall(0);
  t.equal(queue.stats().ageMs, 0, "also when the wall clock was set back");
  await take(queue);
  t.equal(queue.stats().ageMs, 0);
});
