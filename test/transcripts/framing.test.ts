import assert from "node:assert/strict";
import type { RawClient } from "../helpers/raw-client.js";
import { anonymousMemory } from "../helpers/start-server.js";
import { type Stage, transcript } from "../helpers/transcript.js";
import { CLIENT_ERROR, END, STORED, set, VERSION, value } from "../helpers/wire.js";

transcript("framing: lines and words", {}, (it) => {
  it("A1 the command word may be in any case", async ({ open, queue }) => {
    const client = await open();
    await client.send(`Set ${queue} 0 0 1\r\na\r\nGET ${queue}\r\ngEt ${queue}\r\nVERSION\r\n`);
    await client.expect(STORED);
    await client.expect(value(queue, "a"));
    await client.expect(END);
    await client.expectLine(VERSION);
  });

  it("A1 queue names keep their case", async ({ open, queue }) => {
    const client = await open();
    await client.send(`set ${queue}x 0 0 1\r\na\r\nget ${queue}X\r\nget ${queue}x\r\n`);
    await client.expect(STORED);
    await client.expect(END);
    await client.expect(value(`${queue}x`, "a"));
  });

  it("A2 a line may end with a bare line feed, and the answer ends with CRLF", async ({ open, queue }) => {
    const client = await open();
    await client.send(`version\nset ${queue} 0 0 1\na\r\nget ${queue}\n`);
    await client.expectLine(VERSION);
    await client.expect(STORED);
    await client.expect(value(queue, "a"));
  });

  it("A2 STATS with a bare line feed answers as stats does", async ({ open }) => {
    const client = await open();
    await client.send("STATS\n");
    await client.expectLine(/^STAT \S+ .*\r\n$/);
    while ((await client.line()) !== END);
  });

  it("A3 spaces before the end of a line are harmless", async ({ open, queue }) => {
    const client = await open();
    await client.send(`set ${queue} 0 0 1 \r\na\r\nget ${queue}/t=500 \r\nget ${queue}  \r\nversion \r\n`);
    await client.expect(STORED);
    await client.expect(value(queue, "a"));
    await client.expect(END);
    await client.expectLine(VERSION);
  });

  it("A4 several spaces are as good as one", async ({ open, queue }) => {
    const client = await open();
    await client.send(`set ${queue}  0   0  1\r\na\r\nget  ${queue}\r\n`);
    await client.expect(STORED);
    await client.expect(value(queue, "a"));
  });

  it("A5 an empty line is one error and ends the connection", async ({ open }) => {
    const client = await open();
    await client.send("\r\nversion\r\n");
    await client.expectLine(CLIENT_ERROR);
    await client.expectClose();
  });

  it("words that a command does not know are ignored", async ({ open, queue }) => {
    const client = await open();
    await client.send(`version now please\r\nset ${queue} 0 0 1\r\na\r\ndelete ${queue} 0 gone\r\nquit at once\r\n`);
    await client.expectLine(VERSION);
    await client.expect(STORED);
    await client.expect("DELETED\r\n");
    await client.expectClose();
  });
});

transcript("framing: cuts and pipelines", {}, (it) => {
  it("A6 a cut at any byte changes nothing", async ({ open, queue }) => {
    const [client, witness] = [await open(), await open()];
    const stream = Buffer.from(`set ${queue} 0 0 5\r\nhello\r\nget ${queue}\r\n`);
    for (let cut = 1; cut < stream.length; cut += 1) {
      await client.send(stream.subarray(0, cut));
      await roundTrip(witness);
      await client.send(stream.subarray(cut));
      await expectHello(client, queue);
    }
  });

  it("A6 one byte at a time changes nothing", async ({ open, queue }) => {
    const [client, witness] = [await open(), await open()];
    for (const byte of Buffer.from(`set ${queue} 0 0 5\r\nhello\r\nget ${queue}\r\n`)) {
      await client.send(Buffer.of(byte));
      await roundTrip(witness);
    }
    await expectHello(client, queue);
  });

  it("A8 what arrives in one packet is answered in its order", async ({ open, queue }) => {
    const client = await open();
    await client.send(`${set(queue, "a")}${set(queue, "b")}get ${queue}\r\nget ${queue}\r\nget ${queue}\r\n`);
    await client.expect(STORED + STORED);
    await client.expect(value(queue, "a"));
    await client.expect(value(queue, "b"));
    await client.expect(END);
  });

  it("A8 a pipeline of many kinds is answered in its order", async ({ open, queue }) => {
    const client = await open();
    await client.send(
      `get ${queue}\r\n${set(queue, "a")}version\r\nget ${queue}/open\r\ndelete ${queue}\r\nverbosity 1\r\n`,
    );
    await client.expect(END + STORED);
    await client.expectLine(VERSION);
    await client.expect(value(queue, "a"));
    await client.expect("DELETED\r\nOK\r\n");
  });
});

