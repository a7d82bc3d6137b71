import t from "tap";
import { drainNamed, putNow, QueueBench } from "../helpers/queue-bench.js";

async function aliased(t: Parameters<typeof QueueBench.for>[0]): Promise<QueueBench> {
  const bench = await QueueBench.for(t);
  bench.aliases.set("all", { destinationQueues: ["x", "y"] });
  return bench;
}

t.test("E a put into an alias goes to all destinations and their children, and is counted", async (t) => {
  const bench = await aliased(t);
  bench.configure();
  bench.queues.open("x+c");
  t.equal(await putNow(bench, "all", "12"), undefined);
  t.equal(await putNow(bench, "all", "345"), undefined);
  for (const name of ["x", "y", "x+c"]) t.same(await drainNamed(bench, name), ["12", "345"], name);
  t.same(bench.queues.aliases(), [{ name: "all", putItems: 2, putBytes: 5, children: ["x", "y"] }]);
  t.equal(bench.queues.find("all"), undefined);
  t.ok(bench.queues.isAlias("all"));
  bench.configure();
  t.match(bench.queues.aliases(), [{ putItems: 2 }], "a reload keeps the counts");
});

t.test("E it is stored only when all destinations took it", async (t) => {
  const bench = await aliased(t);
  bench.sections.set("y", { maxItems: 1 });
  bench.configure();
  await putNow(bench, "all", "1");
  t.equal(await putNow(bench, "all", "2"), "full");
  t.same(await drainNamed(bench, "x"), ["1", "2"]);
  bench.disk.disk.failNextWrite();
  await drainNamed(bench, "y");
  await t.rejects(putNow(bench, "all", "3"), { code: "WH_WRITE_FAILED" });
});

t.test("E flush and delete ignore an alias, also when a queue of its name is left from before", async (t) => {
  const bench = await aliased(t);
  await putNow(bench, "all", "old");
  bench.configure();
  await putNow(bench, "all", "1");
  await bench.queues.flush("all");
  await bench.queues.delete("all");
  t.equal(bench.queues.find("all")?.items, 1);
  t.same(await drainNamed(bench, "x"), ["1"]);
});
