import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, rm, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { limitFileSize, mountSmallDisk, unmountSmallDisk } from "../helpers/files.js";
import type { RawClient } from "../helpers/raw-client.js";
import type { ServerOptions, TestServer } from "../helpers/start-server.js";
import { drama, playOn, type Stage } from "../helpers/transcript.js";
import { END, SERVER_ERROR, STORED, set, value } from "../helpers/wire.js";
import { until } from "../helpers/within.js";

const MB = 1e6;
const NO_RESERVE = "[server]\nmin_free_space = 0\n";

drama(
  "G120 a set that did not reach the journal is an error, and is not in the queue",
  { bare: true },
  async ({ open, queue, server }) => {
    const client = await open();
    await client.send(`${set(queue, "a")}${set(queue, "b")}${set(queue, "c")}get ${queue}/open\r\n`);
    await client.expect(STORED.repeat(3) + value(queue, "a"));
    await limitFileSize(server.pid, 10_000);
    assert.match(await putOnce(open, queue, "x".repeat(100_000)), SERVER_ERROR);
    assert.equal(await client.stat(queue, "items"), 2);
    await client.send(`get ${queue}/close/open\r\nget ${queue}/abort\r\nget ${queue}\r\n`);
    await client.expect(value(queue, "b") + END + value(queue, "b"));
    await server.logged(/"level":50/);

    await limitFileSize(server.pid, "unlimited");
    await untilStored(open, queue, "d");
    await client.send(`get ${queue}/peek\r\n`);
    await client.expect(value(queue, "c"));
    await server.kill9();
    await server.restart();
    await expectAll(await open(), queue, ["c", "d"]);
  },
);

drama(
  "G120 puts that are tried again after an error are there after kill -9, all of them",
  { bare: true },
  async ({ open, queue, server }) => {
    await untilStored(open, queue, "0");
    await limitFileSize(server.pid, 10_000);
    assert.match(await putOnce(open, queue, "x".repeat(100_000)), SERVER_ERROR);
    await limitFileSize(server.pid, "unlimited");
    for (let n = 1; n <= 10; n += 1) await untilStored(open, queue, `${n}`);
    await server.kill9();
    await server.restart();
    await expectAll(
      await open(),
      queue,
      Array.from({ length: 11 }, (_, n) => `${n}`),
    );
  },
);

onSmallDisk(
  "G121 on a disk below min_free_space sets are refused, and the rest is served",
  32 * MB,
  { bare: true },
  async ({ open, queue, server }) => {
    assert.match(await putOnce(open, queue, "a"), SERVER_ERROR);
    const client = await open();
    await client.send(`get ${queue}\r\nget ${queue}/close\r\nversion\r\n`);
    await client.expect(END + END);
    await client.expectLine(/^VERSION/);
    await server.restart();
    assert.match(await putOnce(open, queue, "a"), SERVER_ERROR);
  },
);

onSmallDisk(
  "G121 a full disk refuses sets, serves gets, and starts again",
  16 * MB,
  { config: NO_RESERVE },
  async (stage) => {
    const { open, queue, server } = stage;
    const stored = await putUntilRefused(stage);
    assert.ok(stored > 10, `${stored} items on a disk of 16 MB`);
    const client = await open();
    await client.send(`get ${queue}/open\r\n`);
    await client.expect(value(queue, numbered(0)));
    await client.send(`get ${queue}/close\r\nget ${queue}\r\n`);
    await client.expect(END + value(queue, numbered(1)));
    await server.kill9();
    await restartOrExit(server);
  },
);

onSmallDisk(
  "L8 after a full disk has space again, what is STORED is there after kill -9",
  16 * MB,
  { config: NO_RESERVE },
  async (stage) => {
    const { open, queue, server } = stage;
    const filler = join(server.journalDir, "..", "filler");
    await untilStored(open, queue, "first");
    await writeFile(filler, Buffer.alloc(16 * MB)).catch(() => {});
    while (!SERVER_ERROR.test(await putOnce(open, `${queue}x`, "x".repeat(100_000))));
    await unlink(filler);
    for (let n = 0; n < 10; n += 1) await untilStored(open, queue, `${n}`);
    await server.kill9();
    await server.restart();
    await expectAll(await open(), queue, ["first", ...Array.from({ length: 10 }, (_, n) => `${n}`)]);
  },
);

// A drama on a journal that is alone on a small disk; left out where the tests may not mount one.
function onSmallDisk(
  title: string,
  bytes: number,
  options: ServerOptions,
  play: (stage: Stage) => Promise<void>,
): void {
  void t.test(title, async (test) => {
    const disk = await mkdtemp(join(tmpdir(), "windhover-disk-"));
    test.teardown(() => rm(disk, { recursive: true }));
    if (!(await mountSmallDisk(disk, bytes)))
      return void test.pass("no small disk can be mounted here", { skip: true });
    try {
      await playOn({ ...options, journalDir: join(disk, "journal") }, play);
      test.pass("it went as written");
    } finally {
      await unmountSmallDisk(disk);
    }
  });
}

// One set on a connection of its own, since an error may end it.
async function putOnce(open: Stage["open"], queue: string, data: string): Promise<string> {
  const client = await open();
  await client.send(set(queue, data));
  const answer = await client.line();
  client.destroy();
  return answer;
}

async function untilStored(open: Stage["open"], queue: string, data: string): Promise<void> {
  await until(`${JSON.stringify(data)} being stored`, async () => (await putOnce(open, queue, data)) === STORED);
}

// How many items went in.
async function putUntilRefused({ open, queue }: Stage): Promise<number> {
  for (let n = 0; n < 1000; n += 1) {
    const answer = await putOnce(open, queue, numbered(n));
    if (answer !== STORED) {
      assert.match(answer, SERVER_ERROR);
      return n;
    }
  }
  throw new Error("the disk did not fill");
}

// A start on a full disk serves or fails, and does neither half.
async function restartOrExit(server: TestServer): Promise<void> {
  const outcome = await server.restart().then(
    () => "serves",
    (error: Error) => error.message,
  );
  assert.match(outcome, /^serves$|the server ended before it served, \{"code":[13]/);
}

// Bytes that LevelDB cannot make smaller.
function numbered(n: number): string {
  return createHash("shake256", { outputLength: 100_000 }).update(`${n}`).digest("binary");
}

async function expectAll(client: RawClient, queue: string, items: readonly string[]): Promise<void> {
  await client.send(`get ${queue}\r\n`.repeat(items.length + 1));
  await client.expect(items.map((data) => value(queue, data)).join("") + END);
}
