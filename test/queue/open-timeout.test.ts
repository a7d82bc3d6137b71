import t from "tap";
import { drain, got, open, PATIENT, putNow, QueueBench } from "../helpers/queue-bench.js";

t.test("open reads time out on an empty queue, several in their old order, and wake who waits", async (t) => {
  const bench = await QueueBench.for(t, { openTransactionTimeoutMs: 5000 });
  for (const data of ["1", "2", "3"]) await putNow(bench, "q", data);
  const queue = bench.queues.open("q");
  const reads = [await open(queue), await open(queue), await open(queue)];
  const waiter = queue.wait("take", 60_000, PATIENT);
  bench.clock.pass(4999);
  t.match(queue.stats(), { openTransactions: 3, oldestOpenMs: 4999 });
  bench.clock.pass(1);
  t.equal(await got(waiter), "1");
  t.same(await drain(queue), ["2", "3"]);
  t.ok(reads.every(({ ended }) => ended));
  t.match(queue.stats(), { openTransactions: 0, oldestOpenMs: 0, canceledTransactions: 3 });
});

t.test(
  "each has its own time; a confirmed one is not given back, and a late confirm confirms nothing else",
  async (t) => {
    const bench = await QueueBench.for(t, { openTransactionTimeoutMs: 5000 });
    for (const data of ["1", "2", "3"]) await putNow(bench, "q", data);
    const queue = bench.queues.open("q");
    const first = await open(queue);
    bench.clock.pass(2000);
    const second = await open(queue);
    bench.clock.pass(2000);
    const third = await open(queue);
    void queue.confirm(second);
    bench.clock.pass(1000);
    t.match([first, second, third], [{ ended: true }, { ended: true }, { ended: false }]);
    const again = await open(queue);
    t.equal(again.item.data.toString(), "1");
    t.not(again.id, first.id);
    queue.confirm(first);
    queue.giveBack([first]);
    t.equal(again.ended, false);
    bench.clock.pass(4000);
    t.ok(third.ended);
    bench.clock.pass(1000);
    t.ok(again.ended);
    t.same(await drain(queue), ["1", "3"]);
  },
);

t.test("a reload counts for reads that are open", async (t) => {
  const bench = await QueueBench.for(t);
  await putNow(bench, "q", "1");
  const queue = bench.queues.open("q");
  await open(queue);
  bench.clock.pass(10_000);
  bench.configure({ openTransactionTimeoutMs: 5000 });
  bench.clock.pass(1);
  t.same(await drain(queue), ["1"]);
});

t.test(
  "delivery ids are not used again, not after a restart either, and those of other boots mean nothing",
  async (t) => {
    const bench = await QueueBench.for(t);
    await putNow(bench, "q", "1");
    const read = await open(bench.queues.open("q"));
    const id = bench.queues.deliveryId(read);
    t.equal(bench.queues.readIdOf(id), read.id);
    t.equal(bench.queues.readIdOf(id + 1n), null, "not handed out yet");
    t.equal(bench.queues.readIdOf(0n), null);
    t.equal(bench.queues.readIdOf(2n ** 64n - 1n), null);
    await bench.restart();
    t.equal(bench.queues.readIdOf(id), null);
    const again = bench.queues.deliveryId(await open(bench.queues.open("q")));
    t.ok(again > id);
  },
);
