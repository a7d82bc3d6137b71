import assert from "node:assert/strict";
import type { RawClient } from "../helpers/raw-client.js";
import { drama, type Stage, transcript } from "../helpers/transcript.js";
import { END, STATE_ERROR, STORED, set, value } from "../helpers/wire.js";

/** A fetch that would outlive the test. */
const LONG = "t=60000";

transcript("reliable reads: open and close", {}, (it) => {
  it("B49 the counts follow an item from put to close", async ({ open, queue }) => {
    const client = await open();
    await client.send(set(queue, "hello"));
    await client.expect(STORED);
    assert.deepEqual(await counts(client, queue), { items: 1, bytes: 5, open_transactions: 0, total_items: 1 });
    await client.send(`get ${queue}/open\r\n`);
    await client.expect(value(queue, "hello"));
    assert.deepEqual(await counts(client, queue), { items: 0, bytes: 0, open_transactions: 1, total_items: 1 });
    await client.send(`get ${queue}/close\r\n`);
    await client.expect(END);
    assert.deepEqual(await counts(client, queue), { items: 0, bytes: 0, open_transactions: 0, total_items: 1 });
  });

  it("B50 a close with nothing open is END and counts nothing", async ({ open, queue }) => {
    const client = await open();
    await client.send(`${set(queue, "a")}get ${queue}/close\r\nget ${queue}/close\r\nget ${queue}/close\r\n`);
    await client.expect(STORED + END + END + END);
    assert.deepEqual(await counts(client, queue), { items: 1, bytes: 1, open_transactions: 0, total_items: 1 });
  });

  it("B50 an abort with nothing open is END", async ({ open, queue }) => {
    const client = await open();
    await client.send(`${set(queue, "a")}get ${queue}/abort\r\nget ${queue}/abort/${LONG}\r\nget ${queue}\r\n`);
    await client.expect(STORED + END + END + value(queue, "a"));
  });

  it("B51 a close alone answers END at once and fetches nothing, with a time or without", async ({ open, queue }) => {
    const client = await withOpen(open, queue, ["a", "b"]);
    await client.send(`get ${queue}/close/${LONG}\r\nget ${queue}/close/${LONG}\r\n`);
    await client.expect(END + END);
    assert.equal(await client.stat(queue, "items"), 1);
  });

  it("B52 close and open on an empty queue confirms the first and opens nothing", async ({ open, queue }) => {
    const client = await withOpen(open, queue, ["a"]);
    await client.send(`get ${queue}/close/open\r\n`);
    await client.expect(END);
    assert.deepEqual(await counts(client, queue), { items: 0, bytes: 0, open_transactions: 0, total_items: 1 });
  });

  for (const options of ["close/open", "open/close", "close/t=5000/open", "t=5000/open/close", "open/t=5000/close"]) {
    it(`/${options} confirms the first and opens the next`, async ({ open, queue }) => {
      const [client, other] = [await withOpen(open, queue, ["a", "b"]), await open()];
      await client.send(`get ${queue}/${options}\r\n`);
      await client.expect(value(queue, "b"));
      client.reset();
      await other.send(`get ${queue}/${LONG}\r\n`);
      await other.expect(value(queue, "b"));
      await other.send(`get ${queue}\r\n`);
      await other.expect(END);
    });
  }

  it("close comes before the wait of the fetch beside it", async ({ open, queue }) => {
    const [client, other] = [await withOpen(open, queue, ["a"]), await open()];
    await client.send(`get ${queue}/open/close/${LONG}\r\n`);
    await other.untilStat(queue, "waiters", 1);
    assert.equal(await other.stat(queue, "open_transactions"), 0);
    await other.send(set(queue, "b"));
    await client.expect(value(queue, "b"));
    await other.expect(STORED);
  });

  it("B70 a close on another connection confirms nothing", async ({ open, queue }) => {
    const [client, other] = [await withOpen(open, queue, ["a"]), await open()];
    await other.send(`get ${queue}/close\r\n`);
    await other.expect(END);
    client.destroy();
    await other.send(`get ${queue}/${LONG}\r\n`);
    await other.expect(value(queue, "a"));
  });
});

