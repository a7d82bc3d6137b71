import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import { transcript } from "../helpers/transcript.js";
import { END, STORED, set, VERSION, value } from "../helpers/wire.js";

/** A fetch that would outlive the test. */
const LONG = "t=60000";
const AT_ONCE_MS = 10_000;

transcript("half-close: one command through nc", {}, (it) => {
  it("C84 a get is answered after the peer's end, then the connection ends", async ({ open, queue }) => {
    const [client, other] = [await open(), await open()];
    await other.send(set(queue, "a"));
    await other.expect(STORED);
    client.push(`get ${queue}\r\n`);
    client.halfClose();
    await client.expect(value(queue, "a"));
    await client.expectClose();
  });

  it("C84 a set is answered after the peer's end, when the journal has it", async ({ open, queue }) => {
    const [client, other] = [await open(), await open()];
    client.push(set(queue, "a"));
    client.halfClose();
    await client.expect(STORED);
    await client.expectClose();
    await other.send(`get ${queue}\r\n`);
    await other.expect(value(queue, "a"));
  });

  it("C84 everything that came before the end is answered", async ({ open, queue }) => {
    const client = await open();
    client.push(`${set(queue, "a")}${set(queue, "b")}get ${queue}\r\nversion\r\nstats\r\n`);
    client.halfClose();
    await client.expect(STORED + STORED + value(queue, "a"));
    await client.expectLine(VERSION);
    while ((await client.line()) !== END);
    await client.expectClose();
  });

  it("C84 a connection that ends without a word is closed", async ({ open }) => {
    const client = await open();
    client.halfClose();
    await client.expectClose();
  });

  it("C84 half a command before the end is nothing", async ({ open, queue }) => {
    const [client, other] = [await open(), await open()];
    client.push(`set ${queue} 0 0 5\r\nhel`);
    client.halfClose();
    await client.expectClose();
    await other.send(`get ${queue}\r\n`);
    await other.expect(END);
  });

  it("C84 an open read is given back at the end", async ({ open, queue }) => {
    const [client, other] = [await open(), await open()];
    client.push(`${set(queue, "a")}get ${queue}/open\r\n`);
    client.halfClose();
    await client.expect(STORED + value(queue, "a"));
    await client.expectClose();
    await other.send(`get ${queue}/${LONG}\r\n`);
    await other.expect(value(queue, "a"));
  });
});

transcript("half-close: a waiting fetch", {}, (it) => {
  it("C84 a waiting fetch ends at once with END and takes nothing", async ({ open, queue }) => {
    const [client, other] = [await open(), await open()];
    await client.send(`get ${queue}/${LONG}\r\n`);
    await other.untilStat(queue, "waiters", 1);
    client.halfClose();
    await client.expect(END, AT_ONCE_MS);
    await client.expectClose();
    await other.send(`${set(queue, "a")}get ${queue}\r\n`);
    await other.expect(STORED + value(queue, "a"));
  });

  it("C84 a fetch that came with the end does not wait", async ({ open, queue }) => {
    const client = await open();
    client.push(`get ${queue}/${LONG}\r\n`);
    client.halfClose();
    await client.expect(END, AT_ONCE_MS);
    await client.expectClose();
  });

  it("C85 commands behind a waiting fetch are answered after the peer's end", async ({ open, queue }) => {
    const [client, other] = [await open(), await open()];
    await client.send(`get ${queue}/${LONG}\r\nversion\r\nget ${queue}/open/${LONG}\r\nversi`);
    await other.untilStat(queue, "waiters", 1);
    client.halfClose();
    await client.expect(END, AT_ONCE_MS);
    await client.expectLine(VERSION);
    await client.expect(END, AT_ONCE_MS);
    await client.expectClose();
    await other.send(`${set(queue, "a")}get ${queue}\r\n`);
    await other.expect(STORED + value(queue, "a"));
  });

  for (const leave of ["halfClose", "destroy", "reset"] as const) {
    it(`C85 with input held behind the fetch the peer's going is still noticed (${leave})`, async ({ open, queue }) => {
      const [client, other] = [await open(), await open()];
      await client.send(`get ${queue}/${LONG}\r\n${"version\r\n".repeat(10_000)}`);
      await other.untilStat(queue, "waiters", 1);
      client[leave]();
      await other.untilStat(queue, "waiters", 0);
      await other.send(`${set(queue, "a")}get ${queue}\r\n`);
      await other.expect(STORED + value(queue, "a"));
      if (leave !== "halfClose") return;
      await client.expect(END);
      for (let n = 0; n < 10_000; n += 1) await client.expectLine(VERSION);
      await client.expectClose();
    });
  }

  it("C85 a fetch ends early when more than 1 MiB of input is held behind it", async ({ open, queue }) => {
    const client = await open();
    const start = performance.now();
    await client.send(`get ${queue}/${LONG}\r\n`);
    const sent = client.send("version\r\n".repeat(130_000));
    await client.expect(END, AT_ONCE_MS);
    assert.ok(performance.now() - start < AT_ONCE_MS);
    for (let n = 0; n < 130_000; n += 1) await client.expectLine(VERSION);
    await sent;
  });

  it("C85 half a MiB held behind a fetch does not end it", async ({ open, queue }) => {
    const [client, other] = [await open(), await open()];
    await client.send(`get ${queue}/${LONG}\r\n${"version\r\n".repeat(58_000)}`);
    await other.untilStat(queue, "waiters", 1);
    await client.expectSilence();
    await other.send(set(queue, "a"));
    await other.expect(STORED);
    await client.expect(value(queue, "a"));
    for (let n = 0; n < 58_000; n += 1) await client.expectLine(VERSION);
  });
});
