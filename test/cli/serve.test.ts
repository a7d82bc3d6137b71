import { once } from "node:events";
import { createServer } from "node:net";
import t, { type Test } from "tap";
import { type FailedStart, type ServerOptions, TestServer } from "../helpers/start-server.js";

async function failing(t: Test, options: ServerOptions): Promise<FailedStart> {
  const ended = await TestServer.startFailing(options);
  t.equal(ended.stdout, "");
  t.equal(complaints(ended).length, 1, "one line of complaint");
  return ended;
}

function complaints({ stderr }: FailedStart): string[] {
  return stderr.split("\n").filter((line) => line.startsWith("windhover: "));
}

t.test("SIGTERM is a clean end, and the log on stderr tells the start and the stop", async (t) => {
  const server = await TestServer.start();
  t.teardown(() => server.dispose());
  await server.logged(new RegExp(`"memcache":${server.port}.*"msg":"serving"`));
  const { stderr } = server;
  await server.stop();
  t.match(stderr[stderr.length - 1], /"msg":"stopped"/);
});

t.test("--log-level silences the log", async (t) => {
  const server = await TestServer.start({ args: ["--log-level", "silent"] });
  t.teardown(() => server.dispose());
  const { stderr } = server;
  await server.stop();
  t.same(stderr, []);
});

t.test("a configuration that is wrong is exit code 2 and one line", async (t) => {
  const ended = await failing(t, { config: "[server]\nmemcach = 1\n" });
  t.equal(ended.code, 2);
  t.match(ended.stderr, /^windhover: .*windhover\.toml: server\.memcach: unknown; did you mean memcache\?$/m);
  const illegal = await failing(t, { config: '[queue."a.b"]\nmax_items = 1\n' });
  t.equal(illegal.code, 2);
  t.match(illegal.stderr, /^windhover: .*a\.b/m);
});

t.test("a flag is stronger than the file", async (t) => {
  const server = await TestServer.start({ config: "[server]\nmemcache = 1\n" });
  t.teardown(() => server.dispose());
  t.ok(server.port > 1);
});

t.test("a journal that another server has is exit code 3, and the line names it (case G138)", async (t) => {
  const first = await TestServer.start();
  t.teardown(() => first.dispose());
  const ended = await failing(t, { journalDir: first.journalDir });
  t.equal(ended.code, 3);
  t.match(ended.stderr, /^windhover: .*locked/m);
  t.ok(ended.stderr.includes(first.journalDir));
});

t.test("a journal that cannot be read is exit code 3", async (t) => {
  const journalDir = t.testdir({ journal: "a file, not a directory" });
  const ended = await failing(t, { journalDir: `${journalDir}/journal` });
  t.equal(ended.code, 3);
  t.match(ended.stderr, /^windhover: .*journal/m);
});

t.test("a port that is taken is exit code 1, and the line names it", async (t) => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  t.teardown(() => other.close());
  const address = other.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  const ended = await failing(t, { args: ["--memcache", String(port)] });
  t.equal(ended.code, 1);
  t.match(ended.stderr, new RegExp(`^windhover: .*${port}`, "m"));
});
