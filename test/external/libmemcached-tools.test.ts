import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Stage } from "../helpers/transcript.js";
import { body, value } from "../helpers/wire.js";
import { timed } from "../helpers/within.js";
import { ANY_BYTES } from "./client.js";
import { putByAnother } from "./client-cases.js";
import { missingPackage, transcriptUnless } from "./debian.js";

interface Outcome {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** How long a tool may run. */
const TOOL_MS = 20_000;

/** memccat ends what it prints with a line feed of its own. */
const LF = Buffer.from("\n");

/** Runs one of the tools against the server. None of them asks for more than its arguments. */
function tool({ server }: Stage, name: string, ...words: readonly string[]): Promise<Outcome> {
  const args = [`--servers=127.0.0.1:${server.port}`, ...words];
  return new Promise((resolve) => {
    const options = { encoding: "buffer", timeout: TOOL_MS, killSignal: "SIGKILL" } as const;
    const child = execFile(name, args, options, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode, stdout, stderr: stderr.toString() });
    });
  });
}

/** Runs a tool that must succeed, and returns what it printed. */
async function succeeds(stage: Stage, name: string, ...words: readonly string[]): Promise<Buffer> {
  const { code, stdout, stderr } = await tool(stage, name, ...words);
  assert.equal(code, 0, `${name} ${words.join(" ")}: ${stderr}`);
  return stdout;
}

/** Runs a tool that must say that something is wrong, and returns what it said. */
async function fails(stage: Stage, name: string, ...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await tool(stage, name, ...words);
  assert.equal(code, 1, `${name} ${words.join(" ")}: ${stdout}`);
  assert.equal(stdout.length, 0);
  return stderr;
}

