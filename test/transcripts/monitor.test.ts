import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import { transcript } from "../helpers/transcript.js";
import { CLIENT_ERROR, END, STATE_ERROR, STORED, set, value } from "../helpers/wire.js";

transcript("monitor, confirm and several open reads", { config: "[server]\nmax_open_transactions = 10\n" }, (it) => {
  it("J158 a monitor's items come one by one, each with its END, then a last END at its time", async ({
    open,
    queue,
  }) => {
    const client = await open();
    await client.send(set(queue, "a") + set(queue, "b"));
    await client.expect(STORED + STORED);
    const from = performance.now();
    await client.send(`monitor ${queue} 1 10\r\n`);
    await client.expect(value(queue, "a") + value(queue, "b"));
    await client.expect(END);
    assert.ok(performance.now() - from >= 1000);
    assert.equal(await client.stat(queue, "open_transactions"), 2);
    await client.send(`confirm ${queue} 2\r\n`);
    await client.expect(END);
    assert.equal(await client.stat(queue, "open_transactions"), 0);
  });

  it("C43 a monitor's time is in seconds, a get's in milliseconds", async ({ open, queue }) => {
    const client = await open();
    const from = performance.now();
    await client.send(`monitor ${queue} 2\r\n`);
    await client.expect(END);
    const tookMs = performance.now() - from;
    assert.ok(tookMs >= 2000 && tookMs < 10_000, `${tookMs} ms`);
  });

  it("J159 a monitor stops at its count and at the open limit", async ({ open, queue }) => {
    const client = await open();
    await client.send(Array.from({ length: 12 }, (_, n) => set(queue, `${n}`)).join(""));
    await client.expect(STORED.repeat(12));
    await client.send(`monitor ${queue} 60 3\r\n`);
    await client.expect([0, 1, 2].map((n) => value(queue, `${n}`)).join("") + END);
    await client.send(`monitor ${queue} 60\r\n`);
    await client.expect([3, 4, 5, 6, 7, 8, 9].map((n) => value(queue, `${n}`)).join("") + END);
    await client.send(`confirm ${queue} 10\r\n`);
    await client.expect(END);
    assert.equal(await client.stat(queue, "items"), 2);
  });

  it("J160 a client that drops during a monitor leaves nothing behind", async ({ open, queue }) => {
    const client = await open();
    const other = await open();
    await other.send(set(queue, "a") + set(queue, "b"));
    await other.expect(STORED + STORED);
    await client.send(`monitor ${queue} 60\r\n`);
    await client.expect(value(queue, "a") + value(queue, "b"));
    client.reset();
    await other.untilStat(queue, "waiters", 0);
    await other.untilStat(queue, "open_transactions", 0);
    await other.send(`get ${queue}\r\nget ${queue}\r\n`);
    await other.expect(value(queue, "a") + value(queue, "b"));
  });

  it("a monitor ends with the client's FIN, what is behind it is answered", async ({ open, queue }) => {
    const client = await open();
    const other = await open();
    await client.send(`monitor ${queue} 60\r\nget ${queue}\r\n`);
    await other.untilStat(queue, "waiters", 1);
    client.halfClose();
    await client.expect(END + END);
    await client.expectClose();
  });

  it("two monitors take turns with every item", async ({ open, queue }) => {
    const [a, b, other] = [await open(), await open(), await open()];
    await a.send(`monitor ${queue} 60 2\r\n`);
    await other.untilStat(queue, "waiters", 1);
    await b.send(`monitor ${queue} 60 2\r\n`);
    await other.untilStat(queue, "waiters", 2);
    for (const [client, data] of [
      [a, "1"],
      [b, "2"],
      [a, "3"],
      [b, "4"],
    ] as const) {
      await other.send(set(queue, data));
      await other.expect(STORED);
      await client.expect(value(queue, data));
    }
    await a.expect(END);
    await b.expect(END);
  });

  it("a monitor's faults leave the connection open", async ({ open, queue }) => {
    const client = await open();
    for (const line of [`monitor ${queue}`, `monitor ${queue} x`, `monitor ${queue} 1 x`, "monitor a.b 1"]) {
      await client.send(`${line}\r\n`);
      await client.expectLine(CLIENT_ERROR);
    }
    await client.send(`monitor ${queue} 0\r\n`);
    await client.expect(END);
  });

  it("B60 confirm takes all that it names or none", async ({ open, queue }) => {
    const client = await open();
    await client.send(set(queue, "a") + set(queue, "b"));
    await client.expect(STORED + STORED);
    await client.send(`get ${queue}/open\r\nget ${queue}/open\r\n`);
    await client.expect(value(queue, "a") + value(queue, "b"));
    await client.send(`confirm ${queue} 3\r\nconfirm ${queue} 0\r\nconfirm ${queue} -5\r\nconfirm ${queue} x\r\n`);
    for (let i = 0; i < 3; i++) await client.expectLine(STATE_ERROR);
    await client.expectLine(CLIENT_ERROR);
    assert.equal(await client.stat(queue, "open_transactions"), 2);
    await client.send(`confirm ${queue} 2\r\n`);
    await client.expect(END);
  });

  it("B54 one more than the limit is ERROR and the end, and everything goes back in its old order", async ({
    open,
    queue,
  }) => {
    const client = await open();
    const other = await open();
    const data = Array.from({ length: 11 }, (_, n) => `${n}`);
    await client.send(data.map((one) => set(queue, one)).join(""));
    await client.expect(STORED.repeat(11));
    await client.send(`get ${queue}/open\r\n`.repeat(11));
    await client.expect(
      data
        .slice(0, 10)
        .map((one) => value(queue, one))
        .join(""),
    );
    await client.expectLine(STATE_ERROR);
    await client.expectClose();
    await other.send(`get ${queue}\r\n`.repeat(11));
    await other.expect(data.map((one) => value(queue, one)).join(""));
  });
});
