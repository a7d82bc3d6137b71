import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { RawClient } from "../helpers/raw-client.js";
import { TestServer } from "../helpers/start-server.js";
import { drama } from "../helpers/transcript.js";
import { body, END, STORED, set, value } from "../helpers/wire.js";
import { timed } from "../helpers/within.js";

/** Most of these kill the server, whose coverage is lost then anyway. */
const BARE = { bare: true };

for (const end of ["kill9", "stop"] as const) {
  drama(`what is STORED is there after ${end}, in its place`, {}, async ({ open, queue, server }) => {
    const client = await open();
    const items = Array.from({ length: 300 }, (_, n) => body(1 + n * 7, n));
    await client.send(items.map((data) => set(queue, data)).join(""));
    await client.expect(STORED.repeat(300));
    await server[end]();
    client.destroy();
    await server.restart();
    await expectAll(await open(), queue, items);
  });
}

drama("sets of many clients that are killed keep the order of each client", BARE, async ({ open, queue, server }) => {
  const clients = await Promise.all(Array.from({ length: 10 }, () => open()));
  for (let n = 0; n < 20; n += 1) for (const [who, client] of clients.entries()) client.push(set(queue, `${who}:${n}`));
  for (const client of clients) await client.expect(STORED.repeat(20));
  await server.kill9();
  for (const client of clients) client.destroy();
  await server.restart();
  const again = await open();
  const seen = clients.map(() => 0);
  for (let n = 0; n < 200; n += 1) {
    const [who, number] = (await takeItem(again, queue)).split(":").map(Number) as [number, number];
    assert.equal(number, seen[who]);
    seen[who] = number + 1;
  }
});

drama("G126 five restarts after puts, closes and aborts show the same items", BARE, async ({ open, queue, server }) => {
  const client = await open();
  const items = Array.from({ length: 20 }, (_, n) => `${n}`);
  await client.send(items.map((data) => set(queue, data)).join(""));
  await client.expect(STORED.repeat(20));
  for (const data of items.slice(0, 5)) await transact(client, queue, data, "close");
  for (let times = 0; times < 5; times += 1) await transact(client, queue, "5", "abort");
  await client.send(`get ${queue}/open\r\nget ${queue}x\r\n${set(`${queue}x`, "removals ride with this set")}`);
  await client.expect(value(queue, "5") + END + STORED);
  for (let round = 0; round < 5; round += 1) {
    if (round % 2 === 0) await server.kill9();
    else await server.stop();
    await server.restart();
    const again = await open();
    assert.equal(await again.stat(queue, "items"), 15);
    assert.equal(await again.stat(queue, "open_transactions"), 0);
    assert.equal(await again.stat(queue, "bytes"), items.slice(5).join("").length);
    await again.send(`get ${queue}/peek\r\n`);
    await again.expect(value(queue, "5"));
    again.destroy();
  }
  client.destroy();
  await expectAll(await open(), queue, items.slice(5));
});

drama(
  "G126 a page that was done with between one kept for an open read and the line is no loss",
  BARE,
  async (stage) => {
    const { open, queue, server } = stage;
    const [client, other] = [await open(), await open()];
    for (const data of ["kept", "done"]) {
      await client.send(set(queue, data));
      await client.expect(STORED);
    }
    await client.send(`get ${queue}/open\r\n`);
    await client.expect(value(queue, "kept"));
    await other.send(`get ${queue}\r\n${set(`${queue}x`, "the removal rides with this set")}`);
    await other.expect(value(queue, "done") + STORED);
    await server.restart();
    const next = await open();
    await next.send(set(queue, "new"));
    await next.expect(STORED);
    await server.restart();
    const last = await open();
    assert.equal(await last.stat(queue, "items"), 2);
    await last.send(`get ${queue}\r\nget ${queue}/peek\r\n`);
    await last.expect(value(queue, "kept") + value(queue, "new"));
    assert.equal(await last.stat(queue, "items"), 1);
    assert.deepEqual(
      server.stderr.filter((line) => /"level":[56]0/.test(line)),
      [],
    );
  },
);

drama(
  "a close that was answered before a set's STORED is not undone by kill -9",
  BARE,
  async ({ open, queue, server }) => {
    const client = await open();
    await client.send(
      `${set(queue, "1")}${set(queue, "2")}${set(queue, "3")}get ${queue}/open\r\nget ${queue}/close/open\r\n`,
    );
    await client.expect(STORED.repeat(3) + value(queue, "1") + value(queue, "2"));
    await client.send(set(`${queue}x`, "a"));
    await client.expect(STORED);
    await server.kill9();
    client.destroy();
    await server.restart();
    await expectAll(await open(), queue, ["2", "3"]);
  },
);

drama("a deleted queue and a flushed one stay so after kill -9", BARE, async ({ open, queue, server }) => {
  const client = await open();
  const [gone, flushed] = [`${queue}gone`, `${queue}flushed`];
  await client.send(`${set(gone, "a")}${set(flushed, "a")}delete ${gone}\r\nflush ${flushed}\r\n${set(flushed, "b")}`);
  await client.expect(`${STORED}${STORED}DELETED\r\n${END}${STORED}`);
  await server.kill9();
  client.destroy();
  await server.restart();
  const again = await open();
  assert.equal(await again.stat(gone, "items"), undefined);
  await expectAll(again, flushed, ["b"]);
});

