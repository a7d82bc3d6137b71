import t from "tap";
import { IdleWatch } from "../../src/net/idle-watch.js";
import { openPort } from "../helpers/port-world.js";
import { TestClock } from "../helpers/test-clock.js";
import { END, STORED, set, value } from "../helpers/wire.js";
import { until } from "../helpers/within.js";

/** A connection that is busy when the test says so. */
class Watched {
  ends = 0;
  busy = false;

  get wasBusy(): boolean {
    const { busy } = this;
    this.busy = false;
    return busy;
  }

  endIdle(): void {
    this.ends++;
  }
}

t.test("a connection is ended when it was idle for the time, not before, and not long after", async (t) => {
  const clock = new TestClock();
  const watch = new IdleWatch(clock, 1000);
  const early = new Watched();
  watch.add(early);
  clock.pass(100);
  const late = new Watched();
  watch.add(late);
  clock.pass(899);
  t.equal(early.ends + late.ends, 0);
  clock.pass(251);
  t.ok(early.ends > 0 && late.ends > 0);
});

t.test("one that was busy is idle from then on", async (t) => {
  const clock = new TestClock();
  const watch = new IdleWatch(clock, 1000);
  const connection = new Watched();
  watch.add(connection);
  for (let i = 0; i < 10; i++) {
    clock.pass(800);
    connection.busy = true;
  }
  clock.pass(1000);
  t.equal(connection.ends, 0);
  clock.pass(250);
  t.ok(connection.ends > 0);
});

t.test("one timer serves all connections, and is there only while there are any", async (t) => {
  const clock = new TestClock();
  const watch = new IdleWatch(clock, 1000);
  const connections = Array.from({ length: 10 }, () => new Watched());
  for (const connection of connections) watch.add(connection);
  t.equal(clock.timers, 1);
  clock.pass(600);
  t.equal(clock.timers, 1);
  for (const connection of connections) watch.delete(connection);
  watch.delete(new Watched());
  t.equal(clock.timers, 0);
});

t.test("without a time nobody is watched", async (t) => {
  const clock = new TestClock();
  new IdleWatch(clock, Infinity).add(new Watched());
  t.equal(clock.timers, 0);
});

t.test("an idle client is hung up on, one that waits in a fetch is busy, case C86", async (t) => {
  const { world, connect } = await openPort(t, { clientTimeoutMs: 1000 });
  const idle = await connect();
  const waiting = await connect();
  await idle.send(`${set("p", "a")}get p/open\r\n`);
  await idle.expect(STORED + value("p", "a"));
  await waiting.send("get q/t=60000\r\n");
  await until("the wait", async () => world.queues.find("q")?.stats().waiters === 1);
  world.clock.pass(1000);
  world.clock.pass(250);
  await idle.expectClose();
  t.match(world.queues.find("p")?.stats(), { items: 1, openTransactions: 0 }, "what it had open went back");
  world.clock.pass(10_000);
  await waiting.expectSilence();
  world.client().tell(set("q", "a"));
  await waiting.expect(value("q", "a"));
  world.clock.pass(1500);
  await waiting.expectClose();
});

t.test("a client that has not read its replies, or waits for the journal, is busy", async (t) => {
  const { world, connect } = await openPort(t, { clientTimeoutMs: 1000 });
  for (let i = 0; i < 100; i++) world.client().tell(set("large", "x".repeat(1_000_000)));
  const putting = await connect();
  world.journal.holdsPuts = true;
  await putting.send(set("q", "a"));
  await until("the put", async () => world.journal.held === 1);
  const slow = await connect();
  slow.pause();
  await slow.send("get large\r\n".repeat(100));
  await until("the replies that are not read", async () => world.counters.gets > 0);
  await slow.expectSilence();
  const left = world.queues.find("large")?.items ?? 0;
  t.ok(left > 0);
  world.clock.pass(10_000);
  await putting.expectSilence();
  world.journal.release();
  await putting.expect(STORED);
  t.equal(world.connections.current, 2);
  slow.destroy();
});

t.test("a client that sends now and then is left alone", async (t) => {
  const { world, connect } = await openPort(t, { clientTimeoutMs: 1000 });
  const client = await connect();
  for (let i = 0; i < 10; i++) {
    await client.send("get q\r\n");
    await client.expect(END);
    world.clock.pass(900);
  }
});
