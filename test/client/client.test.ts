import t, { type Test } from "tap";
import { Client, type ClientOptions } from "../../src/client/client.js";
import { SystemClock, type Timer } from "../../src/clock.js";
import {
  type Script,
  type ScriptedServer,
  startScriptedServer,
  tinyQueues,
  valueAnswer,
} from "../helpers/scripted-server.js";

async function start(
  t: Test,
  script: Script,
  options: ClientOptions = {},
): Promise<{ server: ScriptedServer; client: Client }> {
  const server = await startScriptedServer(t, script);
  const client = new Client({ port: server.port, ...options });
  t.teardown(() => client.close());
  return { server, client };
}

t.test("what is put is got, whatever its bytes", async (t) => {
  const { client } = await start(t, tinyQueues());
  const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  await client.put("jobs", everyByte);
  await client.put("jobs", "zwölf");
  await client.put("jobs", "");
  t.ok((await client.get("jobs"))?.data.equals(everyByte));
  t.same(await client.get("jobs"), { data: Buffer.from("zwölf"), flags: 0 });
  t.same(await client.get("jobs"), { data: Buffer.alloc(0), flags: 0 }, "an item of no bytes is not nothing");
  t.equal(await client.get("jobs"), null);
});

t.test("each call is one line of the protocol", async (t) => {
  const { server, client } = await start(t, ({ line }) => {
    if (line.startsWith("delete")) return "DELETED\r\n";
    return line === "version" ? "VERSION 2.4.7\r\n" : "END\r\n";
  });
  await client.get("jobs");
  await client.get("jobs", { waitMs: 250 });
  await client.peek("jobs");
  await client.peek("jobs", { waitMs: 10 });
  await client.open("jobs", { waitMs: 1 });
  await client.delete("jobs");
  await client.flush("jobs");
  t.equal(await client.version(), "2.4.7");
  t.same(server.lines, [
    "get jobs",
    "get jobs/t=250",
    "get jobs/peek",
    "get jobs/t=10/peek",
    "get jobs/t=1/open",
    "delete jobs",
    "flush jobs",
    "version",
  ]);
  t.equal(server.sockets.length, 1, "over one connection");
});

t.test("a queue's name travels as UTF-8", async (t) => {
  const { server, client } = await start(t, tinyQueues());
  await client.put("größe", "1");
  t.equal(server.lines[0], `set ${Buffer.from("größe").toString("latin1")} 0 0 1`);
  t.match(await client.get("größe"), { data: Buffer.from("1") });
});

t.test("a name that would not stay a name is not sent", async (t) => {
  const { server, client } = await start(t, tinyQueues());
  for (const name of ["", "a b", "a\r\nflush_all", "jobs/close", "a\0", "\x7f"]) {
    await t.rejects(client.put(name, "1"), { code: "WH_USAGE" });
    await t.rejects(client.get(name), { code: "WH_USAGE" });
    await t.rejects(client.open(name), { code: "WH_USAGE" });
  }
  t.equal(await client.get("jobs"), null);
  t.same(server.lines, ["get jobs"]);
});

t.test("statistics come by name, in the server's order", async (t) => {
  const name = Buffer.from("größe").toString("latin1");
  const { client } = await start(t, () =>
    Buffer.from(`STAT uptime 5\r\nSTAT queue_${name}_items 12\r\nEND\r\n`, "latin1"),
  );
  t.same(
    [...(await client.stats())],
    [
      ["uptime", "5"],
      ["queue_größe_items", "12"],
    ],
  );
});

t.test("empty is null and down is an error (case K171)", async (t) => {
  const { server, client } = await start(t, ({ line, socket }) => {
    if (line === "get b") socket.destroy();
    return "END\r\n";
  });
  t.equal(await client.get("a"), null);
  await t.rejects(client.get("b"), { code: "WH_CLIENT_DOWN" });
  t.equal(await client.get("c"), null, "the next call connects again");
  t.equal(server.sockets.length, 2);
});

t.test("refusals say what the server said", async (t) => {
  const { client } = await start(t, ({ line }) => {
    if (line.startsWith("set full")) return "NOT_STORED\r\n";
    return line.startsWith("set") ? "SERVER_ERROR writes are blocked\r\n" : "CLIENT_ERROR illegal name\r\n";
  });
  await t.rejects(client.put("full", "1"), { code: "WH_SERVER_REFUSED", message: /full or the item too large/ });
  await t.rejects(client.put("jobs", "1"), { code: "WH_SERVER_REFUSED", message: /SERVER_ERROR writes are blocked/ });
  await t.rejects(client.get("a.b"), { code: "WH_SERVER_REFUSED", message: /CLIENT_ERROR illegal name/ });
});

t.test("an answer of the wrong kind means that the server speaks something else", async (t) => {
  const { server, client } = await start(t, ({ line }) => (line.startsWith("set") ? "END\r\n" : "STORED\r\n"));
  const wrong = { code: "WH_CLIENT_PROTOCOL" };
  await t.rejects(client.put("q", "1"), wrong);
  await t.rejects(client.get("q"), wrong);
  await t.rejects(client.peek("q"), wrong);
  await t.rejects(client.open("q"), wrong);
  await t.rejects(client.delete("q"), wrong);
  await t.rejects(client.flush("q"), wrong);
  await t.rejects(client.stats(), wrong);
  await t.rejects(client.version(), wrong);
  t.equal(server.sockets.length, 8, "no connection is used on after that");
});

