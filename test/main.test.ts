import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { RawClient } from "./helpers/raw-client.js";
import { startScriptedServer } from "./helpers/scripted-server.js";
import { within } from "./helpers/within.js";

const MAIN = fileURLToPath(new URL("../src/main.js", import.meta.url));

interface Process {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly exit: Promise<number | null>;
  stdout: string;
  stderr: string;
}

/** The program as a user starts it: a process with pipes. */
function start(t: Test, ...words: string[]): Process {
  const child = spawn(process.execPath, [MAIN, ...words], { stdio: "pipe" });
  t.teardown(() => child.kill("SIGKILL"));
  const exit = once(child, "close").then(([code]) => code as number | null);
  const process_: Process = { child, exit, stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    process_.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    process_.stderr += chunk;
  });
  return process_;
}

async function serve(t: Test, ...words: string[]): Promise<Process & { readonly port: number }> {
  const server = start(
    t,
    "serve",
    "--memcache",
    "0",
    "--journal",
    join(t.testdir(), "journal"),
    "--ready-json",
    ...words,
  );
  await within(once(server.child.stdout, "data"), "the ready line");
  const { memcache } = JSON.parse(server.stdout) as { memcache: number };
  return Object.assign(server, { port: memcache });
}

t.test(
  "serve prints exactly one line on stdout when it serves, and ends cleanly with SIGINT as with SIGTERM",
  async (t) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      const server = await serve(t);
      server.child.kill(signal);
      t.equal(await within(server.exit, `the end after ${signal}`), 0);
      t.equal(server.stdout, `{"ready":true,"memcache":${server.port}}\n`);
    }
  },
);

t.test("`shutdown` from a client is a clean end too", async (t) => {
  const server = await serve(t);
  const client = await RawClient.connect(server.port);
  await client.send("shutdown\r\n");
  t.equal(await within(server.exit, "the end after shutdown"), 0);
  client.destroy();
});

t.test("a second signal ends it at once", async (t) => {
  const server = await serve(t);
  // A client that does not read keeps the server waiting for its grace time.
  const client = await RawClient.connect(server.port);
  const item = Buffer.alloc(30_000_000);
  await client.send("set q 0 0 30000000\r\n");
  await client.send(item);
  await client.send("\r\n");
  await client.expect("STORED\r\n");
  client.pause();
  await client.send("get q\r\n");
  const other = await RawClient.connect(server.port);
  await other.untilStat("q", "items", 0);
  other.destroy();
  server.child.kill("SIGTERM");
  while (!server.stderr.includes('"msg":"stopping"')) await within(once(server.child.stderr, "data"), "the stop");
  server.child.kill("SIGTERM");
  t.equal(await within(server.exit, "the end after the second signal", 4000), 1);
  t.match(server.stderr, /^windhover: interrupted again, ending at once$/m);
  client.destroy();
});

t.test("serve goes on when nobody reads the ready line", async (t) => {
  const server = start(t, "serve", "--memcache", "0", "--journal", join(t.testdir(), "journal"), "--ready-json");
  server.child.stdout.destroy();
  while (!server.stderr.includes("nobody reads")) await within(once(server.child.stderr, "data"), "the log line");
  const port = Number(/"memcache":(\d+)/.exec(server.stderr)?.[1]);
  const client = await RawClient.connect(port);
  await client.send("version\r\n");
  await client.expectLine(/^VERSION/);
  client.destroy();
  server.child.kill("SIGTERM");
  t.equal(await within(server.exit, "the end"), 0);
});

t.test("a reader that goes away is a failure with one line, and no stack", async (t) => {
  const lines = Array.from({ length: 100_000 }, (_, n) => `STAT figure_${n} ${n}\r\n`).join("");
  let answer = (): void => {};
  const server = await startScriptedServer(t, ({ socket }) => {
    answer = () => void socket.write(`${lines}END\r\n`);
    asked();
    return null;
  });
  let asked = (): void => {};
  const wasAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const stats = start(t, "stats", "--port", String(server.port));
  await within(wasAsked, "the request");
  stats.child.stdout.destroy();
  answer();
  t.equal(await within(stats.exit, "the end"), 1);
  t.equal(stats.stderr, "windhover: standard output is closed\n");
});

t.test("put reads standard input, and get --follow ends cleanly with SIGINT", async (t) => {
  const server = await serve(t);
  const following = start(t, "get", "q", "--follow", "--port", String(server.port));
  const put = start(t, "put", "q", "--lines", "--port", String(server.port));
  put.child.stdin.end("1\n2\n");
  t.equal(await within(put.exit, "the end of put"), 0);
  while (following.stdout !== "1\n2\n") await within(once(following.child.stdout, "data"), "the items");
  following.child.kill("SIGINT");
  t.equal(await within(following.exit, "the end of get"), 0);
  t.equal(following.stderr, "");
  server.child.kill("SIGTERM");
  t.equal(await within(server.exit, "the end of the server"), 0);
});

t.test("put that is refused does not wait for the end of its standard input", async (t) => {
  const put = start(t, "put", "q", "--lines", "--port", "1");
  put.child.stdin.write("1\n");
  t.equal(await within(put.exit, "the end of put"), 1);
  t.match(put.stderr, /^windhover: cannot reach 127\.0\.0\.1:1: .*\(0 items were stored\)\n$/);
});
