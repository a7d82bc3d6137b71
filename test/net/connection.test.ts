import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import t from "tap";
import { MAX_BYTES_BEHIND_WAIT } from "../../src/net/connection.js";
import { openPort } from "../helpers/port-world.js";
import { body, CLIENT_ERROR, END, STATE_ERROR, STORED, set, value } from "../helpers/wire.js";
import { until } from "../helpers/within.js";

const VERSION = "VERSION 1.2.3\r\n";

t.test("replies come in the order of the commands, also when the first must wait for the journal", async (t) => {
  const { world, connect } = await openPort(t);
  const client = await connect();
  world.journal.holdsPuts = true;
  client.push(`${set("q", "a")}version\r\n${set("q", "b")}${set("q", "c", " noreply")}version\r\n`);
  await until("three puts", async () => world.journal.held === 3);
  await client.expectSilence();
  world.journal.release();
  await client.expect(STORED + VERSION + STORED + VERSION);
  t.equal(world.queues.find("q")?.items, 3);
});

t.test("all replies of one chunk leave in one write", async (t) => {
  const { socket } = await openPort(t);
  const client = await socket();
  client.write(`${set("q", "a")}${set("q", "b")}get q\r\nget q\r\nversion\r\n`);
  const [chunk] = (await once(client, "data")) as [Buffer];
  t.equal(chunk.toString(), STORED + STORED + value("q", "a") + value("q", "b") + VERSION);
});

t.test("a plain get is executed only when its reply can leave, an item is never between the two", async (t) => {
  const { world, connect } = await openPort(t);
  const client = await connect();
  await client.send(set("q", "a"));
  await client.expect(STORED);
  world.journal.holdsPuts = true;
  client.push(`${set("p", "x")}get q\r\n`);
  await until("the put", async () => world.journal.held === 1);
  t.equal(world.queues.find("q")?.items, 1, "it waits for the put's reply");
  client.reset();
  await until("the end", async () => world.connections.current === 0);
  world.journal.release();
  await nextTurn();
  t.equal(world.queues.find("q")?.items, 1, "nothing was taken for a client that is gone");
  world.journal.holdsPuts = false;
  const other = await connect();
  await other.send("get q\r\n");
  await other.expect(value("q", "a"));
});

t.test("what is pipelined behind a waiting fetch waits for it, case A9", async (t) => {
  const { world, connect } = await openPort(t);
  const client = await connect();
  client.push("get q/t=1000\r\nversion\r\nget q\r\n");
  await client.expectSilence();
  t.equal(world.counters.gets, 1);
  world.client().tell(set("q", "a"));
  await client.expect(value("q", "a") + VERSION + END);
});

t.test("the end of a client behind a waiting fetch is noticed, however much it sent before, case C85", async (t) => {
  const { world, connect } = await openPort(t);
  const client = await connect();
  client.push(`get q/t=60000\r\n${"version\r\n".repeat(50_000)}`);
  await until("the wait", async () => world.queues.find("q")?.stats().waiters === 1);
  client.destroy();
  await until("the end of the wait", async () => world.queues.find("q")?.stats().waiters === 0);
  world.client().tell(set("q", "a"));
  t.equal(world.queues.find("q")?.items, 1);
});

t.test("a waiting fetch whose client resets is gone at once", async (t) => {
  const { world, connect } = await openPort(t);
  const client = await connect();
  await client.send("get q/open/t=60000\r\n");
  await until("the wait", async () => world.queues.find("q")?.stats().waiters === 1);
  client.reset();
  await until("the end of the wait", async () => world.queues.find("q")?.stats().waiters === 0);
  t.equal(world.clock.timers, 0);
});

t.test(
  "with the client's FIN a waiting fetch ends, the rest is answered, the connection closes, case C84",
  async (t) => {
    const { world, connect } = await openPort(t);
    const client = await connect();
    client.push(`get q/t=60000\r\nversion\r\n${set("p", "a")}get p\r\nget q/t=60000\r\nget q`);
    client.halfClose();
    await client.expect(END + VERSION + STORED + value("p", "a") + END);
    await client.expectClose();
    t.match(world.queues.find("q")?.stats(), { waiters: 0 });
  },
);

