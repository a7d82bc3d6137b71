import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import t from "tap";
import { RawClient } from "../helpers/raw-client.js";
import { within } from "../helpers/within.js";

/** A build may be part of the start. */
const START_MS = 60_000;

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** npm leads a group of its own, so that nothing of it outlives a failed test. */
function npmStart(args: readonly string[]): ChildProcess {
  return spawn("npm", ["start", "--silent", "--", ...args], {
    cwd: root,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // All of it has ended already, which is the rule.
  }
}

t.test("npm start builds and serves, passes its arguments on and hands a signal through", async (t) => {
  const npm = npmStart(["--memcache", "0", "--journal", t.testdir(), "--ready-json", "--log-level", "warn"]);
  t.teardown(() => killGroup(npm));
  const ended = once(npm, "exit");
  const lines = createInterface({ input: npm.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();

  const { value } = await within(lines.next(), "the ready line", START_MS);
  const ready = JSON.parse(String(value)) as { readonly ready: boolean; readonly memcache: number };
  t.match(ready, { ready: true, memcache: Number });
  const client = await RawClient.connect(ready.memcache);
  await client.send("set q 0 0 2\r\nhi\r\nget q\r\n");
  await client.expect("STORED\r\nVALUE q 0 2\r\nhi\r\nEND\r\n");

  npm.kill("SIGTERM");
  await client.expectClose();
  t.same(await within(ended, "the end of npm start"), [0, null]);
  await t.rejects(RawClient.connect(ready.memcache), { code: "ECONNREFUSED" }, "nothing is left that listens");
});
