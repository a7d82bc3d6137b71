import { once } from "node:events";
import { createServer } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import t, { type Test } from "tap";
import { Connection, type Request } from "../../src/client/connection.js";
import { SystemClock } from "../../src/clock.js";
import { type Script, type ScriptedServer, startScriptedServer, valueAnswer } from "../helpers/scripted-server.js";

function get(key: string, more: Partial<Request> = {}): Request {
  return { write: (out) => out.appendLatin1(`get ${key}\r\n`), timeoutMs: 5000, ...more };
}

function connectTo(t: Test, port: number): Connection {
  const connection = new Connection({ host: "127.0.0.1", port }, { connectTimeoutMs: 5000, clock: new SystemClock() });
  t.teardown(() => connection.destroy());
  return connection;
}

async function start(t: Test, script: Script): Promise<{ server: ScriptedServer; connection: Connection }> {
  const server = await startScriptedServer(t, script);
  return { server, connection: connectTo(t, server.port) };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

t.test("requests that were made before the connection stood are answered in order", async (t) => {
  const { server, connection } = await start(t, ({ line }) => `VERSION ${line}\r\n`);
  const answers = await Promise.all(["a", "b", "c"].map((key) => connection.request(get(key))));
  t.same(
    answers,
    ["a", "b", "c"].map((key) => ({ kind: "line", text: `VERSION get ${key}` })),
  );
  t.same(server.lines, ["get a", "get b", "get c"]);
});

t.test("answers that come in pieces and together are given to their requests", async (t) => {
  const whole = Buffer.concat([
    valueAnswer("a", Buffer.from("END\r\n")),
    Buffer.from("END\r\n"),
    valueAnswer("c", Buffer.from("3")),
  ]);
  const { connection } = await start(t, ({ line, socket }) => {
    if (line !== "get c") return null;
    for (const byte of whole) socket.write(Buffer.from([byte]));
    return null;
  });
  const answers = await Promise.all(["a", "b", "c"].map((key) => connection.request(get(key))));
  const items = answers.map((answer) =>
    answer.kind === "end" ? answer.items.map(({ data }) => data.toString()) : answer,
  );
  t.same(items, [["END\r\n"], [], ["3"]]);
});

t.test("large data is sent whole", async (t) => {
  const data = Buffer.alloc(3_000_000, "x");
  let received: Buffer = Buffer.alloc(0);
  const { connection } = await start(t, (request) => {
    received = request.data;
    return "STORED\r\n";
  });
  const write: Request["write"] = (out) => {
    out.appendLatin1(`set q 0 0 ${data.length}\r\n`);
    out.append(data);
    out.appendLatin1("\r\n");
  };
  t.same(await connection.request({ write, timeoutMs: 5000 }), { kind: "line", text: "STORED" });
  t.ok(received.equals(data));
});

t.test("a server that is not there is down, and so is every request after it", async (t) => {
  const port = await freePort();
  const connection = connectTo(t, port);
  await t.rejects(connection.request(get("q")), { code: "WH_CLIENT_DOWN", message: `cannot reach 127.0.0.1:${port}` });
  t.notOk(connection.usable);
  await t.rejects(connection.request(get("q")), { code: "WH_CLIENT_DOWN" });
  await connection.end();
});

t.test("a server that hangs up is down for all requests that it left unanswered", async (t) => {
  const { connection } = await start(t, ({ line, socket }) => {
    if (line === "get c") socket.end("END\r\n");
    return null;
  });
  const [a, b, c] = await Promise.allSettled(["a", "b", "c"].map((key) => connection.request(get(key))));
  t.match(a, { status: "fulfilled", value: { kind: "end" } });
  t.match(b, { status: "rejected", reason: { code: "WH_CLIENT_DOWN" } });
  t.match(c, { status: "rejected", reason: { code: "WH_CLIENT_DOWN" } });
});

t.test("a server that resets the connection is down", async (t) => {
  const { connection } = await start(t, ({ socket }) => {
    socket.resetAndDestroy();
    return null;
  });
  await t.rejects(connection.request(get("q")), { code: "WH_CLIENT_DOWN", message: /^lost 127\.0\.0\.1/ });
});

t.test("a server that does not answer is late for the oldest request and down for the others", async (t) => {
  const { connection } = await start(t, () => null);
  const late = connection.request(get("a", { timeoutMs: 30 }));
  const behind = connection.request(get("b"));
  await t.rejects(late, { code: "WH_CLIENT_TIMEOUT", message: /did not answer within 30 ms/ });
  await t.rejects(behind, { code: "WH_CLIENT_DOWN" });
  t.notOk(connection.usable);
});

t.test("a request's time begins when its answer is the next one due", async (t) => {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { connection } = await start(t, ({ line, socket }) => {
    if (line === "get slow") void released.then(() => socket.write("END\r\nEND\r\n"));
    return null;
  });
  const slow = connection.request(get("slow", { timeoutMs: 5000 }));
  const quick = connection.request(get("quick", { timeoutMs: 20 }));
  setTimeout(release, 60);
  await slow;
  t.match(await quick, { kind: "end" });
});

t.test("what is no answer ends the connection", async (t) => {
  const { connection } = await start(t, () => "VALUE nonsense\r\n");
  await t.rejects(connection.request(get("q")), { code: "WH_CLIENT_PROTOCOL" });
  t.notOk(connection.usable);
});

t.test("an answer that nobody asked for ends the connection", async (t) => {
  const { connection } = await start(t, () => "END\r\nSTORED\r\n");
  await connection.request(get("q"));
  await connection.end();
  await t.rejects(connection.request(get("q")), { code: "WH_CLIENT_PROTOCOL", message: /not asked: STORED/ });
});

t.test("a request with a signal that is aborted already is not sent", async (t) => {
  const { server, connection } = await start(t, () => "END\r\n");
  await t.rejects(connection.request(get("a", { signal: AbortSignal.abort(new Error("enough")) })), {
    message: "enough",
  });
  await connection.request(get("b"));
  t.same(server.lines, ["get b"]);
});

t.test("an abort ends a wait by hanging up this side, so that the server takes no item for it", async (t) => {
  const abort = new AbortController();
  const { server, connection } = await start(t, ({ socket }) => {
    // As a Kestrel server does: a fetch ends with END when its client hangs up.
    socket.once("end", () => socket.write("END\r\n"));
    queueMicrotask(() => abort.abort(new Error("enough")));
    return null;
  });
  await t.rejects(connection.request(get("q/t=60000", { signal: abort.signal })), { message: "enough" });
  t.notOk(connection.usable);
  t.equal(server.sockets.length, 1);
});

t.test("an item that comes in spite of the abort is not lost", async (t) => {
  const abort = new AbortController();
  const { connection } = await start(t, ({ socket }) => {
    socket.once("end", () => socket.write(valueAnswer("q", Buffer.from("late"))));
    queueMicrotask(() => abort.abort(new Error("enough")));
    return null;
  });
  const answer = await connection.request(get("q/t=60000", { signal: abort.signal }));
  t.match(answer, { kind: "end", items: [{ data: Buffer.from("late") }] });
});

t.test("a server that does not react to an abort is left after a second", async (t) => {
  const abort = new AbortController();
  let heard = (): void => {};
  const asked = new Promise<void>((resolve) => {
    heard = resolve;
  });
  const silent = createServer({ allowHalfOpen: true }, (socket) => void socket.on("data", () => heard()));
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  t.teardown(() => silent.close());
  const address = silent.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const connection = connectTo(t, address.port);
  const waiting = connection.request(get("q/t=60000", { signal: abort.signal }));
  await asked;
  abort.abort(new Error("enough"));
  await t.rejects(waiting, { message: "enough" });
});

t.test("an abort while connecting gives up at once", async (t) => {
  const abort = new AbortController();
  const connection = connectTo(t, await freePort());
  const asked = connection.request(get("q", { signal: abort.signal }));
  abort.abort(new Error("enough"));
  await t.rejects(asked, { message: "enough" });
});

t.test("an answered request does not listen to its signal any more", async (t) => {
  const abort = new AbortController();
  const { connection } = await start(t, () => "END\r\n");
  await Promise.all(Array.from({ length: 50 }, () => connection.request(get("q", { signal: abort.signal }))));
  abort.abort();
  t.ok(connection.usable);
});

t.test("end lets what was asked be answered, and then closes", async (t) => {
  const { server, connection } = await start(t, () => "END\r\n");
  await connection.request(get("a"));
  const asked = connection.request(get("b"));
  const ended = connection.end();
  t.match(await asked, { kind: "end" });
  await ended;
  t.same(server.lines, ["get a", "get b"]);
  await t.rejects(connection.request(get("c")), { code: "WH_CLIENT_DOWN" });
  await connection.end();
});

t.test("end before anything was asked gives the connection up", async (t) => {
  const { connection } = await start(t, () => "END\r\n");
  await connection.end();
  t.notOk(connection.usable);
});

t.test("destroy fails what is pending, and what was asked before it has left", async (t) => {
  const { server, connection } = await start(t, ({ line }) => (line === "get a" ? "END\r\n" : null));
  await connection.request(get("a"));
  const pending = connection.request(get("b"));
  await nextTurn();
  connection.destroy();
  await t.rejects(pending, { code: "WH_CLIENT_DOWN", message: /^closed the connection to/ });
  const [socket] = server.sockets;
  if (socket !== undefined && !socket.closed) await once(socket, "close");
  t.same(server.lines, ["get a", "get b"]);
});
