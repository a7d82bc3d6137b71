import assert from "node:assert/strict";
import { transcript } from "../helpers/transcript.js";
import { CLIENT_ERROR, END, OK, STORED, set, VERSION, value } from "../helpers/wire.js";

transcript("get: keys and options", {}, (it) => {
  it("items come out in the order in which they went in", async ({ open, queue }) => {
    const client = await open();
    await client.send(`${set(queue, "1")}${set(queue, "2")}${set(queue, "3")}`);
    await client.expect(STORED + STORED + STORED);
    for (const data of ["1", "2", "3"]) {
      await client.send(`get ${queue}\r\n`);
      await client.expect(value(queue, data));
    }
  });

  it("A26 gets takes an item as get does, without a fifth word", async ({ open, queue }) => {
    const client = await open();
    await client.send(`${set(queue, "a")}gets ${queue}\r\ngets ${queue}\r\n`);
    await client.expect(STORED);
    await client.expect(value(queue, "a"));
    await client.expect(END);
  });

  it("A26 gets has the options of get", async ({ open, queue }) => {
    const client = await open();
    await client.send(
      `${set(queue, "a")}${set(queue, "b")}gets ${queue}/t=700/open\r\ngets ${queue}/t=700/close/open\r\n`,
    );
    await client.expect(STORED + STORED);
    await client.expect(value(queue, "a"));
    await client.expect(value(queue, "b"));
    await client.send(`gets ${queue}/close\r\n`);
    await client.expect(END);
  });

  it("A28 of several keys the first is served and the others are left alone", async ({ open, queue }) => {
    const client = await open();
    const [a, b] = [`${queue}a`, `${queue}b`];
    await client.send(`${set(a, "1")}${set(b, "2")}get ${a} ${b} ${queue}c\r\nget ${a} ${b}\r\n`);
    await client.expect(STORED + STORED);
    await client.expect(value(a, "1"));
    await client.expect(END);
    assert.equal(await client.stat(b, "items"), 1);
    assert.equal(await client.stat(`${queue}c`, "items"), undefined);
  });

  it("A39 the answer names the queue without the options", async ({ open, queue }) => {
    const client = await open();
    await client.send(`${set(queue, "a")}get ${queue}/open\r\n`);
    await client.expect(`${STORED}VALUE ${queue} 0 1\r\na\r\nEND\r\n`);
  });

  for (const option of ["clsoe", "Open", "OPEN", "t", "opens", "open=1", "foo=bar"]) {
    it(`A41 /${option} is no option: nothing is taken and the connection ends`, async ({ open, queue }) => {
      const [client, other] = [await open(), await open()];
      await client.send(`${set(queue, "a")}get ${queue}/${option}\r\n`);
      await client.expect(STORED);
      await client.expectLine(CLIENT_ERROR);
      await client.expectClose();
      await other.send(`get ${queue}\r\n`);
      await other.expect(value(queue, "a"));
    });
  }

  it("an empty option is none", async ({ open, queue }) => {
    const client = await open();
    await client.send(`${set(queue, "a")}get ${queue}//peek/\r\nget ${queue}/\r\n`);
    await client.expect(STORED);
    await client.expect(value(queue, "a"));
    await client.expect(value(queue, "a"));
  });

  for (const wait of ["abc", "", "1.5", "1e3", "0x10", "+5", "5s"]) {
    it(`A42 t=${wait} is an error, nothing is taken, the connection stays`, async ({ open, queue }) => {
      const client = await open();
      await client.send(`${set(queue, "a")}get ${queue}/t=${wait}\r\nget ${queue}\r\n`);
      await client.expect(STORED);
      await client.expectLine(CLIENT_ERROR);
      await client.expect(value(queue, "a"));
    });
  }

  for (const wait of ["0", "-5", "-99999999999"]) {
    it(`A42 t=${wait} is no wait`, async ({ open, queue }) => {
      const client = await open();
      await client.send(`get ${queue}/t=${wait}\r\n${set(queue, "a")}get ${queue}/t=${wait}\r\n`);
      await client.expect(END + STORED);
      await client.expect(value(queue, "a"));
    });
  }

  for (const mix of [
    "peek/open",
    "peek/close",
    "abort/open",
    "abort/close",
    "peek/abort",
    "open/peek",
    "close/abort",
  ]) {
    it(`A44 /${mix} is an error that ends the connection and leaves the queue alone`, async ({ open, queue }) => {
      const [client, other] = [await open(), await open()];
      await client.send(`${set(queue, "a")}get ${queue}/${mix}\r\n`);
      await client.expect(STORED);
      await client.expectLine(CLIENT_ERROR);
      await client.expectClose();
      assert.equal(await other.stat(queue, "items"), 1);
      assert.equal(await other.stat(queue, "open_transactions"), 0);
    });
  }

  it("a peek leaves the head where it is", async ({ open, queue }) => {
    const client = await open();
    await client.send(
      `get ${queue}/peek\r\n${set(queue, "a")}${set(queue, "b")}get ${queue}/peek\r\nget ${queue}/peek/t=100\r\nget ${queue}\r\n`,
    );
    await client.expect(END + STORED + STORED);
    for (let times = 0; times < 3; times += 1) await client.expect(value(queue, "a"));
  });
});

transcript("the small commands", {}, (it) => {
  it("A35 version is exactly one line of two words", async ({ open }) => {
    const client = await open();
    await client.send("version\r\nverbosity 1\r\n");
    await client.expectLine(/^VERSION \d+\.\d+\.\d+\S*\r\n$/);
    await client.expect(OK);
  });

  it("A36 verbosity is agreed to, silently when asked so", async ({ open }) => {
    const client = await open();
    await client.send("verbosity 1\r\nverbosity 1 noreply\r\nversion\r\n");
    await client.expect(OK);
    await client.expectLine(VERSION);
  });

  it("A37 quit hangs up without a word and gives open reads back", async ({ open, queue }) => {
    const [client, other] = [await open(), await open()];
    await client.send(`${set(queue, "a")}${set(queue, "b")}get ${queue}/open\r\nquit\r\n`);
    await client.expect(STORED + STORED);
    await client.expect(value(queue, "a"));
    await client.expectClose();
    await other.send(`get ${queue}\r\n`);
    await other.expect(value(queue, "a"));
  });

  it("A37 what is pipelined behind quit is not executed", async ({ open, queue }) => {
    const [client, other] = [await open(), await open()];
    await client.send(`${set(queue, "a")}quit\r\nget ${queue}\r\n`);
    await client.expect(STORED);
    await client.expectClose();
    await other.send(`get ${queue}\r\n`);
    await other.expect(value(queue, "a"));
  });

  const lacking = ["get", "gets", "set", "set q", "set q 0", "set q 0 0", "delete", "flush", "verbosity"];
  for (const line of lacking) {
    it(`A19 "${line}" lacks an argument: an error, and the connection stays`, async ({ open }) => {
      const client = await open();
      await client.send(`${line}\r\nversion\r\n`);
      await client.expectLine(CLIENT_ERROR);
      await client.expectLine(VERSION);
    });
  }

  for (const topic of ["items", "settings", "slabs", "reset", "sizes detail"]) {
    it(`A38 "stats ${topic}" ends with END and changes no queue`, async ({ open, queue }) => {
      const client = await open();
      await client.send(`${set(queue, "a")}stats ${topic}\r\n`);
      await client.expect(STORED);
      while ((await client.line()) !== END);
      assert.equal(await client.stat(queue, "items"), 1);
      assert.equal(await client.stat(queue, "total_items"), 1);
    });
  }
});
