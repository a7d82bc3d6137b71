import assert from "node:assert/strict";
import { on } from "node:events";
import { connect } from "node:net";
import { performance } from "node:perf_hooks";
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
  "reserved_memory_ratio",
  "curr_connections",
  "total_connections",
  "cmd_get",
  "cmd_set",
  "cmd_peek",
  "get_hits",
  "get_misses",
  "bytes_read",
  "bytes_written",
  "queue_creates",
  "queue_deletes",
  "queue_expires",
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
  "transactions",
  "canceled_transactions",
  "total_flushes",
  "journal_rewrites",
  "journal_rotations",
];
/** Ours come behind Kestrel's. */
const MORE_QUEUE_FIGURES = ["delayed", "dead_lettered", "oldest_open_ms", "expire_blocked", "lost"];

transcript("stats", {}, (it) => {
  it("stats has Kestrel's figures of the server and of each queue", async ({ open, queue }) => {
    const client = await open();
    await client.send(set(queue, "hello"));
    await client.expect(STORED);
    const figures = await client.stats();
    for (const name of SERVER_FIGURES) assert.ok(figures.has(name), name);
    for (const name of [...QUEUE_FIGURES, ...MORE_QUEUE_FIGURES]) {
      assert.match(figures.get(`queue_${queue}_${name}`) ?? name, /^\d+$/, name);
    }
  });

  it("no figure of ours ends like one of Kestrel's, whose client would see queues in it", async ({ open, queue }) => {
    const client = await open();
    await client.send(set(queue, "a"));
    await client.expect(STORED);
    const known = new Set([...SERVER_FIGURES, ...QUEUE_FIGURES.map((name) => `queue_${queue}_${name}`)]);
    const others = [...(await client.stats()).keys()].filter(
      (name) => !name.startsWith("queue_") || name.includes(queue),
    );
    for (const name of others.filter((name) => !known.has(name))) {
      for (const ending of QUEUE_FIGURES) assert.ok(!name.endsWith(`_${ending}`), name);
    }
  });

  it("a parent names its children", async ({ open, queue }) => {
    const client = await open();
    await client.send(`get ${queue}+x\r\nget ${queue}+y\r\n${set(queue, "a")}`);
    await client.expect(END + END + STORED);
    const figures = await client.stats();
    assert.equal(figures.get(`queue_${queue}_children`), `${queue}+x,${queue}+y`);
    assert.equal(figures.get(`queue_${queue}+x_children`), undefined);
  });

  it("B68 the oldest open read is told of with its age", async ({ open, queue }) => {
    const client = await open();
    await client.send(`${set(queue, "a")}get ${queue}/open\r\n`);
    await client.expect(STORED + value(queue, "a"));
    await until("an age", async () => ((await client.stat(queue, "oldest_open_ms")) ?? 0) > 0);
    await client.send(`get ${queue}/close\r\n`);
    await client.expect(END);
    assert.equal(await client.stat(queue, "oldest_open_ms"), 0);
  });

  it("I155 dump_stats has a block for each queue, one END and no empty line", async ({ open, queue }) => {
    const client = await open();
    await client.send(set(queue, "a") + set(`${queue}b`, "bc"));
    await client.expect(STORED + STORED);
    await client.send(`dump_stats ${queue} ${queue}b nosuch\r\n`);
    for (const [name, bytes] of [
      [queue, 1],
      [`${queue}b`, 2],
    ] as const) {
      await client.expect(`queue '${name}' {\r\n  items=1\r\n  bytes=${bytes}\r\n`);
      for (const figure of [...QUEUE_FIGURES.slice(2), ...MORE_QUEUE_FIGURES]) {
        await client.expectLine(new RegExp(`^  ${figure}=\\d+\\r\\n$`));
      }
      await client.expect("}\r\n");
    }
    await client.expect(`queue 'nosuch' {\r\n}\r\n${END}`);
    await client.send("dump_stats\r\n");
    const lines: string[] = [];
    for (let line = await client.line(); line !== END; line = await client.line()) lines.push(line);
    assert.ok(lines.includes(`queue '${queue}' {\r\n`));
    assert.ok(!lines.includes("queue 'nosuch' {\r\n") && !lines.includes("\r\n"));
  });

  it("I156 dump_config has what holds for each queue, in the words of the file", async ({ open, queue }) => {
    const client = await open();
    await client.send(`${set(queue, "a")}dump_config ${queue} nosuch\r\n`);
    await client.expect(STORED);
    for (const name of [queue, "nosuch"]) {
      await client.expect(`queue '${name}' {\r\n  max_items="none"\r\n`);
      const lines: string[] = [];
      for (let line = await client.line(); line !== "}\r\n"; line = await client.line()) lines.push(line);
      for (const line of lines) assert.match(line, /^ {2}[a-z_]+=\S.*\r\n$/);
      assert.ok(lines.includes('  max_memory_size="128MB"\r\n'));
      assert.ok(lines.includes("  keep_journal=true\r\n"));
    }
    await client.expect(END);
    assert.equal(await client.stat("nosuch", "items"), undefined);
  });

  it("flush_expired and flush_all_expired answer with a number", async ({ open, queue }) => {
    const client = await open();
    await client.send("flush_expired nosuch\r\n");
    await client.expect("0\r\n");
    await client.send(`${set(queue, "a")}flush_expired ${queue}\r\nflush_all_expired\r\n`);
    await client.expect(`${STORED}0\r\n`);
    await client.expectLine(/^\d+\r\n$/);
    assert.equal(await client.stat(queue, "items"), 1);
    await client.send("flush_expired\r\nflush_expired a.b\r\n");
    await client.expectLine(CLIENT_ERROR);
    await client.expectLine(CLIENT_ERROR);
  });

  it("B70 a close on a connection that has nothing open is counted", async ({ open, queue }) => {
    const client = await open();
    const before = Number((await client.stats()).get("closes_of_nothing"));
    await client.send(`get ${queue}/close\r\nget ${queue}/abort\r\n`);
    await client.expect(END + END);
    assert.equal(Number((await client.stats()).get("closes_of_nothing")), before + 2);
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

drama("the figures of ten thousand queues do not stall other clients", {}, async ({ server, open }, t) => {
  const [client, witness] = [await open(), await open()];
  const queues = 10_000;
  const rounds = 5;
  await client.send(Array.from({ length: queues }, (_, n) => set(`q${n}`, "a")).join(""));
  await client.expect(STORED.repeat(queues));
  let isDone = false;
  const reading = statsOfRounds(server.port, rounds).finally(() => {
    isDone = true;
  });
  let longestMs = 0;
  while (!isDone) {
    const from = performance.now();
    await witness.send("version\r\n");
    await witness.line();
    longestMs = Math.max(longestMs, performance.now() - from);
  }
  assert.ok((await reading) > rounds * 16 * queues * "STAT queue_q_items 0\r\n".length);
  t.comment(`the longest another client waited: ${longestMs.toFixed(1)} ms`);
  assert.ok(longestMs < 500, `another client waited ${longestMs} ms`);
});

/** Asks for the statistics that often, one answer after the other; how many bytes they have. */
async function statsOfRounds(port: number, rounds: number): Promise<number> {
  const socket = connect(port, "127.0.0.1");
  let bytes = 0;
  for (let left = rounds; left > 0; left--) {
    socket.write("stats\r\n");
    for await (const [chunk] of on(socket, "data") as AsyncIterable<[Buffer]>) {
      bytes += chunk.length;
      if (chunk.toString("latin1", chunk.length - END.length) === END) break;
    }
  }
  socket.destroy();
  return bytes;
}

async function untilConnections(client: RawClient, wanted: number): Promise<void> {
  await until(`${wanted} connections`, async () => Number((await client.stats()).get("curr_connections")) === wanted);
}
