import assert from "node:assert/strict";
import { drain, fill } from "../helpers/bulk.js";
import type { RawClient } from "../helpers/raw-client.js";
import { drama, type Stage } from "../helpers/transcript.js";
import { body, DELETED, END, STORED, set, value } from "../helpers/wire.js";
import { until } from "../helpers/within.js";

/** Far less than what the queues of these tests hold. */
const NARROW = { config: '[default]\nmax_memory_size = "100kB"\n', bare: true };
const SIZE = 10_000;
const COUNT = 300;

drama(
  "a queue that is longer than its memory comes out in order while it is filled",
  NARROW,
  async ({ open, queue }) => {
    const [client, other] = [await open(), await open()];
    await fill(client, queue, 0, COUNT, SIZE);
    const filled = fill(client, queue, COUNT, 3 * COUNT, SIZE);
    await drain(other, queue, 0, COUNT, SIZE);
    await filled;
    await drain(other, queue, COUNT, 3 * COUNT, SIZE);
    await other.send(`get ${queue}\r\n`);
    await other.expect(END);
  },
);

drama(
  "items and bytes count what lies on the disk too, mem_items and mem_bytes do not",
  NARROW,
  async ({ open, queue }) => {
    const client = await open();
    await fill(client, queue, 0, COUNT, SIZE);
    assert.equal(await client.stat(queue, "items"), COUNT);
    assert.equal(await client.stat(queue, "bytes"), COUNT * SIZE);
    assert.ok(Number(await client.stat(queue, "mem_bytes")) <= 400_000);
    await drain(client, queue, 0, COUNT, SIZE);
    assert.equal(await client.stat(queue, "items"), 0);
    assert.equal(await client.stat(queue, "bytes"), 0);
  },
);

drama("flush and delete reach what lies on the disk", NARROW, async ({ open, queue }) => {
  const client = await open();
  for (const [line, answer] of [
    [`flush ${queue}`, END],
    [`delete ${queue}`, DELETED],
  ] as const) {
    await fill(client, queue, 0, COUNT, SIZE);
    await drain(client, queue, 0, 50, SIZE);
    await client.send(`${line}\r\n${set(queue, "new")}get ${queue}\r\nget ${queue}\r\n`);
    await client.expect(answer + STORED + value(queue, "new") + END);
  }
});

drama("a flush while items are being read ends their reading", NARROW, async (stage) => {
  const { open, queue } = stage;
  const [client, other] = [await restarted(stage), await open()];
  client.push(`get ${queue}\r\n`);
  other.push(`flush ${queue}\r\n${set(queue, "new")}`);
  await other.expect(END + STORED);
  const line = await client.line();
  if (line !== END) await client.expect(value(queue, body(SIZE, 0)).slice(line.length));
  await client.send(`get ${queue}/t=10000\r\n`);
  await client.expect(value(queue, "new"));
});

drama("a fetch never answers END while its items are being read, with a time or without", NARROW, async (stage) => {
  const client = await restarted(stage);
  const steps: [options: string, item: number | null][] = [
    ["", 0],
    ["/t=1", 1],
    ["/peek", 2],
    ["/open", 2],
    ["/close", null],
  ];
  steps.push(["/t=1/peek", 3], ["/t=1/open", 3], ["/abort", null], ["", 3]);
  client.push(steps.map(([options]) => `get ${stage.queue}${options}\r\n`).join(""));
  await client.expect(steps.map(([, n]) => (n === null ? END : value(stage.queue, body(SIZE, n)))).join(""));
});

drama("many clients that ask at the same moment get the items in their order", NARROW, async (stage) => {
  const { open, queue } = stage;
  const first = await restarted(stage);
  const clients = [first, ...(await Promise.all(Array.from({ length: 49 }, () => open())))];
  for (const client of clients) client.push(`get ${queue}/open/t=60000\r\n`);
  const numbers = new Set<number>();
  for (const client of clients) numbers.add(await takeNumber(client, queue));
  assert.deepEqual(
    [...numbers].sort((a, b) => a - b),
    clients.map((_, n) => n),
  );
});

drama("what is being read from the disk is given to a client that has closed its end", NARROW, async (stage) => {
  const client = await restarted(stage);
  client.push(`get ${stage.queue}\r\n`);
  client.halfClose();
  await client.expect(value(stage.queue, body(SIZE, 0)));
  await client.expectClose();
});

drama("clients that go while their items are being read take none with them", NARROW, async (stage) => {
  const { open, queue } = stage;
  const first = await restarted(stage);
  const clients = [first, ...(await Promise.all(Array.from({ length: 20 }, () => open())))];
  for (const client of clients) client.push(`get ${queue}/open\r\n`);
  for (const client of clients) client.reset();
  const other = await open();
  // A get may be read after the statistics: only when its connection is gone is it done with.
  await until("the others being gone", async () => (await other.stats()).get("curr_connections") === "1");
  await other.untilStat(queue, "items", COUNT);
  await drain(other, queue, 0, COUNT, SIZE);
});

drama("items that are given back stand before what lies on the disk", NARROW, async (stage) => {
  const { open, queue } = stage;
  const [a, b, other] = [await restarted(stage), await open(), await open()];
  for (const [client, n] of [
    [a, 0],
    [b, 1],
  ] as const) {
    await client.send(`get ${queue}/open\r\n`);
    await client.expect(value(queue, body(SIZE, n)));
  }
  await drain(other, queue, 2, 100, SIZE);
  for (const client of [b, a]) {
    await client.send(`get ${queue}/abort\r\n`);
    await client.expect(END);
  }
  await drain(other, queue, 0, 2, SIZE);
  await drain(other, queue, 100, COUNT, SIZE);
});

// Fills the queue and starts the server again, so that all of it lies on the disk.
async function restarted({ open, queue, server }: Stage): Promise<RawClient> {
  const client = await open();
  await fill(client, queue, 0, COUNT, SIZE);
  client.destroy();
  await server.restart();
  return open();
}

async function takeNumber(client: RawClient, queue: string): Promise<number> {
  await client.expect(`VALUE ${queue} 0 ${SIZE}\r\n`);
  const data = await client.take(SIZE);
  await client.expect(`\r\n${END}`);
  return Number(/^#(\d+)#/.exec(data.toString("latin1", 0, 20))?.[1]);
}