/** A directory for the files of a case. memccp takes the name of a file for the key. */
async function inDirectory(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "windhover-tools-"));
  try {
    await work(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Puts an item with memccp. */
function copy(stage: Stage, data: Buffer, ...words: readonly string[]): Promise<void> {
  return inDirectory(async (directory) => {
    const file = join(directory, stage.queue);
    await writeFile(file, data);
    await succeeds(stage, "memccp", ...words, file);
  });
}

const missing = await missingPackage("libmemcached-tools", ["memccat", "--version"]);

transcriptUnless(missing, "Debian's libmemcached-tools", (it) => {
  it("memccp puts files, memccat prints them in that order, then nothing", async (stage) => {
    for (const data of [ANY_BYTES, Buffer.from("two")]) await copy(stage, data);
    assert.deepEqual(await succeeds(stage, "memccat", stage.queue), Buffer.concat([ANY_BYTES, LF]));
    assert.deepEqual(await succeeds(stage, "memccat", stage.queue), Buffer.from("two\n"));
    await fails(stage, "memccat", stage.queue);
  });

  it("memccat --file writes an item byte for byte", async (stage) => {
    const data = body(500_000, 1);
    await copy(stage, data);
    await inDirectory(async (directory) => {
      const file = join(directory, "item");
      await succeeds(stage, "memccat", `--file=${file}`, stage.queue);
      assert.deepEqual(await readFile(file), data);
    });
  });

  it("memccat of several names fetches from one queue after the other", async (stage) => {
    const other = await stage.open();
    const second = `${stage.queue}second`;
    for (const data of ["a", "c"]) await copy(stage, Buffer.from(data));
    await putByAnother(other, second, Buffer.from("b"));
    const names = [stage.queue, second, stage.queue];
    assert.equal((await succeeds(stage, "memccat", ...names)).toString(), "a\nb\nc\n");
  });

  it("memccat waits for the time in the key, and prints what comes meanwhile", async (stage) => {
    const other = await stage.open();
    const { ms } = await timed(() => fails(stage, "memccat", `${stage.queue}/t=250`));
    assert.ok(ms >= 250 && ms < 5000, `it took ${ms} ms`);
    const printed = succeeds(stage, "memccat", `${stage.queue}/t=4000`);
    await other.untilStat(stage.queue, "waiters", 1);
    await putByAnother(other, stage.queue, Buffer.from("late"));
    assert.equal((await printed).toString(), "late\n");
  });

  it("a wait beyond the five seconds of libmemcached loses nothing", async (stage) => {
    const other = await stage.open();
    await fails(stage, "memccat", `${stage.queue}/t=20000`);
    await other.untilStat(stage.queue, "waiters", 0);
    await putByAnother(other, stage.queue, Buffer.from("kept"));
    await other.send(`get ${stage.queue}\r\n`);
    await other.expect(value(stage.queue, "kept"));
  });

  it("memccat of an open read prints the item and, as it ends, gives it back", async (stage) => {
    await copy(stage, Buffer.from("a"));
    for (const option of ["open", "open", "peek"]) {
      assert.equal((await succeeds(stage, "memccat", `${stage.queue}/${option}`)).toString(), "a\n");
    }
    assert.equal((await succeeds(stage, "memccat", stage.queue)).toString(), "a\n");
  });

  it("memccp with an expiry that is over puts an item that nobody gets", async (stage) => {
    await copy(stage, Buffer.from("a"), "--expire=-1");
    await fails(stage, "memccat", stage.queue);
  });

  it("memcping finds the server alive", async (stage) => {
    assert.equal((await succeeds(stage, "memcping")).toString(), "");
  });

  it("memcstat prints the figures of the server and of the queues", async (stage) => {
    await copy(stage, Buffer.from("a"));
    const figures = (await succeeds(stage, "memcstat")).toString();
    assert.match(figures, /^\s*curr_items: 1$/m);
    assert.match(figures, new RegExp(`^\\s*queue_${stage.queue}_items: 1$`, "m"));
    await succeeds(stage, "memcrm", stage.queue);
  });

  it("memcstat --server-version prints the server's version, on stderr", async (stage) => {
    const client = await stage.open();
    await client.send("version\r\n");
    const version = /\d+\.\d+\.\d+/.exec(await client.line())?.[0];
    const { code, stderr } = await tool(stage, "memcstat", "--server-version");
    assert.deepEqual([code, stderr.trim()], [0, `127.0.0.1:${stage.server.port} ${version}`]);
  });

  it("memcrm deletes a queue, whether it exists or not", async (stage) => {
    await copy(stage, Buffer.from("a"));
    for (let i = 0; i < 2; i++) await succeeds(stage, "memcrm", stage.queue);
    assert.equal(await (await stage.open()).stat(stage.queue, "items"), undefined);
  });

  it("memcflush empties the queues, but takes Kestrel's answer for a failure", async (stage) => {
    await copy(stage, Buffer.from("a"));
    assert.match(await fails(stage, "memcflush"), /Flushed all queues\./);
    assert.equal(await (await stage.open()).stat(stage.queue, "items"), 0);
  });

  it("memcexist, memctouch and memccp --add are refused, and nothing changes", async (stage) => {
    await copy(stage, Buffer.from("a"));
    assert.match(await fails(stage, "memcexist", stage.queue), /not supported/);
    await fails(stage, "memctouch", "--expire=5", stage.queue);
    await inDirectory(async (directory) => {
      const file = join(directory, stage.queue);
      await writeFile(file, "b");
      assert.match(await fails(stage, "memccp", "--add", file), /not supported/);
    });
    assert.equal((await succeeds(stage, "memccat", stage.queue)).toString(), "a\n");
    await fails(stage, "memccat", stage.queue);
  });

  it("a name that is none is refused with its reason", async (stage) => {
    await inDirectory(async (directory) => {
      const file = join(directory, "a.txt");
      await writeFile(file, "a");
      assert.match(await fails(stage, "memccp", file), /queue name/);
    });
  });

  it("A31 the binary protocol is refused at once, and the server's log says why", async (stage) => {
    await copy(stage, Buffer.from("a"));
    const { ms } = await timed(() => fails(stage, "memccat", "--binary", stage.queue));
    assert.ok(ms < 5000, `it took ${ms} ms`);
    await stage.server.logged(/binary protocol/);
    assert.equal((await succeeds(stage, "memccat", stage.queue)).toString(), "a\n");
  });
});
