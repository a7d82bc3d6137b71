import assert from "node:assert/strict";
import { anonymousMemory } from "../helpers/start-server.js";
import { transcript } from "../helpers/transcript.js";
import { CLIENT_ERROR, END, NOT_STORED, STORED, set, VERSION, value } from "../helpers/wire.js";

transcript("set: bytes of items", {}, (it) => {
  it("A10 words of the protocol are ordinary data", async ({ open, queue }) => {
    const client = await open();
    await client.send(`set ${queue} 0 0 9\r\nEND\r\nOK\r\n\r\nget ${queue}\r\n`);
    await client.expect(STORED);
    await client.expect(value(queue, "END\r\nOK\r\n"));
  });

  it("A11 every byte comes back as it was", async ({ open, queue }) => {
    const client = await open();
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    await client.send(set(queue, all));
    await client.expect(STORED);
    await client.send(`get ${queue}\r\n`);
    await client.expect(value(queue, all));
  });

  it("A12 an item of no bytes is an item", async ({ open, queue }) => {
    const client = await open();
    await client.send(`set ${queue} 0 0 0\r\n\r\nget ${queue}/open\r\n`);
    await client.expect(`${STORED}VALUE ${queue} 0 0\r\n\r\nEND\r\n`);
    assert.equal(await client.stat(queue, "open_transactions"), 1);
    await client.send(`get ${queue}/abort\r\nget ${queue}\r\n`);
    await client.expect(`${END}VALUE ${queue} 0 0\r\n\r\nEND\r\n`);
  });

  it("A22 the flags of an item are shown as 0, as Kestrel does", async ({ open, queue }) => {
    const client = await open();
    await client.send(`set ${queue} 7 0 1\r\na\r\nget ${queue}\r\n`);
    await client.expect(`${STORED}VALUE ${queue} 0 1\r\na\r\nEND\r\n`);
  });

  it("A23 noreply is honoured", async ({ open, queue }) => {
    const client = await open();
    await client.send(`set ${queue} 0 0 1 noreply\r\na\r\nget ${queue}\r\n`);
    await client.expect(value(queue, "a"));
  });

  it("D89 an item with a negative expiry is stored and never delivered", async ({ open, queue }) => {
    const client = await open();
    await client.send(`set ${queue} 0 -1 1\r\na\r\nget ${queue}\r\n`);
    await client.expect(STORED + END);
  });
});

transcript("set: lengths that are wrong", {}, (it) => {
  it("A13 data longer than declared: nothing is stored and the connection ends", async ({ open, queue }) => {
    const [client, other] = [await open(), await open()];
    await client.send(`set ${queue} 0 0 3\r\nabcdef\r\n`);
    await client.expect("CLIENT_ERROR bad data chunk\r\n");
    await client.expectClose();
    await other.send(`get ${queue}\r\n`);
    await other.expect(END);
  });

  it("A14 data shorter than declared: nothing is stored and the connection ends", async ({ open, queue }) => {
    const [client, other] = [await open(), await open()];
    await client.send(`set ${queue} 0 0 5\r\nabc\r\nget ${queue}\r\n`);
    await client.expect("CLIENT_ERROR bad data chunk\r\n");
    await client.expectClose();
    await other.send(`get ${queue}\r\n`);
    await other.expect(END);
  });

  it("A14 the data's end must be CRLF, a line feed alone is not enough", async ({ open, queue }) => {
    const client = await open();
    await client.send(`set ${queue} 0 0 1\r\na\n\n`);
    await client.expect("CLIENT_ERROR bad data chunk\r\n");
    await client.expectClose();
  });

  for (const size of ["-1", "-2", "-2147483648"]) {
    it(`A15 a length of ${size} is an error, the connection ends, others go on`, async ({ open, queue }) => {
      const [client, other] = [await open(), await open()];
      await client.send(`set ${queue} 0 0 ${size}\r\n`);
      await client.expectLine(CLIENT_ERROR);
      await client.expectClose();
      await other.send(`get ${queue}\r\nversion\r\n`);
      await other.expect(END);
      await other.expectLine(VERSION);
    });
  }

  for (const size of ["67108865", "2147483647", "3000000000", "9999999999999999999"]) {
    it(`A16 a length of ${size} is refused at once and takes no memory`, async ({ open, queue, server }) => {
      const client = await open();
      const before = await anonymousMemory(server.pid);
      await client.send(`set ${queue} 0 0 ${size}\r\n`);
      await client.expect("CLIENT_ERROR object too large\r\n");
      await client.expectClose();
      assert.ok((await anonymousMemory(server.pid)) - before < 15e6);
    });
  }

  for (const size of ["abc", "1.5", "0x10", "1e3", "+5", "5abc", "--5", "-"]) {
    it(`A17 "${size}" is no length`, async ({ open, queue }) => {
      const client = await open();
      await client.send(`set ${queue} 0 0 ${size}\r\n`);
      await client.expectLine(CLIENT_ERROR);
      await client.expectClose();
    });
  }

  it("A17 a set without its length is a missing argument", async ({ open, queue }) => {
    const client = await open();
    await client.send(`set ${queue} 0 0 \r\nversion\r\n`);
    await client.expectLine(CLIENT_ERROR);
    await client.expectLine(VERSION);
  });
});

