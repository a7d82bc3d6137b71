import assert from "node:assert/strict";
import type { RawClient } from "../helpers/raw-client.js";
import { drama, type Stage, transcript } from "../helpers/transcript.js";
import { END, STORED, set, VERSION, value } from "../helpers/wire.js";
import { timed } from "../helpers/within.js";

/** Far above every bound of these tests: a fetch that waits this long waits for an item. */
const LONG = "t=60000";
/** What is promised "at once" comes within this, also on a busy machine. */
const AT_ONCE_MS = 5000;

transcript("wait: time", {}, (it) => {
  it("C71 a fetch on an empty queue answers END when its time is over, not before", async ({ open, queue }) => {
    const client = await open();
    const { ms } = await timed(async () => {
      await client.send(`get ${queue}/t=500\r\n`);
      await client.expect(END);
    });
    assert.ok(ms >= 499, `END after ${ms} ms`);
    assert.ok(ms < 500 + AT_ONCE_MS, `END after ${ms} ms`);
  });

  it("A43 the time is in milliseconds", async ({ open, queue }) => {
    const client = await open();
    const { ms } = await timed(async () => {
      await client.send(`get ${queue}/t=50\r\nget ${queue}/open/t=50\r\nget ${queue}/t=50/peek\r\n`);
      await client.expect(END + END + END);
    });
    assert.ok(ms >= 149 && ms < 150 + AT_ONCE_MS, `three times END after ${ms} ms`);
  });

  it("A42 a time above 2^31-1 waits", async ({ open, queue }) => {
    const [client, other] = [await open(), await open()];
    await client.send(`get ${queue}/t=99999999999\r\n`);
    await other.untilStat(queue, "waiters", 1);
    await client.expectSilence();
    await other.send(set(queue, "a"));
    await client.expect(value(queue, "a"));
    await other.expect(STORED);
  });

  it("an item that is there is given at once, whatever the time", async ({ open, queue }) => {
    const client = await open();
    await client.send(`${set(queue, "a")}get ${queue}/${LONG}\r\n`);
    await client.expect(STORED + value(queue, "a"));
  });

  it("C74 the second of two waiters ends at its own deadline", async ({ open, queue }) => {
    const [a, b, other] = [await open(), await open(), await open()];
    await park(a, other, `${queue}/t=60000`, 1);
    const { ms } = await timed(async () => {
      await park(b, other, `${queue}/t=800`, 2);
      await other.send(set(queue, "a"));
      await a.expect(value(queue, "a"));
      await b.expect(END);
    });
    await other.expect(STORED);
    assert.ok(ms >= 799 && ms < 800 + AT_ONCE_MS, `END after ${ms} ms`);
  });

  it("a waiter whose time was over does not take the next item", async ({ open, queue }) => {
    const client = await open();
    await client.send(`get ${queue}/t=20\r\n`);
    await client.expect(END);
    await client.send(`${set(queue, "a")}get ${queue}\r\n`);
    await client.expect(STORED + value(queue, "a"));
  });
});