transcript("reliable reads: one at a time", {}, (it) => {
  it("B54 a second open on the queue is ERROR, ends the connection and loses nothing", async ({ open, queue }) => {
    const [client, other] = [await withOpen(open, queue, ["a", "b"]), await open()];
    await client.send(`get ${queue}/open\r\n`);
    await client.expectLine(STATE_ERROR);
    await client.expectClose();
    await expectAll(other, queue, ["a", "b"]);
  });

  it("B55 a plain get beside an open read is ERROR, ends the connection and takes nothing", async ({ open, queue }) => {
    for (const options of ["", "/t=5000"]) {
      const [client, other] = [await withOpen(open, queue, ["a", "b"]), await open()];
      await client.send(`get ${queue}${options}\r\n`);
      await client.expectLine(STATE_ERROR);
      await client.expectClose();
      await expectAll(other, queue, ["a", "b"]);
    }
  });

  it("B55 a peek beside an open read is allowed and shows the next", async ({ open, queue }) => {
    const client = await withOpen(open, queue, ["a", "b"]);
    await client.send(`get ${queue}/peek\r\nget ${queue}/close\r\n`);
    await client.expect(value(queue, "b") + END);
  });

  it("B56 one connection may have reads open on several queues; all come back when it goes", async ({
    open,
    queue,
  }) => {
    const [client, other] = [await open(), await open()];
    const names = [`${queue}a`, `${queue}b`, `${queue}c`];
    for (const name of names) {
      await client.send(`${set(name, name)}get ${name}/open\r\n`);
      await client.expect(STORED + value(name, name));
    }
    await client.send(`get ${queue}b/close\r\n`);
    await client.expect(END);
    client.destroy();
    await other.send(`get ${queue}a/${LONG}\r\nget ${queue}c/${LONG}\r\nget ${queue}b\r\n`);
    await other.expect(value(`${queue}a`, `${queue}a`) + value(`${queue}c`, `${queue}c`) + END);
  });
});

transcript("reliable reads: back to the head", {}, (it) => {
  it("B58 an aborted item is the next again", async ({ open, queue }) => {
    const client = await withOpen(open, queue, ["1", "2"]);
    await client.send(`get ${queue}/abort\r\nget ${queue}\r\nget ${queue}\r\n`);
    await client.expect(END + value(queue, "1") + value(queue, "2"));
  });

  it("B58 an abort with a time beside it answers at once", async ({ open, queue }) => {
    const client = await withOpen(open, queue, ["1"]);
    await client.send(`get ${queue}/abort/${LONG}\r\nget ${queue}\r\n`);
    await client.expect(END + value(queue, "1"));
  });

  for (const leave of ["reset", "destroy"] as const) {
    it(`B64 a disconnect puts the item back at the head at once (${leave})`, async ({ open, queue }) => {
      const [client, other] = [await withOpen(open, queue, ["1", "2"]), await open()];
      client[leave]();
      await other.untilStat(queue, "open_transactions", 0);
      await expectAll(other, queue, ["1", "2"]);
    });
  }

  it("B64 what comes back last is the first again", async ({ open, queue }) => {
    const [one, two, other] = [await open(), await open(), await open()];
    await other.send(["1", "2", "3"].map((data) => set(queue, data)).join(""));
    await other.expect(STORED.repeat(3));
    for (const [client, data] of [
      [one, "1"],
      [two, "2"],
    ] as const) {
      await client.send(`get ${queue}/open\r\n`);
      await client.expect(value(queue, data));
    }
    two.reset();
    await other.untilStat(queue, "open_transactions", 1);
    one.reset();
    await other.untilStat(queue, "open_transactions", 0);
    await expectAll(other, queue, ["1", "2", "3"]);
  });

  for (const back of ["get %/abort", "reset"]) {
    it(`B61 a read of a deleted queue does not bring the queue back (${back})`, async ({ open, queue }) => {
      const [client, other] = [await withOpen(open, queue, ["a"]), await open()];
      await other.send(`delete ${queue}\r\n`);
      await other.expect("DELETED\r\n");
      if (back === "reset") client.reset();
      else await client.send(`get ${queue}/abort\r\n`);
      if (back !== "reset") await client.expect(END);
      assert.equal(await other.stat(queue, "items"), undefined);
    });
  }

  it("B62 a close after the queue was deleted is END, and there is no queue", async ({ open, queue }) => {
    const [client, other] = [await withOpen(open, queue, ["a"]), await open()];
    await other.send(`delete ${queue}\r\n`);
    await other.expect("DELETED\r\n");
    await client.send(`get ${queue}/close\r\n`);
    await client.expect(END);
    assert.equal(await other.stat(queue, "items"), undefined);
  });

  it("B61 a read of a deleted queue does not come into a new queue of that name", async ({ open, queue }) => {
    const [client, other] = [await withOpen(open, queue, ["old"]), await open()];
    await other.send(`delete ${queue}\r\n${set(queue, "new")}`);
    await other.expect(`DELETED\r\n${STORED}`);
    await client.send(`get ${queue}/abort\r\n`);
    await client.expect(END);
    await expectAll(other, queue, ["new"]);
  });

  it("B63 an open read survives a flush and comes back with its abort", async ({ open, queue }) => {
    const [client, other] = [await withOpen(open, queue, ["a", "b"]), await open()];
    await other.send(`flush ${queue}\r\nget ${queue}\r\n`);
    await other.expect(END + END);
    await client.send(`get ${queue}/abort\r\n`);
    await client.expect(END);
    await expectAll(other, queue, ["a"]);
  });
});