t.test("the read timeout of a waiting fetch is its wait and the margin", async (t) => {
  const delays: number[] = [];
  class RecordingClock extends SystemClock {
    override after(delayMs: number, fire: () => void): Timer {
      delays.push(delayMs);
      return super.after(delayMs, fire);
    }
  }
  const { client } = await start(t, () => "END\r\n", {
    clock: new RecordingClock(),
    timeoutMs: 300,
    connectTimeoutMs: 200,
  });
  await client.get("q", { waitMs: 1000 });
  await client.get("q", { waitMs: 1000, timeoutMs: 50 });
  await client.get("q");
  t.same(delays, [200, 1300, 1050, 300]);
});

t.test("a server that does not answer is late", async (t) => {
  const { client } = await start(t, () => null, { timeoutMs: 20 });
  await t.rejects(client.get("q", { waitMs: 10 }), { code: "WH_CLIENT_TIMEOUT" });
});

t.test("any call ends early by its signal", async (t) => {
  const { client } = await start(t, () => null);
  const calls: readonly ((signal: AbortSignal) => Promise<unknown>)[] = [
    (signal) => client.get("q", { waitMs: 60_000, signal }),
    (signal) => client.put("q", "1", { signal }),
    (signal) => client.stats({ signal }),
  ];
  for (const call of calls) {
    const abort = new AbortController();
    const called: Promise<unknown> = call(abort.signal);
    abort.abort(new Error("enough"));
    await t.rejects(called, { message: "enough" });
  }
});

t.test("an open read is confirmed or given back where it was opened", async (t) => {
  const { server, client } = await start(t, ({ line }) =>
    line.endsWith("/open") ? valueAnswer("q", Buffer.from("job")) : "END\r\n",
  );
  const first = await client.open("q");
  t.same(first, { queue: "q", data: Buffer.from("job"), flags: 0 });
  if (first === null) return;
  await client.confirm(first);
  await t.rejects(client.confirm(first), { code: "WH_USAGE" }, "only once");
  const second = await client.open("q");
  if (second === null) return;
  await client.abort(second);
  t.same(server.lines, ["get q/open", "get q/close", "get q/open", "get q/abort"]);
});

t.test("one read of a queue is open at a time, and queues do not mind each other", async (t) => {
  const { client } = await start(t, ({ line }) =>
    line.endsWith("/open") ? valueAnswer("q", Buffer.from("job")) : "END\r\n",
  );
  const opening = client.open("a");
  await t.rejects(client.open("a"), { code: "WH_USAGE" }, "while it is being opened");
  const read = await opening;
  await t.rejects(client.open("a"), { code: "WH_USAGE" }, "while it is open");
  t.ok(await client.open("b"));
  if (read !== null) await client.confirm(read);
  t.ok(await client.open("a"));
});

t.test("a fetch that found nothing or failed leaves nothing open", async (t) => {
  const { client } = await start(t, tinyQueues());
  t.equal(await client.open("q"), null);
  t.equal(await client.open("q"), null);
  await t.rejects(client.open("q", { signal: AbortSignal.abort(new Error("enough")) }), { message: "enough" });
  t.equal(await client.open("q"), null);
});

t.test("a read whose connection is gone cannot be confirmed over another one (case B70)", async (t) => {
  const { server, client } = await start(t, ({ line, socket }) => {
    if (line === "get other") socket.destroy();
    return line.endsWith("/open") ? valueAnswer("q", Buffer.from("job")) : "END\r\n";
  });
  const read = await client.open("q");
  await t.rejects(client.get("other"), { code: "WH_CLIENT_DOWN" });
  await client.get("again");
  if (read !== null) await t.rejects(client.confirm(read), { code: "WH_CLIENT_DOWN" });
  t.notOk(server.lines.includes("get q/close"));
  t.ok(await client.open("q"), "and the queue is free for a new one");
});

t.test("an open read that comes in spite of an abort is not handed out, since it goes back", async (t) => {
  const abort = new AbortController();
  const { client } = await start(t, ({ socket }) => {
    socket.once("end", () => socket.write(valueAnswer("q", Buffer.from("late"))));
    queueMicrotask(() => abort.abort(new Error("enough")));
    return null;
  });
  await t.rejects(client.open("q", { waitMs: 60_000, signal: abort.signal }), { message: "enough" });
});

t.test("a client may be closed twice, unused, and used again", async (t) => {
  const { server, client } = await start(t, tinyQueues());
  await client.close();
  t.equal(await client.get("q"), null);
  await Promise.all([client.close(), client.close()]);
  t.equal(await client.get("q"), null);
  t.equal(server.sockets.length, 2);
});

t.test("hundreds of calls share a signal without a warning", async (t) => {
  const { client } = await start(t, tinyQueues());
  const warnings: Error[] = [];
  const warn = (warning: Error): void => void warnings.push(warning);
  process.on("warning", warn);
  t.teardown(() => process.off("warning", warn));
  const { signal } = new AbortController();
  await Promise.all(Array.from({ length: 300 }, (_, n) => client.put("q", String(n), { signal })));
  await new Promise((resolve) => setImmediate(resolve));
  t.same(warnings, []);
  t.match(await client.get("q"), { data: Buffer.from("0") });
});