transcript("wait: order", {}, (it) => {
  it("A9 what is pipelined behind a waiting fetch waits for its end", async ({ open, queue }) => {
    const client = await open();
    const { ms } = await timed(async () => {
      await client.send(`get ${queue}/t=300\r\nversion\r\n`);
      await client.expectSilence();
      await client.expect(END);
      await client.expectLine(VERSION);
    });
    assert.ok(ms >= 299, `answers after ${ms} ms`);
  });

  it("A9 what is pipelined behind a waiting fetch comes after its item", async ({ open, queue }) => {
    const [client, other] = [await open(), await open()];
    await client.send(`get ${queue}/${LONG}\r\nversion\r\nget ${queue}/${LONG}\r\nversion\r\n`);
    await other.untilStat(queue, "waiters", 1);
    await other.send(set(queue, "a"));
    await client.expect(value(queue, "a"));
    await client.expectLine(VERSION);
    await other.expect(STORED);
    await other.untilStat(queue, "waiters", 1);
    await client.expectSilence();
    await other.send(set(queue, "b"));
    await client.expect(value(queue, "b"));
    await client.expectLine(VERSION);
    await other.expect(STORED);
  });

  it("A9 a set behind a waiting fetch is not executed before it, so it does not answer it", async ({ open, queue }) => {
    const client = await open();
    await client.send(`get ${queue}/t=200\r\n${set(queue, "a")}get ${queue}\r\n`);
    await client.expect(END + STORED + value(queue, "a"));
  });

  it("C72 one item wakes one waiter, the one who came first", async ({ open, queue }) => {
    const [a, b, c, other] = [await open(), await open(), await open(), await open()];
    for (const [i, client] of [a, b, c].entries()) await park(client, other, `${queue}/${LONG}`, i + 1);
    for (const [client, data] of [
      [a, "1"],
      [b, "2"],
      [c, "3"],
    ] as const) {
      await other.send(set(queue, data));
      await other.expect(STORED);
      await client.expect(value(queue, data));
      for (const silent of [a, b, c]) await silent.expectSilence();
    }
  });

  it("C72 a hundred waiters are served in the order in which they came", async ({ open, queue }) => {
    const other = await open();
    const clients: RawClient[] = [];
    for (let n = 1; n <= 100; n += 1) {
      const client = await open();
      await park(client, other, `${queue}/${LONG}`, n);
      clients.push(client);
    }
    await other.send(clients.map((_, n) => set(queue, `item ${n}`)).join(""));
    for (const [n, client] of clients.entries()) await client.expect(value(queue, `item ${n}`));
    for (const _ of clients) await other.expect(STORED);
    assert.equal(await other.stat(queue, "items"), 0);
  });

  it("a waiter on one queue does not hold up another", async ({ open, queue }) => {
    const [a, b] = [await open(), await open()];
    await park(a, b, `${queue}/${LONG}`, 1);
    await b.send(`${set(`${queue}x`, "a")}get ${queue}x/${LONG}\r\n`);
    await b.expect(STORED + value(`${queue}x`, "a"));
    await a.expectSilence();
    a.destroy();
  });

  it("a waiting peek does not use the item up: the next waiter is served by the same put", async ({ open, queue }) => {
    const [a, b, other] = [await open(), await open(), await open()];
    await park(a, other, `${queue}/peek/${LONG}`, 1);
    await park(b, other, `${queue}/${LONG}`, 2);
    await other.send(set(queue, "a"));
    await other.expect(STORED);
    await a.expect(value(queue, "a"));
    await b.expect(value(queue, "a"));
    assert.equal(await other.stat(queue, "items"), 0);
  });
});

transcript("wait: what wakes", {}, (it) => {
  it("C79 an abort wakes the waiter", async ({ open, queue }) => {
    const { opener, waiter } = await openAndPark(open, queue);
    await opener.send(`get ${queue}/abort\r\n`);
    await opener.expect(END);
    await waiter.expect(value(queue, "a"), AT_ONCE_MS);
  });

  it("C79 a disconnect wakes the waiter, a reset as well as an end", async ({ open, queue }) => {
    for (const leave of ["reset", "destroy", "halfClose"] as const) {
      const { opener, waiter } = await openAndPark(open, `${queue}${leave}`);
      opener[leave]();
      await waiter.expect(value(`${queue}${leave}`, "a"), AT_ONCE_MS);
    }
  });

  it("C79 a put with noreply wakes the waiter", async ({ open, queue }) => {
    const [a, other] = [await open(), await open()];
    await park(a, other, `${queue}/open/${LONG}`, 1);
    await other.send(set(queue, "a", " noreply"));
    await a.expect(value(queue, "a"), AT_ONCE_MS);
  });

  it("C81 delete ends the waits at once, and what is put after it stays for the next get", async ({ open, queue }) => {
    const [a, b] = [await open(), await open()];
    await park(a, b, `${queue}/${LONG}`, 1);
    await b.send(`delete ${queue}\r\n${set(queue, "new")}`);
    await a.expect(END, AT_ONCE_MS);
    await b.expect(`DELETED\r\n${STORED}`);
    await b.send(`get ${queue}\r\n`);
    await b.expect(value(queue, "new"));
  });

  it("flush leaves the waiters waiting", async ({ open, queue }) => {
    const [a, b] = [await open(), await open()];
    await park(a, b, `${queue}/${LONG}`, 1);
    await b.send(`flush ${queue}\r\n`);
    await b.expect(END);
    await a.expectSilence();
    await b.send(set(queue, "a"));
    await b.expect(STORED);
    await a.expect(value(queue, "a"));
  });
});

