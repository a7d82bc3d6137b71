import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import type { RawClient } from "../helpers/raw-client.js";
import { drama, type Stage } from "../helpers/transcript.js";
import { END, STORED, set, VERSION, value } from "../helpers/wire.js";
import { timed, within } from "../helpers/within.js";

drama("C82 SIGTERM ends a hundred waits with END, then their connections, then the process", {}, async (stage) => {
  const { open, queue, server } = stage;
  const [clients, other] = [await parkMany(stage, 100), await open()];
  await other.untilStat(queue, "waiters", 100);
  const { ms } = await timed(async () => {
    const stopped = server.stop();
    for (const client of clients) {
      await client.expect(END);
      await client.expectClose();
    }
    await other.expectClose();
    await stopped;
  });
  assert.ok(ms < 10_000, `${ms} ms`);
});

drama(
  "C82 the command shutdown ends waits and the process, and what is stored is there at the next start",
  {},
  async (stage) => {
    const { open, queue, server } = stage;
    const [waiters, client] = [await parkMany(stage, 3), await open()];
    await client.untilStat(queue, "waiters", 3);
    await client.send(`${set(`${queue}x`, "a")}shutdown\r\n`);
    await client.expect(STORED);
    for (const waiter of waiters) await waiter.expect(END);
    const exit = await within(server.exit, "the end of the server", 20_000);
    assert.deepEqual(exit, { code: 0, signal: null });
    client.destroy();
    await server.restart();
    const again = await open();
    await again.send(`get ${queue}x\r\n`);
    await again.expect(value(`${queue}x`, "a"));
  },
);

drama(
  "sets that were answered before SIGTERM are there at the next start, with their order",
  {},
  async ({ open, queue, server }) => {
    const client = await open();
    const items = Array.from({ length: 500 }, (_, n) => `item ${n}`);
    await client.send(items.map((data) => set(queue, data)).join(""));
    await client.expect(STORED.repeat(500));
    client.destroy();
    await server.restart();
    const again = await open();
    await again.send(`get ${queue}\r\n`.repeat(501));
    await again.expect(items.map((data) => value(queue, data)).join("") + END);
  },
);

drama("open reads go back to the head at a stop", {}, async ({ open, queue, server }) => {
  const client = await open();
  await client.send(`${set(queue, "a")}${set(queue, "b")}get ${queue}/open\r\n`);
  await client.expect(STORED + STORED + value(queue, "a"));
  await server.restart();
  const again = await open();
  await again.send(`get ${queue}\r\nget ${queue}\r\nget ${queue}\r\n`);
  await again.expect(value(queue, "a") + value(queue, "b") + END);
});

drama(
  "a client that does not read does not hold up the stop beyond the grace time",
  { config: '[server]\nshutdown_grace = "1s"\n' },
  async (stage) => {
    const client = await stage.open();
    client.pause();
    client.push("stats\r\n".repeat(20_000));
    const other = await stage.open();
    await other.send("version\r\n");
    await other.expectLine(VERSION);
    const { ms } = await timed(() => stage.server.stop());
    assert.ok(ms < 10_000, `${ms} ms`);
    client.reset();
  },
);

drama("after SIGTERM no new client is let in", {}, async ({ open, server }) => {
  const client = await open();
  client.destroy();
  const { port } = server;
  await server.stop();
  await assert.rejects(connectTo(port), /ECONNREFUSED/);
});

async function connectTo(port: number): Promise<void> {
  const socket = connect({ port, host: "127.0.0.1" });
  try {
    await once(socket, "connect");
  } finally {
    socket.destroy();
  }
}

// Clients that all wait on the queue.
async function parkMany({ open, queue }: Stage, count: number): Promise<RawClient[]> {
  const clients: RawClient[] = [];
  for (let n = 0; n < count; n += 1) {
    const client = await open();
    await client.send(`get ${queue}/t=60000\r\n`);
    clients.push(client);
  }
  return clients;
}
