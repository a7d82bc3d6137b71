import assert from "node:assert/strict";
import { type Stage, transcript } from "../helpers/transcript.js";
import { CLIENT_ERROR, DELETED, END, FLUSHED_ALL, STORED, set, VERSION, value } from "../helpers/wire.js";

transcript("delete", {}, (it) => {
  it("F110 delete says DELETED, whether the queue exists or not", async ({ open, queue }) => {
    const client = await open();
    await client.send(`${set(queue, "a")}delete ${queue}\r\ndelete ${queue}\r\nget ${queue}\r\n`);
    await client.expect(STORED + DELETED + DELETED + END);
  });

  it("A25 delete takes a 0, and is silent with noreply", async ({ open, queue }) => {
    const client = await open();
    await client.send(
      `${set(queue, "a")}delete ${queue} 0\r\n${set(queue, "b")}delete ${queue} noreply\r\nversion\r\n`,
    );
    await client.expect(STORED + DELETED + STORED);
    await client.expectLine(VERSION);
    await client.send(`${set(queue, "c")}delete ${queue} 0 noreply\r\nget ${queue}\r\n`);
    await client.expect(STORED + END);
  });

  it("a queue that is put into again after delete has only what is new", async ({ open, queue }) => {
    const client = await open();
    for (let round = 0; round < 20; round += 1) {
      await client.send(
        `${set(queue, `old ${round}`)}delete ${queue}\r\n${set(queue, `${round}`)}get ${queue}\r\nget ${queue}\r\n`,
      );
      await client.expect(STORED + DELETED + STORED + value(queue, `${round}`) + END);
    }
  });

  it("a set before the delete in the same packet is answered, and gone", async ({ open, queue }) => {
    const client = await open();
    await client.send(`${set(queue, "a").repeat(50)}delete ${queue}\r\n${set(queue, "b")}`);
    await client.expect(STORED.repeat(50) + DELETED + STORED);
    assert.equal(await client.stat(queue, "items"), 1);
  });
});

transcript("delete and flush of what is not written yet", {}, (it) => {
  for (const [line, answer] of [
    ["delete %", DELETED],
    ["flush %", END],
    ["flush_all", FLUSHED_ALL],
  ] as const) {
    for (const options of ["", "/open", "/peek", null]) {
      const get = options === null ? "" : `get %${options}, `;
      it(`"set %, ${get}${line}" in one packet: all is answered`, async ({ open, queue }) => {
        const client = await open();
        const fetch = options === null ? "" : `get ${queue}${options}\r\n`;
        await client.send(`${set(queue, "a")}${fetch}${line.replace("%", queue)}\r\n${set(queue, "b")}`);
        await client.expect(STORED + (options === null ? "" : value(queue, "a")) + answer + STORED);
        await client.send(`get ${queue}/close\r\nget ${queue}\r\nget ${queue}\r\n`);
        await client.expect(END + value(queue, "b") + END);
      });
    }
  }
});

