import { transcript } from "../helpers/transcript.js";
import { END, STORED, set, value } from "../helpers/wire.js";

for (const sync of ["never", "100ms", "1s", "always"]) {
  transcript(`sync_journal = ${sync}`, { config: `[default]\nsync_journal = "${sync}"\n` }, (it) => {
    it("G119 every kind of command answers", async ({ open, queue }) => {
      const client = await open();
      await client.send(`${set(queue, "a")}${set(queue, "b")}${set(queue, "c")}${set(queue, "d")}`);
      await client.expect(STORED.repeat(4));
      await client.send(
        `get ${queue}\r\nget ${queue}/peek\r\nget ${queue}/open\r\nget ${queue}/close/open\r\nget ${queue}/abort\r\n`,
      );
      await client.expect(value(queue, "a") + value(queue, "b") + value(queue, "b") + value(queue, "c") + END);
      await client.send(
        `get ${queue}/open\r\nget ${queue}/close\r\nflush ${queue}\r\ndelete ${queue}\r\nflush_all\r\n`,
      );
      await client.expect(`${value(queue, "c")}${END}${END}DELETED\r\nFlushed all queues.\r\n`);
    });

    it("G119 a waiting fetch gets the item", async ({ open, queue }) => {
      const [client, other] = [await open(), await open()];
      await client.send(`get ${queue}/open/t=60000\r\n`);
      await other.untilStat(queue, "waiters", 1);
      await other.send(set(queue, "a"));
      await client.expect(value(queue, "a"));
      await other.expect(STORED);
    });

    it("G119 a pipeline of sets and gets keeps its order", async ({ open, queue }) => {
      const client = await open();
      const names = Array.from({ length: 100 }, (_, n) => `${n}`);
      await client.send(names.map((data) => `${set(queue, data)}get ${queue}\r\n`).join(""));
      await client.expect(names.map((data) => STORED + value(queue, data)).join(""));
    });

    it("G118 what is answered is there after kill -9", async ({ open, queue, server }) => {
      const client = await open();
      await client.send(`${set(queue, "a")}${set(queue, "b")}get ${queue}\r\n${set(queue, "c")}`);
      await client.expect(STORED + STORED + value(queue, "a") + STORED);
      await server.kill9();
      client.destroy();
      await server.restart();
      const again = await open();
      await again.send(`get ${queue}\r\nget ${queue}\r\nget ${queue}\r\n`);
      await again.expect(value(queue, "b") + value(queue, "c") + END);
    });
  });
}

const MIXED = '[queue.careful]\nsync_journal = "always"\n[queue.brief]\nkeep_journal = false\n';

transcript("queues of several kinds", { config: MIXED }, (it) => {
  it("G118 each queue has its own sync_journal, and one connection uses them all in order", async ({ open, queue }) => {
    const client = await open();
    for (let round = 0; round < 20; round += 1) {
      const names = ["careful", "brief", queue];
      await client.send(
        names.map((name) => set(name, `${round}`)).join("") + names.map((name) => `get ${name}\r\n`).join(""),
      );
      await client.expect(STORED.repeat(3) + names.map((name) => value(name, `${round}`)).join(""));
    }
  });
});
