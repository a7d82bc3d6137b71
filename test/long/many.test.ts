import assert from "node:assert/strict";
import t from "tap";
import { fill, range } from "../helpers/bulk.js";
import { directoryBytes, openFiles, writtenBytes } from "../helpers/files.js";
import type { RawClient } from "../helpers/raw-client.js";
import { anonymousMemory } from "../helpers/start-server.js";
import { drama } from "../helpers/transcript.js";
import { body, DELETED, END, STORED, set, value } from "../helpers/wire.js";
import { timed, until } from "../helpers/within.js";

/** These take minutes each. */
const LONG = { timeoutMs: 15 * 60_000 };

t.setTimeout(60 * 60_000);

const MB = 1e6;

drama(
  "F117 a hundred thousand queues that were made and deleted leave nothing",
  LONG,
  async ({ open, queue, server }, test) => {
    const client = await open();
    const lines = (await client.stats()).size;
    await cycleQueues(client, queue, 0, 20_000);
    const before = await anonymousMemory(server.pid);
    await cycleQueues(client, queue, 20_000, 100_000);
    const grown = (await anonymousMemory(server.pid)) - before;
    test.comment(`${(grown / MB).toFixed(1)} MB more`);
    assert.ok(grown < 30 * MB, `${grown} bytes more`);
    assert.equal((await client.stats()).size, lines);
    await until("a small directory", async () => (await directoryBytes(server.journalDir)) < 25 * MB, 60_000);
  },
);

drama("G135 two thousand queues take few files and start quickly", LONG, async ({ open, queue, server }) => {
  const client = await open();
  const names = Array.from({ length: 2000 }, (_, n) => `${queue}n${n}`);
  await client.send(names.map((name) => set(name, name)).join(""));
  await client.expect(STORED.repeat(2000));
  client.destroy();
  const start = await timed(() => server.restart());
  assert.ok(start.ms < 3000, `${start.ms} ms to start`);
  const again = await open();
  await again.send(names.map((name) => `get ${name}\r\n`).join(""));
  await again.expect(names.map((name) => value(name, name)).join(""));
  assert.ok((await openFiles(server.pid)).length < 80);
});

const MANY_OPEN = "[server]\nmax_open_transactions = 100000\n";

drama(
  "G130 twenty thousand open reads are not written again and again",
  { ...LONG, config: MANY_OPEN },
  async ({ open, queue, server }, test) => {
    const [holder, other] = [await open(), await open()];
    await fill(holder, queue, 0, 20_000, 1000);
    for (let n = 0; n < 20_000; n += 1000) {
      holder.push(`get ${queue}/open\r\n`.repeat(1000));
      await holder.expect(range(n, 1000, (k) => value(queue, body(1000, k))));
    }
    const before = await writtenBytes(server.pid);
    for (let n = 0; n < 20_000; n += 100) {
      await other.send(`${set(queue, "x")}get ${queue}/open\r\nget ${queue}/close\r\n`.repeat(100));
      await other.expect((STORED + value(queue, "x") + END).repeat(100));
    }
    const written = (await writtenBytes(server.pid)) - before;
    test.comment(`${(written / MB).toFixed(1)} MB written for 20,000 items of one byte`);
    assert.ok(written < 60 * MB, `${written} bytes written`);
    await server.kill9();
    await server.restart();
    const again = await open();
    assert.equal(await again.stat(queue, "items"), 20_000);
    await again.send(`get ${queue}/peek\r\n`);
    await again.expect(value(queue, body(1000, 0)));
  },
);

drama(
  "H141 a hundred items of 10 MB that nobody reads take no memory",
  { ...LONG, config: '[default]\nmax_memory_size = "32MB"\n' },
  async (stage) => {
    const { open, queue, server } = stage;
    const [client, other] = [await open(), await open()];
    const size = 10 * MB;
    for (let n = 0; n < 100; n += 1) await fill(other, queue, n, n + 1, size);
    const before = await anonymousMemory(server.pid);
    client.pause();
    client.push(`get ${queue}\r\n`.repeat(100));
    for (let n = 0; n < 100; n += 1) await other.stat(queue, "items");
    assert.ok(Number(await other.stat(queue, "items")) >= 90);
    assert.ok((await anonymousMemory(server.pid)) - before < 60 * MB);
    client.resume();
    for (let n = 0; n < 100; n += 1) await client.expect(value(queue, body(size, n)), 60_000);
  },
);

drama("H142 a hundred thousand gets that nobody reads hold up nobody", LONG, async ({ open, queue, server }) => {
  const [client, other] = [await open(), await open()];
  await fill(other, queue, 0, 100_000, 1024);
  const before = await anonymousMemory(server.pid);
  client.pause();
  client.push(`get ${queue}\r\n`.repeat(100_000));
  for (let n = 0; n < 1000; n += 1) await other.stat(queue, "items");
  assert.ok(Number(await other.stat(queue, "items")) >= 80_000);
  assert.ok((await anonymousMemory(server.pid)) - before < 60 * MB);
  client.resume();
  for (let n = 0; n < 100_000; n += 1) await client.expect(value(queue, body(1024, n)));
});

async function cycleQueues(client: RawClient, queue: string, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n += 500) {
    await client.send(
      range(n, 500, (k) => `${set(`${queue}n${k}`, "a")}get ${queue}n${k}\r\ndelete ${queue}n${k}\r\n`),
    );
    await client.expect(range(n, 500, (k) => STORED + value(`${queue}n${k}`, "a") + DELETED));
  }
}