transcript("wait: clients that go away", {}, (it) => {
  for (const leave of ["reset", "destroy"] as const) {
    it(`C73 an item goes to the next waiter when the first is gone (${leave})`, async ({ open, queue }) => {
      const [a, b, other] = [await open(), await open(), await open()];
      await park(a, other, `${queue}/${LONG}`, 1);
      await park(b, other, `${queue}/${LONG}`, 2);
      a[leave]();
      await other.untilStat(queue, "waiters", 1);
      await other.send(set(queue, "a"));
      await b.expect(value(queue, "a"));
      await other.expect(STORED);
    });

    it(`C83 a client that gave up does not take the item that comes later (${leave})`, async ({ open, queue }) => {
      const [a, other] = [await open(), await open()];
      await park(a, other, `${queue}/t=5000`, 1);
      a[leave]();
      await other.untilStat(queue, "waiters", 0);
      await other.send(`${set(queue, "a")}get ${queue}\r\n`);
      await other.expect(STORED + value(queue, "a"));
    });
  }

  it("C73 a reset and a put in the same moment: the item is delivered to the living or stays", async ({
    open,
    queue,
  }) => {
    const [b, other] = [await open(), await open()];
    for (let round = 0; round < 50; round += 1) {
      const a = await open();
      await park(a, other, `${queue}/open/${LONG}`, 1);
      a.reset();
      await other.send(set(queue, `${round}`));
      await other.expect(STORED);
      await b.send(`get ${queue}/${LONG}\r\n`);
      await b.expect(value(queue, `${round}`));
    }
  });

  it("C76 a waiter who goes leaves the wait-list at once", async ({ open, queue }) => {
    const [a, other] = [await open(), await open()];
    await park(a, other, `${queue}/open/t=3599000`, 1);
    a.reset();
    await other.untilStat(queue, "waiters", 0);
    assert.equal(await other.stat(queue, "open_transactions"), 0);
  });
});

drama("C76 the timer of a long wait does not hold the process", {}, async ({ open, queue, server }) => {
  const [a, b] = [await open(), await open()];
  await park(a, b, `${queue}/open/t=3599000`, 1);
  a.destroy();
  await b.untilStat(queue, "waiters", 0);
  b.destroy();
  const { ms } = await timed(() => server.stop());
  assert.ok(ms < AT_ONCE_MS, `the server took ${ms} ms to end`);
});

// Sends a fetch that will wait, and waits until it does: `waiters` is then the length of the wait-list.
async function park(client: RawClient, other: RawClient, key: string, waiters: number): Promise<void> {
  await client.send(`get ${key}\r\n`);
  await other.untilStat(key.slice(0, key.indexOf("/")), "waiters", waiters);
}

// One client holds the only item open, another waits for it.
async function openAndPark(open: Stage["open"], queue: string): Promise<{ opener: RawClient; waiter: RawClient }> {
  const [opener, waiter, other] = [await open(), await open(), await open()];
  await opener.send(`${set(queue, "a")}get ${queue}/open\r\n`);
  await opener.expect(STORED + value(queue, "a"));
  await park(waiter, other, `${queue}/${LONG}`, 1);
  return { opener, waiter };
}
