import assert from "node:assert/strict";
import { drain, fill, passThrough, range } from "../helpers/bulk.js";
import { directoryBytes, openFiles, writtenBytes } from "../helpers/files.js";
import type { RawClient } from "../helpers/raw-client.js";
import { anonymousMemory } from "../helpers/start-server.js";
import { drama } from "../helpers/transcript.js";
import { body, END, STORED, set, value } from "../helpers/wire.js";
import { timed, until } from "../helpers/within.js";

const MB = 1e6;
const KIB = 1024;

drama("G129 what passes through reliable reads leaves no journal behind", {}, async ({ open, queue, server }) => {
  const client = await open();
  await passThrough(client, queue, 0, 40_000, KIB);
  await client.send(set(`${queue}x`, "the last close rides with this set"));
  await client.expect(STORED);
  await until("the journal being small", async () => (await directoryBytes(server.journalDir)) < 25 * MB);
  await server.kill9();
  client.destroy();
  const { ms } = await timed(() => server.restart());
  assert.ok(ms < 5000, `${ms} ms to start`);
  assert.equal(await (await open()).stat(queue, "items"), 0);
});

drama("G130 many open reads on an empty queue are not written again and again", {}, async ({ open, queue, server }) => {
  const clients = await Promise.all(Array.from({ length: 300 }, () => open()));
  const [first] = clients as [RawClient];
  await first.send(range(0, 300, (n) => set(queue, body(4 * KIB, n))));
  await first.expect(STORED.repeat(300));
  for (const [n, client] of clients.entries()) {
    await client.send(`get ${queue}/open\r\n`);
    await client.expect(value(queue, body(4 * KIB, n)));
  }
  const before = await writtenBytes(server.pid);
  const other = await open();
  for (let n = 0; n < 1000; n += 1) {
    await other.send(`${set(queue, "x")}get ${queue}/open\r\nget ${queue}/close\r\n`);
    await other.expect(STORED + value(queue, "x") + END);
  }
  const written = (await writtenBytes(server.pid)) - before;
  assert.ok(written < 10 * MB, `${written} bytes written for 1000 items of one byte`);
  assert.equal(await other.stat(queue, "open_transactions"), 300);
});

const NARROW = '[default]\nmax_memory_size = "1MB"\n';

drama(
  "G132 G133 a backlog far above max_memory_size is filled, started and drained in constant memory",
  { config: NARROW },
  async (stage) => {
    const { open, queue, server } = stage;
    const client = await open();
    const base = await anonymousMemory(server.pid);
    const count = 40_000;
    await fill(client, queue, 0, count, KIB);
    const filled = (await anonymousMemory(server.pid)) - base;
    assert.ok(filled < 120 * MB, `${filled} bytes more after filling`);
    assert.ok(Number(await client.stat(queue, "mem_bytes")) <= 2 * MB);
    client.destroy();
    await server.restart();
    const again = await open();
    assert.equal(await again.stat(queue, "items"), count);
    await drain(again, queue, 0, count, KIB);
    const drained = (await anonymousMemory(server.pid)) - base;
    assert.ok(drained < 120 * MB, `${drained} bytes more after draining`);
    await again.send(`get ${queue}\r\n`);
    await again.expect(END);
  },
);

drama(
  "G132 a get never answers END while items are on the disk",
  { config: NARROW },
  async ({ open, queue, server }) => {
    const client = await open();
    await fill(client, queue, 0, 200, 100 * KIB);
    client.destroy();
    await server.restart();
    const again = await open();
    for (let n = 0; n < 200; n += 1) {
      await again.send(`get ${queue}${n % 2 === 0 ? "/open" : ""}\r\n`);
      await again.expect(value(queue, body(100 * KIB, n)));
      if (n % 2 === 0) await again.send(`get ${queue}/close\r\n`);
      if (n % 2 === 0) await again.expect(END);
    }
  },
);

drama("G135 many queues take few files", {}, async ({ open, queue, server }) => {
  const client = await open();
  const names = Array.from({ length: 500 }, (_, n) => `${queue}n${n}`);
  await client.send(names.map((name) => set(name, name)).join(""));
  await client.expect(STORED.repeat(500));
  assert.ok((await openFiles(server.pid)).length < 80);
  client.destroy();
  await server.restart();
  const again = await open();
  await again.send(names.map((name) => `get ${name}\r\n`).join(""));
  await again.expect(names.map((name) => value(name, name)).join(""));
  assert.ok((await openFiles(server.pid)).length < 80);
});

drama("G135 the number of files stays the same while the journal turns over", {}, async ({ open, queue, server }) => {
  const client = await open();
  const counts: number[] = [];
  for (let round = 0; round < 6; round += 1) {
    for (let n = 0; n < 40; n += 1) client.push(set(queue, body(500 * KIB, n)));
    await client.expect(STORED.repeat(40), 60_000);
    await client.send(`flush ${queue}\r\n`);
    await client.expect(END);
    counts.push((await openFiles(server.pid)).length);
  }
  assert.ok(Math.max(...counts) < 80, `${counts.join(", ")} files`);
});
