import assert from "node:assert/strict";
import { drama } from "../helpers/transcript.js";
import { END, NOT_STORED, SERVER_ERROR, STORED, set, value } from "../helpers/wire.js";

const ONE_ITEM = "[queue.q]\nmax_items = 1\n";
const TWO_ITEMS = "[queue.q]\nmax_items = 2\n";

drama(
  "reload makes the file hold, without losing a connection or an item",
  { config: ONE_ITEM },
  async ({ server, open }) => {
    const [client, waiting] = [await open(), await open()];
    await client.send(set("q", "a") + set("q", "b"));
    await client.expect(STORED + NOT_STORED);
    await waiting.send("get p/t=60000\r\n");
    await client.untilStat("p", "waiters", 1);
    await client.send("get q/open\r\n");
    await client.expect(value("q", "a"));
    await server.writeConfig(TWO_ITEMS);
    await client.send(`reload\r\ndump_config q\r\n`);
    await client.expect("Reloaded config.\r\nqueue 'q' {\r\n  max_items=2\r\n");
    while ((await client.line()) !== END);
    await client.send(set("q", "b") + set("q", "c") + set("q", "d"));
    await client.expect(STORED + STORED + NOT_STORED);
    await client.send("get q/abort\r\nget q\r\nget q\r\nget q\r\n");
    await client.expect(END + value("q", "a") + value("q", "b") + value("q", "c"));
    await client.send(set("p", "x"));
    await client.expect(STORED);
    await waiting.expect(value("p", "x"));
  },
);

drama(
  "a file that is wrong changes nothing, and the answer says why",
  { config: ONE_ITEM },
  async ({ server, open }) => {
    const client = await open();
    for (const wrong of [
      "[queue.q]\nmax_item = 2\n",
      "[queue.q\n",
      '[queue."a.b"]\nmax_items = 2\n',
      `${TWO_ITEMS}x = 1\n`,
    ]) {
      await server.writeConfig(wrong);
      await client.send("reload\r\n");
      await client.expectLine(SERVER_ERROR);
    }
    await client.send(set("q", "a") + set("q", "b"));
    await client.expect(STORED + NOT_STORED);
  },
);

drama("SIGHUP is a reload, and a wrong file is told in the log", { config: ONE_ITEM }, async ({ server, open }) => {
  const client = await open();
  await server.writeConfig(TWO_ITEMS);
  server.signal("SIGHUP");
  await server.logged(/"msg":"the configuration was reloaded"/);
  await client.send(set("q", "a") + set("q", "b"));
  await client.expect(STORED + STORED);
  await server.writeConfig("[queue.q]\nnonsense = 2\n");
  server.signal("SIGHUP");
  await server.logged(/"msg":"nothing was reloaded"/);
  await client.send(set("q", "c"));
  await client.expect(NOT_STORED);
});

drama(
  "what only a restart can change is told and left",
  { config: "[server]\nmax_open_transactions = 1\n" },
  async ({ server, open }) => {
    const client = await open();
    await server.writeConfig("[server]\nmax_open_transactions = 5\n");
    await client.send("reload\r\n");
    await client.expect("Reloaded config.\r\n");
    await server.logged(/"settings":\["max_open_transactions"\]/);
  },
);

drama(
  "reloads under load lose nothing and drop no connection",
  { config: ONE_ITEM, timeoutMs: 60_000 },
  async ({ server, open }) => {
    const rounds = 300;
    const work = async (name: string): Promise<void> => {
      const client = await open();
      for (let i = 0; i < rounds; i++) {
        await client.send(`${set(name, `${i}`)}get ${name}/open\r\nget ${name}/close\r\n`);
        await client.expect(STORED + value(name, `${i}`) + END);
      }
    };
    const workers = ["a", "b", "c", "d"].map(work);
    const operator = await open();
    for (let i = 0; i < 30; i++) {
      await server.writeConfig(`[default]\nmax_items = ${10 + i}\n[queue.a]\nmax_age = "${i + 1}h"\n`);
      await operator.send("reload\r\n");
      await operator.expect("Reloaded config.\r\n");
    }
    await Promise.all(workers);
    const figures = await operator.stats();
    for (const name of ["a", "b", "c", "d"]) {
      assert.equal(figures.get(`queue_${name}_total_items`), `${rounds}`);
      assert.equal(figures.get(`queue_${name}_items`), "0");
    }
    assert.equal(figures.get("total_connections"), figures.get("curr_connections"));
  },
);