drama("B63 a read that is open over a flush and a kill -9 comes back", BARE, async ({ open, queue, server }) => {
  const client = await open();
  await client.send(`${set(queue, "a")}${set(queue, "b")}get ${queue}/open\r\nflush ${queue}\r\n${set(queue, "c")}`);
  await client.expect(STORED + STORED + value(queue, "a") + END + STORED);
  await server.kill9();
  client.destroy();
  await server.restart();
  await expectAll(await open(), queue, ["a", "c"]);
});

drama(
  "B61 a read that is open over a delete and a kill -9 does not come back",
  BARE,
  async ({ open, queue, server }) => {
    const client = await open();
    await client.send(`${set(queue, "a")}get ${queue}/open\r\ndelete ${queue}\r\n${set(`${queue}x`, "b")}`);
    await client.expect(`${STORED}${value(queue, "a")}DELETED\r\n${STORED}`);
    await server.kill9();
    client.destroy();
    await server.restart();
    const again = await open();
    assert.equal(await again.stat(queue, "items"), undefined);
    await expectAll(again, queue, []);
  },
);

drama(
  "keep_journal = false keeps nothing over a restart",
  { config: "[queue.brief]\nkeep_journal = false\n" },
  async ({ open, queue, server }) => {
    const client = await open();
    await client.send(`${set("brief", "a")}${set(queue, "b")}`);
    await client.expect(STORED + STORED);
    client.destroy();
    await server.restart();
    const again = await open();
    await again.send(`get brief\r\nget ${queue}\r\n`);
    await again.expect(END + value(queue, "b"));
  },
);

drama("G127 the port opens when the items can be served, not before", BARE, async ({ open, queue, server }) => {
  const client = await open();
  for (let n = 0; n < 20; n += 1) client.push(set(queue, "x".repeat(1000)).repeat(1000));
  await client.expect(STORED.repeat(20_000));
  client.destroy();
  await server.stop();
  const port = await freePort();
  const starting = TestServer.start({ journalDir: server.journalDir, args: ["--memcache", `${port}`] });
  try {
    const early = await connectSoon(port);
    const { ms } = await timed(async () => {
      await early.send(`get ${queue}\r\n`);
      await early.expect(value(queue, "x".repeat(1000)));
    });
    assert.ok(ms < 2000, `${ms} ms until the first item`);
    early.destroy();
  } finally {
    await (await starting).dispose();
  }
});

drama(
  "G128 stray files in the journal's directory are ignored and left alone",
  BARE,
  async ({ open, queue, server }) => {
    const client = await open();
    await client.send(set(queue, "a"));
    await client.expect(STORED);
    client.destroy();
    await server.stop();
    const strays = [".DS_Store", "x~~123", "notes.txt", "123.bak"];
    for (const name of strays) await writeFile(join(server.journalDir, name), "stray");
    await mkdir(join(server.journalDir, "lost+found"));
    await server.restart();
    await expectAll(await open(), queue, ["a"]);
    const names = await readdir(server.journalDir);
    for (const name of [...strays, "lost+found"]) assert.ok(names.includes(name), `${name} is gone`);
  },
);

drama("G138 a second server on the directory ends with 3 and names the lock", BARE, async ({ open, queue, server }) => {
  const failed = await TestServer.startFailing({ journalDir: server.journalDir });
  assert.equal(failed.code, 3);
  assert.match(failed.stderr, /lock/i);
  assert.ok(failed.stderr.includes(server.journalDir), failed.stderr);
  assert.equal(failed.stdout, "");
  const client = await open();
  await client.send(`${set(queue, "a")}get ${queue}\r\n`);
  await client.expect(STORED + value(queue, "a"));
});

async function transact(client: RawClient, queue: string, data: string, outcome: "close" | "abort"): Promise<void> {
  await client.send(`get ${queue}/open\r\nget ${queue}/${outcome}\r\n`);
  await client.expect(value(queue, data) + END);
}

// Takes everything: exactly these items, in this order.
async function expectAll(client: RawClient, queue: string, items: readonly (string | Buffer)[]): Promise<void> {
  await client.send(`get ${queue}\r\n`.repeat(items.length + 1));
  await client.expect(items.map((data) => value(queue, data)).join("") + END);
}

async function takeItem(client: RawClient, queue: string): Promise<string> {
  await client.send(`get ${queue}\r\n`);
  const size = Number(/ (\d+)\r\n$/.exec(await client.expectLine(/^VALUE /))?.[1]);
  const data = await client.take(size);
  await client.expect(`\r\n${END}`);
  return data.toString("latin1");
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

// Tries until the port is open.
async function connectSoon(port: number): Promise<RawClient> {
  for (let tries = 0; tries < 100_000; tries += 1) {
    const client = await RawClient.connect(port).catch(() => null);
    if (client !== null) return client;
  }
  throw new Error("the port did not open");
}
