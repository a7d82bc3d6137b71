import assert from "node:assert/strict";
import type { RawClient } from "../helpers/raw-client.js";
import { drama, transcript } from "../helpers/transcript.js";
import { CLIENT_ERROR, END, STORED, set, value } from "../helpers/wire.js";
import { until } from "../helpers/within.js";

const SERVER_FIGURES = [
  "uptime",
  "time",
  "version",
  "curr_items",
  "total_items",
  "bytes",
  "curr_connections",
  "total_connections",
];
const QUEUE_FIGURES = [
  "items",
  "bytes",
  "total_items",
  "logsize",
  "expired_items",
  "mem_items",
  "mem_bytes",
  "age",
  "discarded",
  "waiters",
  "open_transactions",
];

transcript("stats", {}, (it) => {
  it("stats has Kestrel's figures of the server and of each queue", async ({ open, queue }) => {
    const client = await open();
    await client.send(set(queue, "hello"));
    await client.expect(STORED);
    const figures = await client.stats();
    for (const name of SERVER_FIGURES) assert.ok(figures.has(name), name);
    for (const name of QUEUE_FIGURES) assert.match(figures.get(`queue_${queue}_${name}`) ?? name, /^\d+$/, name);
  });

  it("stats counts commands, hits and misses", async ({ open, queue }) => {
    const client = await open();
    const before = await client.stats();
    await client.send(`${set(queue, "a")}get ${queue}\r\nget ${queue}\r\nget ${queue}/t=10\r\nflush ${queue}\r\n`);
    await client.expect(STORED + value(queue, "a") + END + END + END);
    const after = await client.stats();
    const grown = (name: string): number => Number(after.get(name)) - Number(before.get(name));
    assert.deepEqual(["cmd_set", "cmd_get", "get_hits", "get_misses"].map(grown), [1, 3, 1, 2]);
  });

  it("I153 a peek is counted as a peek", async ({ open, queue }) => {
    const client = await open();
    const before = await client.stats();
    await client.send(`${set(queue, "a")}get ${queue}/peek\r\n`);
    await client.expect(STORED + value(queue, "a"));
    const after = await client.stats();
    assert.equal(Number(after.get("cmd_peek")) - Number(before.get("cmd_peek")), 1);
    assert.equal(after.get("cmd_get"), before.get("cmd_get"));
  });

  it("I148 curr_connections goes up and down with the connections", async ({ open }) => {
    const client = await open();
    const base = Number((await client.stats()).get("curr_connections"));
    const others = [await open(), await open(), await open()];
    await others[0]?.send("bad command\r\n");
    await others[0]?.expectLine(CLIENT_ERROR);
    await others[0]?.expectClose();
    await untilConnections(client, base + 2);
    others[1]?.halfClose();
    await others[1]?.expectClose();
    others[2]?.reset();
    await untilConnections(client, base);
  });

  it("I151 an open item is none of the items", async ({ open, queue }) => {
    const client = await open();
    await client.send(`${set(queue, "a")}get ${queue}/open\r\n`);
    await client.expect(STORED + value(queue, "a"));
    assert.equal(await client.stat(queue, "items"), 0);
  });

  it("waiters are counted while they wait", async ({ open, queue }) => {
    const [a, b, other] = [await open(), await open(), await open()];
    await a.send(`get ${queue}/t=60000\r\n`);
    await b.send(`get ${queue}/t=60000\r\n`);
    await other.untilStat(queue, "waiters", 2);
    await other.send(`delete ${queue}\r\n`);
    await a.expect(END);
    await b.expect(END);
    await other.expect("DELETED\r\n");
  });
});

drama(
  "I149 the figures of a thousand queues are complete, however slowly they are read",
  {},
  async ({ open, queue }) => {
    const client = await open();
    const names = Array.from({ length: 1000 }, (_, n) => `${queue}n${n}`);
    await client.send(names.map((name) => set(name, "a")).join(""));
    await client.expect(STORED.repeat(1000));
    client.pause();
    client.push("stats\r\n");
    const other = await open();
    const figures = await other.stats();
    for (const name of names) assert.equal(figures.get(`queue_${name}_items`), "1");
    client.resume();
    let lines = 0;
    while ((await client.line()) !== END) lines += 1;
    assert.equal(lines, figures.size);
  },
);

async function untilConnections(client: RawClient, wanted: number): Promise<void> {
  await until(`${wanted} connections`, async () => Number((await client.stats()).get("curr_connections")) === wanted);
}
