import assert from "node:assert/strict";
import type { RawClient } from "../helpers/raw-client.js";
import { drama, transcript } from "../helpers/transcript.js";
import { CLIENT_ERROR, END, STORED, set, value } from "../helpers/wire.js";

/** The answer to a batch. */
function values(queue: string, ...data: string[]): string {
  return data.map((one) => `VALUE ${queue} 0 ${one.length}\r\n${one}\r\n`).join("") + END;
}

async function fill(client: RawClient, queue: string, count: number): Promise<void> {
  await client.send(Array.from({ length: count }, (_, n) => set(queue, `${n}`)).join(""));
  await client.expect(STORED.repeat(count));
}

/** Opens the head, which is `data`, and tells its delivery id. */
async function openWithId(client: RawClient, queue: string, data: string): Promise<string> {
  await client.send(`get ${queue}/open/id\r\n`);
  const line = await client.expectLine(/^VALUE \S+ 0 \d+ \d+\r\n$/);
  await client.expect(`${data}\r\n${END}`);
  return line.trim().split(" ")[4] ?? "";
}

transcript("what Kestrel did not have", { config: "[server]\nmax_open_transactions = 5\n" }, (it) => {
  it("stats list the capabilities", async ({ open }) => {
    const client = await open();
    const capabilities = (await client.stats()).get("capabilities");
    assert.equal(capabilities, "open/n,open/id,close=id,abort=id,abort/delay,set/delay,peek/n,peek/at");
  });

  it("a batch opens several items at once", async ({ open, queue }) => {
    const client = await open();
    await fill(client, queue, 7);
    await client.send(`get ${queue}/open/n=3\r\nget ${queue}/open/n=10\r\n`);
    await client.expect(values(queue, "0", "1", "2") + values(queue, "3", "4"));
    await client.send(`confirm ${queue} 5\r\nget ${queue}/open/n=10/t=50\r\n`);
    await client.expect(END + values(queue, "5", "6"));
    await client.send(`get ${queue}/close/open/n=1/t=50\r\n`);
    await client.expect(END);
  });

  it("a batch waits for its first item", async ({ open, queue }) => {
    const [client, other] = [await open(), await open()];
    await client.send(`get ${queue}/open/n=3/t=60000\r\n`);
    await other.untilStat(queue, "waiters", 1);
    await other.send(set(queue, "a"));
    await other.expect(STORED);
    await client.expect(values(queue, "a"));
  });

  it("reads are closed and given back by their delivery ids, in any order", async ({ open, queue }) => {
    const [client, other] = [await open(), await open()];
    await fill(client, queue, 3);
    const ids: string[] = [];
    for (const data of ["0", "1", "2"]) ids.push(await openWithId(client, queue, data));
    assert.equal(new Set(ids).size, 3);
    await other.send(`get ${queue}/close=${ids[0]}\r\n`);
    await other.expect(END);
    assert.equal(await other.stat(queue, "open_transactions"), 3, "the id is another connection's");
    await client.send(`get ${queue}/close=${ids[1]}\r\nget ${queue}/abort=${ids[2]}\r\n`);
    await client.expect(END + END);
    assert.equal(await other.stat(queue, "open_transactions"), 1);
    await other.send(`get ${queue}\r\n`);
    await other.expect(value(queue, "2"));
    await client.send(`get ${queue}/close=${ids[0]}/close=${ids[1]}\r\n`);
    await client.expect(END);
    assert.equal(await other.stat(queue, "items"), 0);
    assert.equal(await other.stat(queue, "open_transactions"), 0);
  });

  it("a delivery of an item has an id of its own", async ({ open, queue }) => {
    const client = await open();
    await fill(client, queue, 1);
    const first = await openWithId(client, queue, "0");
    await client.send(`get ${queue}/abort=${first}\r\n`);
    await client.expect(END);
    const second = await openWithId(client, queue, "0");
    assert.notEqual(second, first);
    await client.send(`get ${queue}/close=${first}\r\n`);
    await client.expect(END);
    assert.equal(await client.stat(queue, "open_transactions"), 1);
    await client.send(`get ${queue}/close=${second}\r\n`);
    await client.expect(END);
    assert.equal(await client.stat(queue, "open_transactions"), 0);
  });

  it("an abort with a delay lets the others pass, and comes back behind them", async ({ open, queue }) => {
    const client = await open();
    await fill(client, queue, 2);
    await client.send(`get ${queue}/open\r\n`);
    await client.expect(value(queue, "0"));
    await client.send(`get ${queue}/abort/delay=100\r\nget ${queue}/open\r\n`);
    await client.expect(END + value(queue, "1"));
    await client.send(`get ${queue}/close/open/t=60000\r\n`);
    await client.expect(value(queue, "0"));
    await client.send(`get ${queue}/close\r\n`);
    await client.expect(END);
  });

  it("an item that is put with a delay comes when it is due, and wakes who waits", async ({ open, queue }) => {
    const client = await open();
    await client.send(`set ${queue}/delay=200 0 0 1\r\na\r\nget ${queue}\r\n`);
    await client.expect(STORED + END);
    assert.equal(await client.stat(queue, "items"), 0);
    assert.equal(await client.stat(queue, "delayed"), 1);
    await client.send(`get ${queue}/t=60000\r\n`);
    await client.expect(value(queue, "a"));
    assert.equal(await client.stat(queue, "delayed"), 0);
  });

  it("a peek looks at several items and behind the head", async ({ open, queue }) => {
    const client = await open();
    await fill(client, queue, 30);
    const all = Array.from({ length: 30 }, (_, n) => `${n}`);
    await client.send(`get ${queue}/peek/n=20\r\nget ${queue}/peek/at=29\r\nget ${queue}/peek/at=30\r\n`);
    await client.expect(values(queue, ...all.slice(0, 20)) + values(queue, "29") + END);
    await client.send(`get ${queue}/peek/n=3\r\nget ${queue}\r\nget ${queue}/peek/n=2\r\n`);
    await client.expect(values(queue, "0", "1", "2") + value(queue, "0") + values(queue, "1", "2"));
    assert.equal(await client.stat(queue, "items"), 29);
  });

  it("faults: a mix that means nothing closes, a bad value does not", async ({ open, queue }) => {
    const client = await open();
    for (const key of ["open/n=0", "open/n=x", "peek/at=-1", "abort/delay=x", "close=x"]) {
      await client.send(`get ${queue}/${key}\r\n`);
      await client.expectLine(CLIENT_ERROR);
    }
    await client.send(`set ${queue}/delay=x 0 0 1\r\na\r\n`);
    await client.expectLine(CLIENT_ERROR);
    for (const key of ["n=5", "id", "delay=5", "at=5", "peek/n=5/t=5", "close/close=5", "abort=5/close=5"]) {
      const other = await open();
      await other.send(`get ${queue}/${key}\r\n`);
      await other.expectLine(CLIENT_ERROR);
      await other.expectClose();
    }
  });
});

drama(
  "without extensions an unknown option is ignored, as in Kestrel, and the log says so once",
  { config: "[server]\nextensions = false\n" },
  async ({ server, open, queue }) => {
    const client = await open();
    await fill(client, queue, 3);
    await client.send(`get ${queue}/close=17\r\nget ${queue}/clsoe\r\nget ${queue}/open/n=5/id\r\n`);
    await client.expect(value(queue, "0") + value(queue, "1") + value(queue, "2"));
    assert.equal((await client.stats()).get("capabilities"), undefined);
    await server.logged(/"option":"close=17"/);
    assert.equal(server.stderr.filter((line) => line.includes('"option"')).length, 1);
    await client.send(`set ${queue}/delay=5 0 0 1\r\na\r\n`);
    await client.expectLine(CLIENT_ERROR);
  },
);