t.test("a reply that comes after the client's FIN is still delivered", async (t) => {
  const { world, connect } = await openPort(t);
  const client = await connect();
  world.journal.holdsPuts = true;
  client.push(`${set("q", "a")}version\r\n`);
  client.halfClose();
  await until("the put", async () => world.journal.held === 1);
  await client.expectSilence();
  world.journal.release();
  await client.expect(STORED + VERSION);
  await client.expectClose();
});

t.test("a large reply is delivered whole to a client that has sent its FIN", async (t) => {
  const { world, connect } = await openPort(t);
  const data = body(8_000_000, 1);
  world.client().tell(set("q", data));
  const client = await connect();
  client.push("get q\r\n");
  client.halfClose();
  await client.expect(value("q", data));
  await client.expectClose();
});

t.test("behind a waiting fetch a mebibyte of input is held; then the wait ends early, and is counted", async (t) => {
  const { world, connect } = await openPort(t);
  const client = await connect();
  const line = "version\r\n";
  const lines = Math.floor(MAX_BYTES_BEHIND_WAIT / line.length) - 10;
  const input = `get q/t=60000\r\n${line.repeat(lines)}`;
  client.push(input);
  await until("the input", async () => world.counters.bytesRead === input.length);
  t.equal(world.queues.find("q")?.stats().waiters, 1);
  t.equal(world.counters.waitsCutShort, 0);
  client.push(line.repeat(20));
  await client.expect(END + VERSION.repeat(lines + 20));
  t.equal(world.counters.waitsCutShort, 1);
  t.equal(world.counters.misses, 1);
});

t.test("a large item that comes in pieces is stored whole, also one beyond what is held behind a wait", async (t) => {
  const { world, connect } = await openPort(t);
  const client = await connect();
  const data = body(5_000_000, 2);
  await client.send(set("q", data));
  await client.expect(STORED);
  client.push(`get other/t=60000\r\n${set("q", data)}`);
  await client.expect(END + STORED);
  t.equal(world.counters.waitsCutShort, 1);
  for (let i = 0; i < 2; i++) {
    await client.send("get q\r\n");
    await client.expect(value("q", data));
  }
});

t.test("no more than 1024 commands of a connection are unanswered", async (t) => {
  const { world, connect } = await openPort(t);
  const client = await connect();
  world.journal.holdsPuts = true;
  client.push(set("q", "a").repeat(3000));
  for (const expected of [1024, 1024, 952]) {
    await until("the puts", async () => world.journal.held === expected);
    const other = await connect();
    await other.send("version\r\n");
    await other.expect(VERSION);
    t.equal(world.journal.held, expected);
    world.journal.release();
    await client.expect(STORED.repeat(expected));
  }
});

t.test("no more than a mebibyte of a connection's items is on its way to the journal, noreply or not", async (t) => {
  const { world, connect } = await openPort(t);
  const client = await connect();
  world.journal.holdsPuts = true;
  const data = body(300_000, 3);
  client.push(set("q", data, " noreply").repeat(10));
  for (const expected of [4, 4, 2]) {
    await until("the puts", async () => world.journal.held === expected);
    const other = await connect();
    await other.send("version\r\n");
    await other.expect(VERSION);
    t.equal(world.journal.held, expected);
    world.journal.release();
  }
  await until("all of them", async () => world.queues.find("q")?.items === 10);
});

t.test("one busy connection does not starve another, case H143", async (t) => {
  const { world, connect } = await openPort(t);
  const busy = await connect();
  const other = await connect();
  busy.push("get q\r\n".repeat(100_000));
  other.push("version\r\n");
  await other.expect(VERSION);
  t.ok(world.counters.gets < 50_000, `${world.counters.gets} commands of the busy one were first`);
  await busy.expect(END.repeat(100_000));
});

t.test("a client that does not read is not served further; nothing is taken ahead, case H141 and H142", async (t) => {
  const { world, connect } = await openPort(t);
  const items = 300;
  const client = await connect();
  for (let i = 0; i < items; i++) world.client().tell(set("q", body(100_000, i)));
  client.pause();
  client.push("get q\r\n".repeat(items));
  const queue = world.queues.find("q");
  let left = items;
  await until("the server holding back", async () => {
    const isStill = queue?.items === left;
    left = queue?.items ?? 0;
    await nextTurn();
    return isStill && left < items;
  });
  t.ok(left > items / 3, `${items - left} of ${items} were taken`);
  const other = await connect();
  await other.send("version\r\n");
  await other.expect(VERSION);
  client.resume();
  for (let i = 0; i < items; i++) await client.expect(value("q", body(100_000, i)));
  t.equal(queue?.items, 0);
});