transcript("framing: what is no memcache command", {}, (it) => {
  it("A30 a line of 8000 bytes is read", async ({ open, queue }) => {
    const client = await open();
    await client.send(`get ${queue}${" x".repeat(3990)}\r\n`);
    await client.expect(END);
  });

  it("A30 a line over 8 KiB is an error and ends the connection, its end seen or not", async ({ open, queue }) => {
    for (const end of ["", "\r\n"]) {
      const client = await open();
      await client.send(`get ${queue}${" x".repeat(4200)}${end}`);
      await client.expectLine(CLIENT_ERROR);
      await client.expectClose();
    }
  });

  it("A30 an endless line takes no memory", async (stage) => {
    for (let round = 0; round < 20; round += 1) await sendEndlessLine(stage);
    const before = await anonymousMemory(stage.server.pid);
    for (let round = 0; round < 100; round += 1) await sendEndlessLine(stage);
    const grown = (await anonymousMemory(stage.server.pid)) - before;
    assert.ok(grown < 40e6, `${grown} bytes more after 100 lines of 1 MB`);
  });

  it("A31 a binary client is hung up on without a word, with one line in the log", async ({ open, server }) => {
    const client = await open();
    await client.send(Buffer.concat([Buffer.from("800b0000", "hex"), Buffer.alloc(20)]));
    await client.expectClose();
    await server.logged(/binary/i);
    assert.equal(server.stderr.filter((line) => /binary/i.test(line)).length, 1);
  });

  it("A31 a command that begins like a binary one ends the connection without a word", async ({ open, queue }) => {
    const client = await open();
    await client.send(`${set(queue, "a")}\x80\x0b\x00\x00`);
    await client.expect(STORED);
    await client.expectClose();
  });

  for (const line of ["die in a fire", "incr q 1", "touch q 9", "mg q v", "cache_memlimit 1"]) {
    it(`${line.startsWith("die") ? "A32" : "A34"} "${line}" is one error and ends the connection`, async ({ open }) => {
      const client = await open();
      await client.send(`${line}\r\nversion\r\n`);
      await client.expectLine(CLIENT_ERROR);
      await client.expectClose();
    });
  }

  it("A32 the end of the connection gives its open reads back", async ({ open, queue }) => {
    const [client, other] = [await open(), await open()];
    await client.send(`${set(queue, "a")}get ${queue}/open\r\ndie\r\n`);
    await client.expect(STORED);
    await client.expect(value(queue, "a"));
    await client.expectLine(CLIENT_ERROR);
    await client.expectClose();
    await other.send(`get ${queue}\r\n`);
    await other.expect(value(queue, "a"));
  });

  it("a browser is hung up on, and its request is no command", async ({ open, queue }) => {
    for (const request of [`GET ${queue} HTTP/1.1`, `SET ${queue} 0 0 5 HTTP/1.0`, "POST / HTTP/1.1"]) {
      const client = await open();
      await client.send(`${request}\r\n`);
      if (await answers(client)) await client.expectLine(CLIENT_ERROR);
      await client.expectClose();
    }
    const client = await open();
    assert.equal(await client.stat(queue, "items"), undefined);
  });
});

async function expectHello(client: RawClient, queue: string): Promise<void> {
  await client.expect(STORED);
  await client.expect(value(queue, "hello"));
}

async function roundTrip(client: RawClient): Promise<void> {
  await client.send("version\r\n");
  await client.expectLine(VERSION);
}

// The server may hang up in the middle of it, so how it is answered is another case's question.
async function sendEndlessLine({ open, server }: Stage): Promise<void> {
  const [client, witness] = [await open(), await open()];
  client.push(Buffer.alloc(1_000_000, "a"));
  await client.line().catch(() => "");
  client.destroy();
  await roundTrip(witness);
  assert.ok(server.pid > 0);
}

// Whether anything comes before the end.
async function answers(client: RawClient): Promise<boolean> {
  return client.expectClose().then(
    () => false,
    () => client.unread.length > 0,
  );
}
