import t from "tap";
import { SystemClock } from "../../src/clock.js";
import type { WindhoverError } from "../../src/errors.js";
import { FlushList } from "../../src/net/flush-list.js";
import { IdleWatch } from "../../src/net/idle-watch.js";
import { Listener } from "../../src/net/listener.js";
import { Session } from "../../src/session/session.js";
import { openPort } from "../helpers/port-world.js";
import { RawClient } from "../helpers/raw-client.js";
import { SessionWorld } from "../helpers/session-world.js";
import { body, END, STORED, set, value } from "../helpers/wire.js";
import { until } from "../helpers/within.js";

const VERSION = "VERSION 1.2.3\r\n";

function open(host: string, port: number): Promise<Listener> {
  const world = new SessionWorld();
  const { counters, connections, log } = world;
  return Listener.open({
    host,
    port,
    backlog: 10,
    createCodec: world.codecs,
    createSession: (describePeer) => new Session(world.context, describePeer),
    connections,
    idleWatch: new IdleWatch(world.clock, Infinity),
    context: { flushList: new FlushList(), counters, clock: new SystemClock(), log },
  });
}

t.test("port 0 opens a free one and tells it", async (t) => {
  const listener = await open("127.0.0.1", 0);
  t.ok(listener.port > 0);
  const client = await RawClient.connect(listener.port);
  await client.send("version\r\n");
  await client.expect(VERSION);
  client.destroy();
  await listener.close();
});

t.test("a port that cannot be opened is WH_LISTEN with the place and the reason", async (t) => {
  const { listener } = await openPort(t);
  const failure = (host: string, port: number): Promise<WindhoverError> =>
    open(host, port).then(
      () => Promise.reject(new Error("it was opened")),
      (error: WindhoverError) => error,
    );
  t.match(await failure("127.0.0.1", listener.port), {
    code: "WH_LISTEN",
    message: `cannot listen on 127.0.0.1:${listener.port}: the port is in use`,
  });
  t.match(await failure("203.0.113.1", 0), { code: "WH_LISTEN", message: /203\.0\.113\.1:0: the address is none/ });
});

t.test("close lets in nobody, answers what was executed, and then hangs up", async (t) => {
  const { world, listener, connect } = await openPort(t);
  const idle = await connect();
  const putting = await connect();
  const waiting = await connect();
  world.journal.holdsPuts = true;
  putting.push(set("q", "a"));
  waiting.push("get p/t=60000\r\nversion\r\n");
  await until("the put", async () => world.journal.held === 1);
  await until("the wait", async () => world.queues.find("p")?.stats().waiters === 1);
  const closed = listener.close();
  t.equal(listener.close(), closed, "closing twice is one promise");
  await idle.expectClose();
  await t.rejects(RawClient.connect(listener.port));
  world.queues.endWaits();
  world.journal.release();
  await putting.expect(STORED);
  await putting.expectClose();
  await waiting.expect(END);
  await waiting.expectClose();
  await closed;
  t.equal(world.connections.current, 0);
});

t.test("close waits for a slow reader until the connections are cut", async (t) => {
  const { world, listener, connect } = await openPort(t);
  world.client().tell(set("q", body(16_000_000, 1)));
  const client = await connect();
  client.pause();
  client.push("get q\r\n");
  await until("the get", async () => world.queues.find("q")?.items === 0);
  const closed = listener.close();
  t.equal(world.connections.current, 1);
  listener.destroyConnections();
  await closed;
});

t.test("connections are counted, and never below zero, case I148", async (t) => {
  const { world, connect } = await openPort(t);
  const clients = [await connect(), await connect(), await connect()];
  await until("three connections", async () => world.connections.current === 3);
  for (const client of clients) client.push("get q/t=60000\r\n");
  clients[0]?.reset();
  clients[1]?.destroy();
  clients[2]?.push("version\r\n");
  clients[2]?.halfClose();
  await clients[2]?.expect(END + VERSION);
  await until("none", async () => world.connections.current === 0);
  t.equal(world.connections.total, 3);
});

t.test("two clients are served apart", async (t) => {
  const { connect } = await openPort(t);
  const [one, two] = [await connect(), await connect()];
  one.push("set q 0 0 3\r\na");
  two.push(`${set("q", "xyz")}get q\r\n`);
  await two.expect(STORED + value("q", "xyz"));
  one.push("bc\r\nget q\r\n");
  await one.expect(STORED + value("q", "abc"));
});