transcript("flush", {}, (it) => {
  it("flush empties the queue and says END, whether it exists or not", async ({ open, queue }) => {
    const client = await open();
    await client.send(`flush ${queue}\r\n${set(queue, "a")}${set(queue, "b")}flush ${queue}\r\nget ${queue}\r\n`);
    await client.expect(END + STORED + STORED + END + END);
    assert.equal(await client.stat(queue, "items"), 0);
    assert.equal(await client.stat(queue, "bytes"), 0);
  });

  it("F113 flush_all empties fifty queues while sets go on", async ({ open, queue }) => {
    const [client, other] = [await open(), await open()];
    const names = Array.from({ length: 50 }, (_, n) => `${queue}n${n}`);
    await client.send(names.map((name) => set(name, "old")).join(""));
    await client.expect(STORED.repeat(50));
    other.push(names.map((name) => set(name, "x").repeat(20)).join(""));
    await client.send("flush_all\r\nversion\r\n");
    await client.expect(FLUSHED_ALL);
    await client.expectLine(VERSION);
    await other.expect(STORED.repeat(1000));
    await client.send("flush_all 0\r\n");
    await client.expect(FLUSHED_ALL);
    const figures = await client.stats();
    for (const name of names) assert.equal(figures.get(`queue_${name}_items`), "0");
  });

  it("A25 flush_all is silent with noreply", async ({ open, queue }) => {
    const client = await open();
    await client.send(
      `${set(queue, "a")}flush_all noreply\r\nget ${queue}\r\n${set(queue, "b")}flush_all 0 noreply\r\nget ${queue}\r\n`,
    );
    await client.expect(STORED + END + STORED + END);
  });

  it("F114 flush of a long queue holds up nobody", async ({ open, queue }) => {
    const [client, other] = [await open(), await open()];
    for (let round = 0; round < 20; round += 1) client.push(set(queue, "x".repeat(100)).repeat(1000));
    await client.expect(STORED.repeat(20_000));
    client.push(`flush ${queue}\r\n`);
    await other.send("version\r\n");
    await other.expectLine(VERSION);
    await client.expect(END);
    await client.send(`get ${queue}\r\n${set(queue, "new")}get ${queue}\r\n`);
    await client.expect(END + STORED + value(queue, "new"));
  });
});

const NO_FLUSH_ALL = "[server]\nallow_flush_all = false\n";

transcript("flush_all that is not allowed", { config: NO_FLUSH_ALL }, (it) => {
  it("F112 flush_all is refused and nothing is flushed", async ({ open, queue }) => {
    const client = await open();
    await client.send(`${set(queue, "a")}flush_all\r\nget ${queue}\r\n`);
    await client.expect(STORED);
    await client.expect("SERVER_ERROR flush_all is disabled\r\n");
    await client.expect(value(queue, "a"));
  });

  it("F112 a single queue may still be flushed", async ({ open, queue }) => {
    const client = await open();
    await client.send(`${set(queue, "a")}flush ${queue}\r\nget ${queue}\r\n`);
    await client.expect(STORED + END + END);
  });
});

transcript("what makes a queue", {}, (it) => {
  for (const [line, answer] of [
    ["delete %", DELETED],
    ["flush %", END],
    ["get %/close", END],
    ["get %/close/t=100", END],
    ["get %/abort", END],
    ["stats %", null],
  ] as const) {
    it(`F111 "${line.replace("%", "nosuch")}" makes no queue`, async (stage) => {
      const client = await stage.open();
      await client.send(`${line.replace("%", stage.queue)}\r\n`);
      if (answer !== null) await client.expect(answer);
      else while ((await client.line()) !== END);
      assert.equal(await exists(stage), false);
      client.destroy();
    });
  }

  for (const options of ["", "/peek", "/open", "/close/open", "/t=10"]) {
    it(`F111 "get nosuch${options}" makes a queue`, async (stage) => {
      const client = await stage.open();
      await client.send(`get ${stage.queue}${options}\r\n`);
      await client.expect(END);
      assert.equal(await exists(stage), true);
    });
  }

  it("a set that is refused for its line makes no queue", async (stage) => {
    const client = await stage.open();
    await client.send(`set ${stage.queue} x 0 1\r\na\r\nset ${stage.queue} 0 0 3\r\nabcd\r\n`);
    await client.expectLine(CLIENT_ERROR);
    await client.expectLine(CLIENT_ERROR);
    await client.expectClose();
    assert.equal(await exists(stage), false);
  });

  it("F117 the figures of deleted queues go", async ({ open, queue }) => {
    const client = await open();
    const lines = (await client.stats()).size;
    for (let round = 0; round < 20; round += 1) {
      const names = Array.from({ length: 100 }, (_, n) => `${queue}r${round}n${n}`);
      await client.send(names.map((name) => `${set(name, "a")}delete ${name}\r\n`).join(""));
      await client.expect((STORED + DELETED).repeat(100));
    }
    assert.equal((await client.stats()).size, lines);
  });
});

async function exists({ open, queue }: Stage): Promise<boolean> {
  const client = await open();
  return (await client.stat(queue, "items")) !== undefined;
}