transcript("set: requests that are wrong", {}, (it) => {
  const wrong = [
    ["flags", "x 0"],
    ["flags", "1.5 0"],
    ["flags", "1e3 0"],
    ["expiry", "0 x"],
    ["expiry", "0 1.5"],
    ["expiry", "0 +5"],
  ] as const;
  for (const [what, words] of wrong) {
    it(`A20 bad ${what} (${words}): one error, the body is swallowed, the next command works`, async ({
      open,
      queue,
    }) => {
      const client = await open();
      await client.send(`set ${queue} ${words} 9\r\nversion\r\n\r\nget ${queue}\r\n`);
      await client.expectLine(CLIENT_ERROR);
      await client.expect(END);
    });
  }

  for (const command of ["add", "replace", "append", "prepend", "cas"]) {
    it(`${command} is one error after its body, and ends the connection`, async ({ open, queue }) => {
      const client = await open();
      const token = command === "cas" ? " 17" : "";
      await client.send(`${command} ${queue} 0 0 9${token}\r\nversion\r\n\r\nversion\r\n`);
      await client.expectLine(CLIENT_ERROR);
      await client.expectClose();
    });
  }
});

const SMALL = "[queue.small]\nmax_item_size = 1000\n[queue.few]\nmax_items = 2\n[queue.light]\nmax_size = 10\n";

transcript("set: queues with limits", { config: SMALL }, (it) => {
  it("A18 an item over max_item_size is one NOT_STORED and its body is swallowed", async ({ open }) => {
    const client = await open();
    await client.send(set("small", Buffer.alloc(2000, "version\r\n")));
    await client.send("version\r\n");
    await client.expect(NOT_STORED);
    await client.expectLine(VERSION);
    await client.send(set("small", Buffer.alloc(1000, "x")));
    await client.expect(STORED);
  });

  it("A18 a big body that is swallowed is not kept", async ({ open, server }) => {
    const client = await open();
    const before = await anonymousMemory(server.pid);
    for (let round = 0; round < 6; round += 1) {
      await client.send(`set small 0 0 60000000\r\n`);
      for (let part = 0; part < 60; part += 1) await client.send(Buffer.alloc(1_000_000, "x"));
      await client.send("\r\n");
      await client.expect(NOT_STORED);
    }
    // What was read and thrown away lies about until it is collected: some of it may be there, but not all.
    const grown = (await anonymousMemory(server.pid)) - before;
    assert.ok(grown < 120e6, `${grown} bytes more after 360 MB were swallowed`);
    await client.send("version\r\n");
    await client.expectLine(VERSION);
  });

  it("A18 the end of a swallowed body is held against CRLF too", async ({ open }) => {
    const client = await open();
    await client.send(`set small 0 0 2000\r\n${"x".repeat(2005)}\r\n`);
    await client.expect("CLIENT_ERROR bad data chunk\r\n");
    await client.expectClose();
  });

  it("A23 noreply is silent on refusal too", async ({ open }) => {
    const client = await open();
    await client.send(set("small", Buffer.alloc(2000, "x"), " noreply"));
    await client.send("version\r\n");
    await client.expectLine(VERSION);
  });

  it("H139 a queue with max_items waiting takes no more", async ({ open }) => {
    const client = await open();
    await client.send(`${set("few", "a")}${set("few", "b")}${set("few", "c")}get few\r\n${set("few", "d")}`);
    await client.expect(STORED + STORED + NOT_STORED);
    await client.expect(value("few", "a"));
    await client.expect(STORED);
    await client.send("get few\r\nget few\r\nget few\r\n");
    await client.expect(value("few", "b"));
    await client.expect(value("few", "d"));
    await client.expect(END);
  });

  it("H139 a queue below max_size takes one more, whatever its size", async ({ open }) => {
    const client = await open();
    await client.send(`${set("light", "a".repeat(9))}${set("light", "b".repeat(9))}${set("light", "c")}`);
    await client.expect(STORED + STORED + NOT_STORED);
  });
});

transcript("set: max_request_bytes", { config: "[server]\nmax_request_bytes = 1000\n" }, (it) => {
  it("A16 an item of the limit goes in, one byte more ends the connection before it is sent", async ({
    open,
    queue,
  }) => {
    const client = await open();
    await client.send(`${set(queue, "x".repeat(1000))}set ${queue} 0 0 1001\r\n`);
    await client.expect(STORED);
    await client.expect("CLIENT_ERROR object too large\r\n");
    await client.expectClose();
  });
});
