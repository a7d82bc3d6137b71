import assert from "node:assert/strict";
import { appendFile, cp, mkdtemp, rm, stat, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Level } from "level";
import { logFiles } from "../helpers/files.js";
import { RawClient } from "../helpers/raw-client.js";
import { TestServer } from "../helpers/start-server.js";
import { drama } from "../helpers/transcript.js";
import { body, END, STORED, set, value } from "../helpers/wire.js";

const ITEMS = Array.from({ length: 6 }, (_, n) => `item ${n} ${"x".repeat(40)}`);

drama(
  "G122 a torn tail costs what was torn, all before it is served, and writes go on",
  {},
  async ({ open, queue, server }) => {
    await putOneByOne(await open(), queue);
    await server.kill9();
    let most = ITEMS.length;
    for (const cut of [1, 2, 7, 30, 100, 150, 300, 1_000_000]) {
      const items = await itemsAfter(server.journalDir, queue, (log) => cutBy(log, cut));
      assert.ok(items <= most, `${items} items after a cut of ${cut} bytes, ${most} after a smaller one`);
      most = items;
    }
    assert.equal(most, 0);
  },
);

drama("G124 a tail of zeros is a torn tail", {}, async ({ open, queue, server }) => {
  await putOneByOne(await open(), queue);
  await server.kill9();
  const whole = await itemsAfter(server.journalDir, queue, (log) => appendFile(log, Buffer.alloc(4096)));
  assert.equal(whole, ITEMS.length);
  const torn = await itemsAfter(server.journalDir, queue, async (log) => {
    await cutBy(log, 10);
    await appendFile(log, Buffer.alloc(4096));
  });
  assert.ok(torn === ITEMS.length - 1 || torn === ITEMS.length, `${torn} items`);
});

drama("G134 one damaged page costs its items and never wedges the queue", {}, async ({ open, queue, server }) => {
  const client = await open();
  for (let n = 0; n < 30; n += 1) {
    await client.send(set(queue, body(300_000, n)));
    await client.expect(STORED);
  }
  client.destroy();
  await server.stop();
  await damageOnePage(server.journalDir);
  await server.restart();
  const again = await open();
  const numbers: number[] = [];
  for (let number = await takeNumber(again, queue); number !== null; number = await takeNumber(again, queue))
    numbers.push(number);
  assert.ok(numbers.length >= 27 && numbers.length < 30, `${numbers.length} of 30 items`);
  assert.deepEqual(
    numbers,
    [...new Set(numbers)].sort((a, b) => a - b),
  );
  assert.equal(await again.stat(queue, "items"), 0);
  await again.send(`${set(queue, "new")}get ${queue}\r\n`);
  await again.expect(STORED + value(queue, "new"));
  await server.logged(/"level":50.*/);
});

drama(
  "G137 a journal of a format from the future is refused with 3, unless it says that we may read it",
  {},
  async ({ open, queue, server }) => {
    const client = await open();
    await client.send(set(queue, "a"));
    await client.expect(STORED);
    client.destroy();
    await server.stop();
    const original = await editFormat(server.journalDir, (record) => withFormat2(record, 2));
    const failed = await TestServer.startFailing({ journalDir: server.journalDir });
    assert.equal(failed.code, 3);
    assert.match(failed.stderr, /format|version/i);
    await editFormat(server.journalDir, () => withFormat2(original, 1));
    await server.restart();
    const again = await open();
    await again.send(`get ${queue}\r\n`);
    await again.expect(value(queue, "a"));
  },
);

drama("G137 a journal with a kind of record that is unknown is refused with 3", {}, async ({ server }) => {
  await server.stop();
  const level = await openLevel(server.journalDir);
  await level.put(Buffer.from("z|17"), Buffer.from("who knows"));
  await level.close();
  const failed = await TestServer.startFailing({ journalDir: server.journalDir });
  assert.equal(failed.code, 3);
});

