import assert from "node:assert/strict";
import { cp, mkdtemp, rm, stat, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { logFiles } from "../helpers/files.js";
import { RawClient } from "../helpers/raw-client.js";
import { TestServer } from "../helpers/start-server.js";
import { drama } from "../helpers/transcript.js";
import { END, STORED, set, value } from "../helpers/wire.js";

/** These take minutes each. */
const LONG = { timeoutMs: 15 * 60_000 };

t.setTimeout(60 * 60_000);

const ITEMS = ["first", "second", "third"];

drama(
  "G122 a log cut at any of its bytes: all whole items before the cut are served, and writes go on",
  LONG,
  async ({ open, queue, server }) => {
    const client = await open();
    for (const data of ITEMS) {
      await client.send(set(queue, data));
      await client.expect(STORED);
    }
    client.destroy();
    await server.kill9();
    const { size } = await stat((await logFiles(server.journalDir)).at(-1) as string);
    let least = 0;
    for (let length = 0; length <= size; length += 1) {
      const items = await itemsAfterCut(server.journalDir, queue, length);
      assert.ok(items >= least, `${items} items with ${length} bytes of log, ${least} with one less`);
      least = items;
    }
    assert.equal(least, ITEMS.length);
  },
);

async function itemsAfterCut(journalDir: string, queue: string, length: number): Promise<number> {
  const home = await mkdtemp(join(tmpdir(), "windhover-test-"));
  const copy = join(home, "copy");
  await cp(journalDir, copy, { recursive: true });
  await truncate((await logFiles(copy)).at(-1) as string, length);
  const server = await TestServer.start({ journalDir: copy });
  try {
    return await countItems(server, queue);
  } finally {
    await server.dispose();
    await rm(home, { recursive: true });
  }
}

async function countItems(server: TestServer, queue: string): Promise<number> {
  const client = await RawClient.connect(server.port);
  const items = (await client.stat(queue, "items")) ?? 0;
  await client.send(`${set(queue, "new")}${`get ${queue}\r\n`.repeat(items + 2)}`);
  await client.expect(STORED + [...ITEMS.slice(0, items), "new"].map((data) => value(queue, data)).join("") + END);
  client.destroy();
  return items;
}