t.test("a client that does not read is passed over by the wait-list, and served when it reads again", async (t) => {
  const { world, connect } = await openPort(t);
  const client = await connect();
  const data = body(60_000, 4);
  const queue = world.queues.open("q");
  client.pause();
  // Each round the reply to the first get leaves after the second has begun to wait; some day the system takes no more.
  let rounds = 0;
  for (; rounds < 1000 && queue.items === 0; rounds++) {
    world.client().tell(set("big", data));
    client.push("get big\r\nget q/t=60000\r\n");
    await until("the wait", async () => queue.stats().waiters === 1);
    world.client().tell(set("q", `${rounds}`));
  }
  t.match(queue.stats(), { waiters: 1, items: 1 });
  client.resume();
  for (let i = 0; i < rounds; i++) await client.expect(value("big", data) + value("q", `${i}`));
  t.match(queue.stats(), { waiters: 0, items: 0 });
});

t.test("a client that goes away while it does not read takes nothing more", async (t) => {
  const { world, connect } = await openPort(t);
  const client = await connect();
  for (let i = 0; i < 3; i++) world.client().tell(set("q", body(16_000_000, i)));
  client.pause();
  // So many that the server stops reading too: it learns of the end from its own write.
  client.push("get q\r\n".repeat(100_000));
  await until("the first", async () => world.queues.find("q")?.items === 2);
  client.reset();
  await until("the end", async () => world.connections.current === 0);
  t.equal(world.queues.find("q")?.items, 2);
});

t.test("an error that closes is preceded by all earlier replies, and nothing behind it is executed", async (t) => {
  const { world, connect } = await openPort(t);
  const client = await connect();
  world.journal.holdsPuts = true;
  client.push(`${set("q", "a")}nonsense\r\n${set("q", "b")}`);
  await until("the put", async () => world.journal.held === 1);
  await client.expectSilence();
  world.journal.release();
  await client.expect(STORED);
  await client.expectLine(CLIENT_ERROR);
  await client.expectClose();
  t.equal(world.queues.find("q")?.items, 1);
});

t.test("the error is not lost to what the client is still sending", async (t) => {
  const { connect } = await openPort(t, { maxRequestBytes: 1000 });
  const client = await connect();
  client.push("set q 0 0 2000000\r\n");
  client.push(body(2_000_000, 5));
  await client.expectLine(/^CLIENT_ERROR object too large\r\n$/);
  await client.expectClose();
});

t.test("a client that does not close its end is cut after a while", async (t) => {
  const { world, connect } = await openPort(t);
  const client = await connect();
  await client.send("quit\r\n");
  await until("the end", async () => world.connections.current === 0);
  await client.expectClose();
});

t.test("what is open goes back when the connection closes, by quit, by error and by a reset", async (t) => {
  const { world, connect } = await openPort(t);
  world.client().tell(set("q", "a"));
  for (const end of ["quit\r\n", "get q\r\n", "reset"]) {
    const client = await connect();
    await client.send("get q/open\r\n");
    await client.expect(value("q", "a"));
    if (end === "reset") client.reset();
    else await client.send(end);
    if (end === "get q\r\n") await client.expectLine(STATE_ERROR);
    await until(`the item back after ${end}`, async () => world.queues.find("q")?.items === 1);
  }
});

t.test("bytes are counted on their way in and out", async (t) => {
  const { world, connect } = await openPort(t);
  const client = await connect();
  await client.send("version\r\n");
  await client.expect(VERSION);
  t.match(world.counters, { bytesRead: 9, bytesWritten: VERSION.length });
});

t.test("a bug in the codec costs its connection and nothing else", async (t) => {
  const { world, connect } = await openPort(t);
  Object.assign(world.queues, {
    maxItemBytes: () => {
      throw new Error("a bug");
    },
  });
  const client = await connect();
  const other = await connect();
  client.push(set("q", "a"));
  await client.expectClose();
  await other.send("version\r\n");
  await other.expect(VERSION);
  t.match(world.log.complaints, [{ level: "error", facts: { error: "a bug" } }]);
});