drama(
  "several open reads on a connection close and abort oldest first",
  { config: "[server]\nmax_open_transactions = 3\n" },
  async ({ open, queue }) => {
    const [client, other] = [await withOpen(open, queue, ["1", "2", "3", "4"]), await open()];
    await client.send(`get ${queue}/open\r\nget ${queue}/open\r\n`);
    await client.expect(value(queue, "2") + value(queue, "3"));
    await client.send(`get ${queue}/close\r\nget ${queue}/abort\r\n`);
    await client.expect(END + END);
    await client.send(`get ${queue}/peek\r\n`);
    await client.expect(value(queue, "2"));
    client.reset();
    await other.untilStat(queue, "open_transactions", 0);
    await expectAll(other, queue, ["2", "3", "4"]);
  },
);

drama(
  "B64 several reads of one connection come back in their old order",
  { config: "[server]\nmax_open_transactions = 3\n" },
  async ({ open, queue }) => {
    const [client, other] = [await withOpen(open, queue, ["1", "2", "3", "4"]), await open()];
    await client.send(`get ${queue}/open\r\nget ${queue}/open\r\n`);
    await client.expect(value(queue, "2") + value(queue, "3"));
    client.destroy();
    await other.untilStat(queue, "open_transactions", 0);
    await expectAll(other, queue, ["1", "2", "3", "4"]);
  },
);

drama("B67 reads open at a kill -9 are back at the head, in order", {}, async ({ open, queue, server }) => {
  const items = ["1", "2", "3", "4", "5"];
  const clients = [await withOpen(open, queue, items), await open(), await open()];
  for (const [n, client] of clients.entries()) {
    if (n === 0) continue;
    await client.send(`get ${queue}/open\r\n`);
    await client.expect(value(queue, items[n] as string));
  }
  await server.kill9();
  for (const client of clients) client.destroy();
  await server.restart();
  const other = await open();
  assert.equal(await other.stat(queue, "items"), 5);
  assert.equal(await other.stat(queue, "open_transactions"), 0);
  await expectAll(other, queue, items);
});

// Puts the items and opens the first.
async function withOpen(open: Stage["open"], queue: string, items: readonly string[]): Promise<RawClient> {
  const client = await open();
  await client.send(items.map((data) => set(queue, data)).join(""));
  await client.expect(STORED.repeat(items.length));
  await client.send(`get ${queue}/open\r\n`);
  await client.expect(value(queue, items[0] as string));
  return client;
}

// Takes everything: exactly these items, in this order.
async function expectAll(client: RawClient, queue: string, items: readonly string[]): Promise<void> {
  for (const data of items) {
    await client.send(`get ${queue}/t=5000\r\n`);
    await client.expect(value(queue, data));
  }
  await client.send(`get ${queue}\r\n`);
  await client.expect(END);
}

async function counts(client: RawClient, queue: string): Promise<Record<string, number>> {
  const figures = await client.stats();
  const names = ["items", "bytes", "open_transactions", "total_items"];
  return Object.fromEntries(names.map((name) => [name, Number(figures.get(`queue_${queue}_${name}`))]));
}
