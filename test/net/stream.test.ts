import t from "tap";
import { MAX_BYTES_BEHIND_WAIT } from "../../src/net/connection.js";
import { openPort } from "../helpers/port-world.js";
import { body, END, STORED, set, value } from "../helpers/wire.js";
import { until } from "../helpers/within.js";

const VERSION = "VERSION 1.2.3\r\n";

t.test("a monitor's items come one by one, and hold what is behind it", async (t) => {
  const { world, connect } = await openPort(t, { maxOpenTransactions: 10 });
  const client = await connect();
  client.push("monitor q 60 3\r\nversion\r\n");
  await until("the wait", async () => world.queues.find("q")?.stats().waiters === 1);
  for (const data of ["a", "b"]) {
    world.client().tell(set("q", data));
    await client.expect(value("q", data));
  }
  await client.expectSilence();
  world.client().tell(set("q", "c"));
  await client.expect(value("q", "c") + END + VERSION);
  t.equal(world.clock.timers, 0);
});

t.test("a monitor begins when what is before it was answered", async (t) => {
  const { world, connect } = await openPort(t, { maxOpenTransactions: 10 });
  const client = await connect();
  world.client().tell(set("q", "a"));
  world.journal.holdsPuts = true;
  client.push(`${set("p", "x")}monitor q 60 1\r\n`);
  await until("the put", async () => world.journal.held === 1);
  t.equal(world.queues.find("q")?.items, 1);
  world.journal.release();
  await client.expect(STORED + value("q", "a") + END);
});

t.test("with the client's FIN a monitor ends, the rest is answered, the connection closes", async (t) => {
  const { world, connect } = await openPort(t, { maxOpenTransactions: 10 });
  const client = await connect();
  client.push("monitor q 60\r\nversion\r\n");
  await until("the wait", async () => world.queues.find("q")?.stats().waiters === 1);
  client.halfClose();
  await client.expect(END + VERSION);
  await client.expectClose();
  t.equal(world.queues.find("q")?.stats().waiters, 0);
});

t.test("a client that resets during a monitor gives back what it had, case J160", async (t) => {
  const { world, connect } = await openPort(t, { maxOpenTransactions: 10 });
  const client = await connect();
  for (const data of ["a", "b"]) world.client().tell(set("q", data));
  client.push("monitor q 60\r\n");
  await client.expect(value("q", "a") + value("q", "b"));
  client.reset();
  await until("the end", async () => world.connections.current === 0);
  t.match(world.queues.find("q")?.stats(), { waiters: 0, items: 2, openTransactions: 0 });
});

t.test("too much input behind a monitor ends it, and is counted", async (t) => {
  const { world, connect } = await openPort(t);
  const client = await connect();
  const lines = Math.ceil(MAX_BYTES_BEHIND_WAIT / "version\r\n".length) + 10;
  client.push(`monitor q 60\r\n${"version\r\n".repeat(lines)}`);
  await client.expect(END + VERSION.repeat(lines));
  t.equal(world.counters.waitsCutShort, 1);
});

t.test("a monitor takes nothing for a client that does not read, case H141", async (t) => {
  const { world, connect } = await openPort(t, { maxOpenTransactions: 1000 });
  const items = 300;
  for (let i = 0; i < items; i++) world.client().tell(set("q", body(100_000, i)));
  const client = await connect();
  client.pause();
  client.push(`monitor q 60 ${items}\r\nversion\r\n`);
  await until("the first item", async () => (world.queues.find("q")?.items ?? items) < items);
  await client.expectSilence();
  const left = world.queues.find("q")?.items ?? 0;
  t.ok(left > items / 2, `${left} of ${items} are still there`);
  client.resume();
  for (let i = 0; i < items; i++) await client.expect(value("q", body(100_000, i)));
  await client.expect(END + VERSION);
});

t.test("one busy monitor does not starve another client, case H143", async (t) => {
  const { world, connect } = await openPort(t, { maxOpenTransactions: 10_000 });
  const items = 5000;
  for (let i = 0; i < items; i++) world.client().tell(set("q", "x"));
  const busy = await connect();
  const other = await connect();
  busy.push("monitor q 60 5000\r\n");
  other.push("version\r\n");
  await other.expect(VERSION);
  t.ok((world.queues.find("q")?.items ?? 0) > 0, "the busy one was not through");
  await busy.expect(value("q", "x").repeat(items) + END);
});

t.test("a stop ends a monitor, and the connection after it", async (t) => {
  const { world, listener, connect } = await openPort(t, { maxOpenTransactions: 10 });
  const client = await connect();
  client.push("monitor q 60\r\nversion\r\n");
  await until("the wait", async () => world.queues.find("q")?.stats().waiters === 1);
  const closed = listener.close();
  world.queues.endWaits();
  await client.expect(END);
  await client.expectClose();
  await closed;
});

t.test("the figures of many queues leave in parts, others are served meanwhile", async (t) => {
  const { world, connect } = await openPort(t);
  for (let i = 0; i < 3000; i++) world.client().tell(set(`q${i}`, "x"));
  const client = await connect();
  const other = await connect();
  client.push("stats\r\nversion\r\n");
  other.push("version\r\n");
  await other.expect(VERSION);
  let lines = 0;
  for (let line = await client.line(); line !== END; line = await client.line())
    if (/ queue_q\d+_items 1\r/.test(line)) lines++;
  t.equal(lines, 3000);
  await client.expect(VERSION);
});

t.test("a client that goes in the middle of the figures is gone", async (t) => {
  const { world, connect } = await openPort(t);
  for (let i = 0; i < 3000; i++) world.client().tell(set(`q${i}`, "x"));
  const client = await connect();
  client.pause();
  client.push("stats\r\n".repeat(20));
  const other = await connect();
  await other.send("version\r\n");
  await other.expect(VERSION);
  client.reset();
  await until("its end", async () => world.connections.current === 1);
});
