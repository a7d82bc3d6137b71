import t from "tap";
import { drain, open, putNow, QueueBench } from "../helpers/queue-bench.js";

for (const restarted of [false, true])
  for (const maxMemoryBytes of [1_000_000, 300])
    t.test(
      `peek at any depth, ${maxMemoryBytes} bytes in memory, ${restarted ? "after a restart" : "at once"}`,
      async (t) => {
        const bench = await QueueBench.for(t, { maxMemoryBytes });
        const all = Array.from({ length: 60 }, (_, n) => `${n} ${"x".repeat(40)}`);
        await Promise.all(all.map((data) => putNow(bench, "q", data)));
        if (restarted) await bench.restart();
        const queue = bench.queues.open("q");
        const show = async (count: number): Promise<string[]> =>
          (await queue.peekMany(count)).map(({ data }) => data.toString());
        for (const depth of [0, 1, 5, 6, 7, 30, 59])
          t.equal((await queue.peekAt(depth))?.data.toString(), all[depth], `${depth}`);
        t.equal(await queue.peekAt(60), null);
        t.equal(await queue.peekAt(1e9), null);
        t.same(await show(0), []);
        t.same(await show(20), all.slice(0, 20));
        t.same(await show(1000), all);
        const reads = [await open(queue), await open(queue)];
        t.same(await show(5), all.slice(2, 7));
        queue.giveBack(reads);
        t.same(await show(5), all.slice(0, 5));
        t.equal(queue.items, 60);
        t.same(await drain(queue), all);
        t.equal(await queue.peekAt(0), null);
      },
    );

t.test("peek sees what is not written yet", async (t) => {
  const bench = await QueueBench.for(t, { maxMemoryBytes: 10 });
  const puts = ["12345678", "2", "3", "4"].map((data) => putNow(bench, "q", data));
  const queue = bench.queues.open("q");
  t.same(
    (await queue.peekMany(4)).map(({ data }) => data.toString()),
    ["12345678", "2", "3", "4"],
  );
  await Promise.all(puts);
});
