import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { fill } from "../helpers/bulk.js";
import type { RawClient } from "../helpers/raw-client.js";
import { anonymousMemory } from "../helpers/start-server.js";
import { drama, transcript } from "../helpers/transcript.js";
import { body, END, STORED, set, VERSION, value } from "../helpers/wire.js";
import { until } from "../helpers/within.js";

const MB = 1e6;

transcript("clients that do not read", {}, (it) => {
  it("H141 big items: a client that does not read is not served further", async ({ open, queue, server }) => {
    const [client, other] = [await open(), await open()];
    for (let n = 0; n < 20; n += 1) await putBig(other, queue, body(4 * MB, n));
    const before = await anonymousMemory(server.pid);
    client.pause();
    client.push(`get ${queue}\r\n`.repeat(20));
    const left = await settledItems(other, queue);
    assert.ok(left >= 10, `only ${left} of 20 items are left in the queue`);
    assert.ok((await anonymousMemory(server.pid)) - before < 40 * MB);
    client.resume();
    for (let n = 0; n < 20; n += 1) await client.expect(value(queue, body(4 * MB, n)));
  });

  it("H142 many gets: none is popped ahead of what can be sent, and others are served", async ({
    open,
    queue,
    server,
  }) => {
    const [client, other] = [await open(), await open()];
    const count = 20_000;
    await fill(other, queue, 0, count, 1024);
    const before = await anonymousMemory(server.pid);
    client.pause();
    client.push(`get ${queue}\r\n`.repeat(count));
    const left = await settledItems(other, queue);
    assert.ok(left >= count / 4, `only ${left} of ${count} items are left in the queue`);
    await other.send(`${set(`${queue}x`, "a")}get ${queue}x\r\n`);
    await other.expect(STORED + value(`${queue}x`, "a"));
    assert.ok((await anonymousMemory(server.pid)) - before < 40 * MB);
    client.resume();
    for (let n = 0; n < count; n += 1) await client.expect(value(queue, body(1024, n)));
    await other.send(`get ${queue}\r\n`);
    await other.expect(END);
  });

  it("H142 a client that does not read goes away: what it was not sent stays", async ({ open, queue }) => {
    const [client, other] = [await open(), await open()];
    await fill(other, queue, 0, 20_000, 1024);
    client.pause();
    client.push(`get ${queue}\r\n`.repeat(20_000));
    const left = await settledItems(other, queue);
    client.reset();
    await other.send(`get ${queue}/peek\r\n`);
    await other.expect(value(queue, body(1024, 20_000 - left)));
    assert.equal(await other.stat(queue, "items"), left);
  });

  it("H142 a pipeline of stats that nobody reads takes no memory", async ({ open, server }) => {
    const [client, other] = [await open(), await open()];
    const before = await anonymousMemory(server.pid);
    client.pause();
    client.push("stats\r\n".repeat(20_000));
    for (let n = 0; n < 200; n += 1) await roundTrip(other);
    assert.ok((await anonymousMemory(server.pid)) - before < 60 * MB);
    client.reset();
  });

  it("H143 a client with endless pipelined sets does not starve another", async ({ open, queue }) => {
    const [busy, other] = [await open(), await open()];
    for (let n = 0; n < 100; n += 1) busy.push(set(queue, "x".repeat(100)).repeat(1000));
    const answered = busy.expect(STORED.repeat(100_000), 60_000);
    for (let n = 0; n < 20; n += 1) await roundTrip(other);
    assert.ok(
      Number(await other.stat(queue, "total_items")) < 100_000,
      "the pipeline was through before twenty round trips",
    );
    await answered;
  });
});

drama("H145 an item of 64 MiB goes in and out", {}, async ({ open, queue, server }, test) => {
  const client = await open();
  const size = 64 * 1024 * 1024;
  const data = body(size, 145);
  const before = await anonymousMemory(server.pid);
  await putBig(client, queue, data);
  await client.send(`get ${queue}/open\r\n`);
  await client.expect(`VALUE ${queue} 0 ${size}\r\n`);
  assert.ok((await client.take(size, 60_000)).equals(data));
  await client.expect(`\r\n${END}`);
  const times = async (): Promise<number> => ((await anonymousMemory(server.pid)) - before) / size;
  test.comment(`${(await times()).toFixed(1)} times the item's size in memory`);
  await until("the memory being that of the item and of LevelDB's copy", async () => (await times()) < 3.5);
  await client.send(`get ${queue}/close\r\n`);
  await client.expect(END);
});

async function putBig(client: RawClient, queue: string, data: Buffer): Promise<void> {
  client.push(`set ${queue} 0 0 ${data.length}\r\n`);
  client.push(data);
  client.push("\r\n");
  await client.expect(STORED, 60_000);
}

async function roundTrip(client: RawClient): Promise<void> {
  await client.send("version\r\n");
  await client.expectLine(VERSION);
}

// The number of items once it stays the same: ten times in a row, 20 ms apart.
async function settledItems(client: RawClient, queue: string): Promise<number> {
  let last = -1;
  for (let same = 0, round = 0; same < 10 && round < 1000; round += 1) {
    const items = Number(await client.stat(queue, "items"));
    same = items === last ? same + 1 : 0;
    last = items;
    await sleep(20);
  }
  return last;
}
