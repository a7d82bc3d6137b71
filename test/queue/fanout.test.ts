import t from "tap";
import { keysPut } from "../helpers/faulty-store.js";
import { isPending } from "../helpers/journal-bench.js";
import { drainNamed, got, PATIENT, putNow, QueueBench } from "../helpers/queue-bench.js";

t.test("E a child gets what is put into its parent from its creation on; a put into it reaches only it", async (t) => {
  const bench = await QueueBench.for(t);
  await putNow(bench, "o", "before");
  bench.queues.open("o+a");
  bench.queues.open("o+b");
  await putNow(bench, "o", "both");
  await putNow(bench, "o+a", "only a");
  t.same(bench.queues.childrenOf("o"), ["o+a", "o+b"]);
  t.same(await drainNamed(bench, "o"), ["before", "both"]);
  t.same(await drainNamed(bench, "o+a"), ["both", "only a"]);
  t.same(await drainNamed(bench, "o+b"), ["both"]);
});

t.test("E all copies are in one batch, and become visible together", async (t) => {
  const bench = await QueueBench.for(t);
  for (const name of ["o", "o+a", "o+b"]) bench.queues.open(name);
  await bench.disk.idle();
  const before = bench.disk.disk.batches.length;
  await putNow(bench, "o", "x");
  const batches = bench.disk.disk.batches.slice(before);
  t.same(
    batches.map((batch) => keysPut(batch, "p").length),
    [3],
  );
});

t.test("E a batch that fails withdraws all copies", async (t) => {
  const bench = await QueueBench.for(t);
  for (const name of ["o", "o+a", "o+b"]) bench.queues.open(name);
  await bench.disk.idle();
  bench.disk.disk.failNextWrite();
  await t.rejects(putNow(bench, "o", "x"), { code: "WH_WRITE_FAILED" });
  for (const name of ["o", "o+a", "o+b"]) t.same(await drainNamed(bench, name), [], name);
});

t.test("E a put is not answered before every copy is written, also when one was handed over at once", async (t) => {
  for (const fanoutOnly of [false, true]) {
    const bench = await QueueBench.for(t, { fanoutOnly });
    for (const name of ["o", "o+a", "o+b"]) bench.queues.open(name);
    const waiter = bench.queues.open(fanoutOnly ? "o+a" : "o").wait("take", 600_000, PATIENT);
    await bench.disk.idle();
    const hold = bench.disk.disk.hold();
    const put = putNow(bench, "o", "x");
    t.equal(await got(waiter), "x");
    await hold.reached;
    t.ok(await isPending(put), `fanout_only ${fanoutOnly}`);
    hold.release();
    await put;
  }
});

t.test("E the parent decides: if it refuses, no child gets the item", async (t) => {
  const bench = await QueueBench.for(t);
  bench.sections.set("o", { maxItems: 1, maxItemBytes: 5 });
  bench.sections.set("o+a", { maxItems: 100 });
  bench.configure();
  await putNow(bench, "o", "1");
  t.equal(await putNow(bench, "o", "2"), "full");
  t.equal(await putNow(bench, "o", "123456"), "too-large");
  t.same(await drainNamed(bench, "o+a"), ["1"]);
});

t.test("E a full child misses the item, counted and logged once a minute; the others get it", async (t) => {
  const bench = await QueueBench.for(t);
  bench.sections.set("o+a", { maxItems: 1 });
  bench.configure();
  bench.queues.open("o+b");
  for (const data of ["1", "2", "3"]) t.equal(await putNow(bench, "o", data), undefined);
  const complaints = (): number => bench.disk.log.lines.filter(({ message }) => /child/.test(message)).length;
  t.equal(bench.queues.open("o+a").counters.discarded, 2);
  t.equal(complaints(), 1);
  bench.clock.pass(60_000);
  await putNow(bench, "o", "4");
  t.equal(complaints(), 2);
  t.same(await drainNamed(bench, "o+a"), ["1"]);
  t.same(await drainNamed(bench, "o+b"), ["1", "2", "3", "4"]);
  t.same(await drainNamed(bench, "o"), ["1", "2", "3", "4"]);
});

t.test("E fanout_strict is all or nothing", async (t) => {
  const bench = await QueueBench.for(t);
  bench.sections.set("o", { fanoutStrict: true });
  bench.sections.set("o+a", { maxItems: 1 });
  bench.configure();
  bench.queues.open("o+b");
  await putNow(bench, "o", "1");
  t.equal(await putNow(bench, "o", "2"), "full");
  for (const name of ["o", "o+a", "o+b"]) t.same(await drainNamed(bench, name), ["1"], name);
});

t.test("E fanout_only: the parent keeps nothing, also without children and when it would be full", async (t) => {
  const bench = await QueueBench.for(t);
  bench.sections.set("o", { fanoutOnly: true, maxItems: 0, maxItemBytes: 5 });
  bench.configure();
  t.equal(await putNow(bench, "o", "none"), "stored");
  bench.sections.set("o+a", { maxItems: 9 });
  bench.configure();
  t.equal(await putNow(bench, "o", "1"), undefined);
  t.equal(await putNow(bench, "o", "123456"), "too-large");
  t.same(await drainNamed(bench, "o"), []);
  t.same(await drainNamed(bench, "o+a"), ["1"]);
});

t.test("E children are known again after a restart, and made at the start when configured", async (t) => {
  const bench = await QueueBench.for(t);
  bench.queues.open("o+a");
  bench.sections.set("o+conf", {});
  await bench.restart();
  t.same([...bench.queues.childrenOf("o")].sort(), ["o+a", "o+conf"]);
  await putNow(bench, "o", "1");
  t.same(await drainNamed(bench, "o+a"), ["1"]);
  t.same(await drainNamed(bench, "o+conf"), ["1"]);
});

t.test("E children of a deleted parent stay, and are fed when it is there again; a deleted child is not", async (t) => {
  const bench = await QueueBench.for(t);
  bench.queues.open("o+a");
  bench.queues.open("o+b");
  await putNow(bench, "o", "1");
  await bench.queues.delete("o");
  await bench.queues.delete("o+b");
  t.equal(bench.queues.find("o+b"), undefined);
  await putNow(bench, "o", "2");
  t.same(await drainNamed(bench, "o+a"), ["1", "2"]);
  t.same(bench.queues.childrenOf("o"), ["o+a"]);
  t.equal(bench.queues.find("o+b"), undefined);
});
