import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { drama, transcript } from "../helpers/transcript.js";
import { CLIENT_ERROR, END, STORED, set, VERSION, value } from "../helpers/wire.js";

const LONGEST = "n".repeat(250);
const TOO_LONG = "n".repeat(251);

transcript("names: what a queue may be called", {}, (it) => {
  it("A29 a name of 250 bytes is legal", async ({ open }) => {
    const client = await open();
    await client.send(`${set(LONGEST, "a")}get ${LONGEST}\r\n`);
    await client.expect(STORED);
    await client.expect(value(LONGEST, "a"));
  });

  it("A29 a name of 251 bytes is an error, its body is swallowed, the connection stays", async ({ open }) => {
    const client = await open();
    await client.send(`get ${TOO_LONG}\r\nset ${TOO_LONG} 0 0 5\r\nquit\n\r\nversion\r\n`);
    await client.expectLine(CLIENT_ERROR);
    await client.expectLine(CLIENT_ERROR);
    await client.expectLine(VERSION);
  });

  it("A45 get with an empty name is an error and ends the connection", async ({ open }) => {
    for (const key of ["/peek", "/", "/t=100", "/open"]) {
      const client = await open();
      await client.send(`get ${key}\r\n`);
      await client.expectLine(CLIENT_ERROR);
      await client.expectClose();
    }
  });

  it("A45 set with an empty name is an error and its body is swallowed", async ({ open }) => {
    const client = await open();
    await client.send("set /x 0 0 5\r\nquit\n\r\nversion\r\n");
    await client.expectLine(CLIENT_ERROR);
    await client.expectLine(VERSION);
  });

  for (const name of ["a.b", "a~b", "../x", "..", "a\x00b", "a\x7fb", "a\x01", "a\tb", "+a", "a+", "+"]) {
    it(`A46 set into ${JSON.stringify(name)} is one error, its body is swallowed`, async ({ open }) => {
      const client = await open();
      await client.send(`set ${name} 0 0 5\r\nquit\n\r\nversion\r\n`);
      await client.expectLine(CLIENT_ERROR);
      await client.expectLine(VERSION);
    });
  }

  it("A46 get, delete and flush of an illegal name are one error each", async ({ open }) => {
    const client = await open();
    for (const line of ["get a.b", "get a~b/open", "get ..", "delete ../x", "delete a.b", "flush a~b", "flush +a"]) {
      await client.send(`${line}\r\n`);
      await client.expectLine(CLIENT_ERROR);
    }
    await client.send("version\r\n");
    await client.expectLine(VERSION);
  });

  it("bytes from 0x80 on are kept in a name", async ({ open, queue }) => {
    const client = await open();
    const name = `${queue}\xc3\xa9\xff\x80`;
    await client.send(`${set(name, "a")}get ${name}\r\n`);
    await client.expect(STORED);
    await client.expect(value(name, "a"));
  });

  it("A47 a child whose name is too long is refused and does its parent no harm", async ({ open, queue }) => {
    const client = await open();
    await client.send(`get ${queue}+${"x".repeat(300)}\r\n${set(queue, "a")}get ${queue}\r\n`);
    await client.expectLine(CLIENT_ERROR);
    await client.expect(STORED);
    await client.expect(value(queue, "a"));
  });

  it("A48 names that differ in case are two queues", async ({ open, queue }) => {
    const client = await open();
    await client.send(`${set(`Work${queue}`, "1")}${set(`work${queue}`, "2")}get work${queue}\r\nget Work${queue}\r\n`);
    await client.expect(STORED + STORED);
    await client.expect(value(`work${queue}`, "2"));
    await client.expect(value(`Work${queue}`, "1"));
  });
});

drama("A45 A46 illegal names leave nothing on the disk, and the next start is clean", {}, async ({ open, server }) => {
  const names = ["/x", "a.b", "a~b", "../x", "a\x00b", TOO_LONG, "+a"];
  const client = await open();
  for (const name of names) {
    await client.send(`set ${name} 0 0 1\r\na\r\ndelete ${name}\r\nflush ${name}\r\n`);
    for (let answers = 0; answers < 3; answers += 1) await client.expectLine(CLIENT_ERROR);
  }
  client.destroy();
  await server.restart();
  const again = await open();
  const queues = [...(await again.stats()).keys()].filter(
    (name) => name.startsWith("queue_") && name.endsWith("_items"),
  );
  assert.deepEqual(
    queues.filter((name) => !name.endsWith("_mem_items")),
    [],
  );
  assert.deepEqual(await readdir(dirname(server.journalDir)), ["journal"]);
});

drama(
  "A48 names that differ in case, and names of any bytes, come back after a restart",
  {},
  async ({ open, server }) => {
    const names = ["Work", "work", "a+b", "caf\xc3\xa9", "\xff\x80", "con", "a\\b:c*?", LONGEST];
    const client = await open();
    for (const name of names) {
      await client.send(set(name, `for ${name}`));
      await client.expect(STORED);
    }
    client.destroy();
    await server.restart();
    const again = await open();
    for (const name of names) {
      await again.send(`get ${name}\r\nget ${name}\r\n`);
      await again.expect(value(name, `for ${name}`));
      await again.expect(END);
    }
  },
);