drama("G137 a directory of something else is refused with 3 and left alone", {}, async ({ server }) => {
  const directory = await mkdtemp(join(tmpdir(), "windhover-test-"));
  const level = new Level<string, string>(join(directory, "other"));
  await level.put("somebody", "else's");
  await level.close();
  const failed = await TestServer.startFailing({ journalDir: join(directory, "other") });
  assert.equal(failed.code, 3);
  await level.open();
  assert.deepEqual(await level.iterator().all(), [["somebody", "else's"]]);
  await level.close();
  await rm(directory, { recursive: true });
  assert.ok(server.pid > 0);
});

// Each in a batch of its own.
async function putOneByOne(client: RawClient, queue: string): Promise<void> {
  for (const data of ITEMS) {
    await client.send(set(queue, data));
    await client.expect(STORED);
  }
  client.destroy();
}

// Starts a server on a copy whose log was damaged. It must serve the first so many items, whole and in order, and take more.
async function itemsAfter(journalDir: string, queue: string, damage: (log: string) => Promise<void>): Promise<number> {
  const home = await mkdtemp(join(tmpdir(), "windhover-test-"));
  const copy = join(home, "copy");
  await cp(journalDir, copy, { recursive: true });
  await damage((await logFiles(copy)).at(-1) as string);
  const server = await TestServer.start({ journalDir: copy, bare: true });
  try {
    return await countPrefix(server, queue);
  } finally {
    await server.dispose();
    await rm(home, { recursive: true });
  }
}

async function countPrefix(server: TestServer, queue: string): Promise<number> {
  const client = await RawClient.connect(server.port);
  const items = (await client.stat(queue, "items")) ?? 0;
  await client.send(`get ${queue}\r\n`.repeat(items + 1));
  await client.expect(
    ITEMS.slice(0, items)
      .map((data) => value(queue, data))
      .join("") + END,
  );
  await client.send(set(queue, "after"));
  await client.expect(STORED);
  await server.kill9();
  client.destroy();
  await server.restart();
  const again = await RawClient.connect(server.port);
  await again.send(`get ${queue}\r\n`);
  await again.expect(value(queue, "after"));
  again.destroy();
  return items;
}

async function cutBy(log: string, bytes: number): Promise<void> {
  const { size } = await stat(log);
  await truncate(log, Math.max(0, size - bytes));
}

// Turns one bit in the middle of the page in the middle.
async function damageOnePage(directory: string): Promise<void> {
  const level = await openLevel(directory);
  const pages = await level.keys({ gte: Buffer.from("p|"), lt: Buffer.from("p}") }).all();
  const key = pages[pages.length >> 1];
  assert.ok(key !== undefined && pages.length >= 10, `${pages.length} pages`);
  const page = Buffer.from((await level.get(key)) as Buffer);
  page[page.length >> 1] = (page[page.length >> 1] as number) ^ 1;
  await level.put(key, page);
  await level.close();
}

// Gives the old record back.
async function editFormat(directory: string, edit: (record: Buffer) => Buffer): Promise<Buffer> {
  const level = await openLevel(directory);
  const key = Buffer.from("m|format");
  const record = Buffer.from((await level.get(key)) as Buffer);
  await level.put(key, edit(record));
  await level.close();
  return record;
}

// The record of a journal of format 2 that readers of format `oldestReader` may open.
function withFormat2(record: Buffer, oldestReader: number): Buffer {
  const future = Buffer.from(record);
  future.writeUInt32BE(2, 0);
  future.writeUInt32BE(oldestReader, 4);
  return future;
}

async function openLevel(directory: string): Promise<Level<Buffer, Buffer>> {
  const level = new Level<Buffer, Buffer>(directory, { keyEncoding: "buffer", valueEncoding: "buffer" });
  await level.open();
  return level;
}

async function takeNumber(client: RawClient, queue: string): Promise<number | null> {
  await client.send(`get ${queue}\r\n`);
  const line = await client.line();
  if (line === END) return null;
  const data = await client.take(300_000);
  await client.expect(`\r\n${END}`);
  const number = Number(/^#(\d+)#/.exec(data.toString("latin1", 0, 20))?.[1]);
  assert.ok(data.equals(body(300_000, number)));
  return number;
}
