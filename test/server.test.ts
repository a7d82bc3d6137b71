import { join } from "node:path";
import t, { type Test } from "tap";
import { DEFAULT_QUEUE_SETTINGS, DEFAULT_SETTINGS } from "../src/config/defaults.js";
import type { ServerSettings } from "../src/config/settings.js";
import type { WindhoverError } from "../src/errors.js";
import { type RunningServer, startServer } from "../src/server.js";
import { RawClient } from "./helpers/raw-client.js";
import { RecordingLog } from "./helpers/recording-log.js";
import { body, END, NOT_STORED, STORED, set, value } from "./helpers/wire.js";
import { until, within } from "./helpers/within.js";

interface Started {
  readonly server: RunningServer;
  readonly log: RecordingLog;
  readonly port: number;
}

function settingsOf(t: Test, changes: Partial<ServerSettings>): ServerSettings {
  return { ...DEFAULT_SETTINGS, ports: { memcache: 0 }, journalDir: join(t.testdirName, "journal"), ...changes };
}

async function start(t: Test, changes: Partial<ServerSettings> = {}): Promise<Started> {
  const log = new RecordingLog();
  const server = await startServer(settingsOf(t, changes), { log });
  t.teardown(() => server.stop().catch(() => {}));
  return { server, log, port: server.ports.memcache ?? 0 };
}

async function failure(t: Test, changes: Partial<ServerSettings>): Promise<WindhoverError> {
  return start(t, changes).then(
    () => Promise.reject(new Error("it started")),
    (error: WindhoverError) => error,
  );
}

t.test("it serves, stops, and serves again what was stored", async (t) => {
  t.testdir();
  const first = await start(t);
  const client = await RawClient.connect(first.port);
  await client.send(set("q", "a") + set("q", "b"));
  await client.expect(STORED + STORED);
  await client.send("get q/open\r\n");
  await client.expect(value("q", "a"));
  await first.server.stop();
  await client.expectClose();
  const second = await start(t);
  const other = await RawClient.connect(second.port);
  await other.send("get q\r\nget q\r\nget q\r\n");
  await other.expect(value("q", "a") + value("q", "b") + END);
  await other.send("version\r\n");
  await other.expectLine(/^VERSION 2\.4\.7\+windhover-\d+\.\d+\.\d+\r\n$/);
  other.destroy();
});

t.test("stop may be called twice; both are told when all is closed", async (t) => {
  t.testdir();
  const { server, log, port } = await start(t);
  const client = await RawClient.connect(port);
  await client.send("get q/t=60000\r\n");
  await until("the connection", async () => (await statsOf(port)).get("queue_q_waiters") === "1");
  const stopped = server.stop();
  t.equal(server.stop(), stopped);
  t.equal(server.stopped, stopped);
  await client.expect(END);
  await client.expectClose();
  await within(stopped, "the stop");
  t.same(
    log.lines.filter(({ level }) => level === "info").map(({ message }) => message),
    ["serving", "stopping", "stopped"],
  );
  t.same(log.complaints, []);
});

async function statsOf(port: number): Promise<Map<string, string>> {
  const client = await RawClient.connect(port);
  const stats = await client.stats();
  client.destroy();
  return stats;
}

t.test("the command shutdown stops it", async (t) => {
  t.testdir();
  const { server, port } = await start(t);
  const client = await RawClient.connect(port);
  await client.send("shutdown\r\n");
  await client.expectClose();
  await within(server.stopped, "the stop");
  await t.rejects(RawClient.connect(port));
});

t.test("a client that does not read is cut after half of the grace time", async (t) => {
  t.testdir();
  const { server, port } = await start(t, { shutdownGraceMs: 2000 });
  const client = await RawClient.connect(port);
  await client.send(set("q", body(16_000_000, 1)));
  await client.expect(STORED);
  client.pause();
  client.push("get q\r\n");
  await until("the get", async () => (await statsOf(port)).get("queue_q_items") === "0");
  await within(server.stop(), "the stop");
  client.destroy();
});

t.test("a port in use is WH_LISTEN, and the journal is let go", async (t) => {
  t.testdir();
  const { server, port } = await start(t, { journalDir: join(t.testdirName, "one") });
  t.match(await failure(t, { ports: { memcache: port } }), { code: "WH_LISTEN", message: /in use/ });
  await server.stop();
  await start(t, { ports: { memcache: port } });
});

t.test("a second server on the same journal is WH_JOURNAL_LOCKED", async (t) => {
  t.testdir();
  await start(t);
  t.match(await failure(t, {}), { code: "WH_JOURNAL_LOCKED", message: /LOCK/ });
});

t.test("settings for a queue that cannot exist are WH_CONFIG", async (t) => {
  t.testdir();
  const error = await failure(t, { queues: new Map([["a.b", { maxItems: 1 }]]) });
  t.match(error, { code: "WH_CONFIG", message: "queue.a.b: illegal character in queue name" });
});

t.test("settings of queues reach them", async (t) => {
  t.testdir();
  const { port } = await start(t, {
    allowFlushAll: false,
    maxOpenTransactions: 2,
    maxRequestBytes: 100,
    queueDefaults: { ...DEFAULT_QUEUE_SETTINGS, maxItems: 1 },
    queues: new Map([["wide", { maxItems: 2, maxItemBytes: 3 }]]),
  });
  const client = await RawClient.connect(port);
  await client.send(set("q", "a") + set("q", "b") + set("wide", "abcd") + set("wide", "a") + set("wide", "b"));
  await client.expect(STORED + NOT_STORED + NOT_STORED + STORED + STORED);
  await client.send("get wide/open\r\nget wide/open\r\nflush_all\r\n");
  await client.expect(`${value("wide", "a")}${value("wide", "b")}SERVER_ERROR flush_all is disabled\r\n`);
  await client.send("set q 0 0 101\r\n");
  await client.expectLine(/^CLIENT_ERROR object too large/);
  await client.expectClose();
});

t.test("a queue without a journal forgets, the others do not", async (t) => {
  t.testdir();
  const queues = new Map([["memory", { keepJournal: false }]]);
  const { server, port } = await start(t, { queues });
  const client = await RawClient.connect(port);
  await client.send(set("memory", "a") + set("q", "a"));
  await client.expect(STORED + STORED);
  client.destroy();
  await server.stop();
  const again = await RawClient.connect((await start(t, { queues })).port);
  await again.send("get memory\r\nget q\r\n");
  await again.expect(END + value("q", "a"));
  again.destroy();
});

t.test("a server with its port off listens nowhere, and stops", async (t) => {
  t.testdir();
  const { server } = await start(t, { ports: { memcache: null } });
  t.same(server.ports, { memcache: null, listeners: [] });
  await server.stop();
});

t.test("two hundred clients that leave in their waits leave nothing behind", async (t) => {
  t.testdir();
  const { server, port } = await start(t);
  const clients = await Promise.all(Array.from({ length: 200 }, () => RawClient.connect(port)));
  for (const client of clients) client.push("get q/t=3599000\r\n");
  await until("the waits", async () => (await statsOf(port)).get("queue_q_waiters") === "200");
  for (const client of clients) client.destroy();
  await until("no waits", async () => (await statsOf(port)).get("queue_q_waiters") === "0");
  await within(server.stop(), "the stop");
});
