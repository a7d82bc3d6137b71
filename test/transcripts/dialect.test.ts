import assert from "node:assert/strict";
import { RawClient } from "../helpers/raw-client.js";
import { TestServer } from "../helpers/start-server.js";
import { drama } from "../helpers/transcript.js";
import { DELETED, END, FLUSHED_ALL, OK, SERVER_ERROR, STORED, set, value } from "../helpers/wire.js";

const TWO_LISTENERS = `
[[listener]]
port = 0
dialect = "memcached"

[[listener]]
port = 0
dialect = "memcached"
keep_flags = false
cas_on_gets = false
echo_request_key = false
allow_flush_all = true
`;

function setWithFlags(queue: string, flags: number, data: string): string {
  return `set ${queue} ${flags} 0 ${data.length}\r\n${data}\r\n`;
}

drama(
  "a listener in the memcached dialect, beside one that speaks like Kestrel",
  { config: TWO_LISTENERS },
  async ({ server, open }) => {
    const kestrel = await open();
    const clients = [];
    for (const port of server.listeners) clients.push(await RawClient.connect(port));
    const [memcached, plain] = clients;
    assert.ok(memcached !== undefined && plain !== undefined);
    try {
      // A22: flags are stored whoever shows them.
      await kestrel.send(setWithFlags("q", 7, "a") + setWithFlags("q", 4294967295, "b") + setWithFlags("q", 7, "c"));
      await kestrel.expect(STORED.repeat(3));
      await memcached.send("get q\r\nget q\r\n");
      await memcached.expect(`VALUE q 7 1\r\na\r\n${END}VALUE q 4294967295 1\r\nb\r\n${END}`);
      await kestrel.send("get q\r\n");
      await kestrel.expect(value("q", "c"));
      // A27: a CAS token with gets, never with get.
      await memcached.send(`${setWithFlags("q", 7, "a")}gets q\r\n`);
      await memcached.expect(STORED);
      await memcached.expectLine(/^VALUE q 7 1 \d+\r\n$/);
      await memcached.expect(`a\r\n${END}`);
      // A39: the key as it was asked for.
      await memcached.send(`${set("jobs", "hello")}get jobs/open\r\nget jobs/close/open/t=0\r\n`);
      await memcached.expect(`${STORED}VALUE jobs/open 0 5\r\nhello\r\n${END}${END}`);
      // Words, and flush_all, which is off unless it is allowed.
      await memcached.send(`delete nosuch\r\n${set("q", "a")}delete q\r\nflush_all\r\n`);
      await memcached.expect(`NOT_FOUND\r\n${STORED}${DELETED}`);
      await memcached.expectLine(SERVER_ERROR);
      await kestrel.send("delete nosuch\r\nflush_all\r\n");
      await kestrel.expect(DELETED + FLUSHED_ALL);
      // Each of them is a switch of its own.
      await plain.send(`${setWithFlags("jobs", 7, "a")}gets jobs/open\r\nflush_all\r\ndelete nosuch\r\n`);
      await plain.expect(`${STORED}${value("jobs", "a")}${OK}NOT_FOUND\r\n`);
    } finally {
      for (const client of clients) client.destroy();
    }
  },
);

drama(
  "a queue may keep its items' flags on Kestrel's port, also those that wait when it is told to",
  { config: "[queue.kept]\nkeep_flags = true\n" },
  async ({ server, open }) => {
    const client = await open();
    await client.send(`${setWithFlags("kept", 7, "a")}get kept/peek\r\nget kept\r\n`);
    await client.expect(`${STORED}VALUE kept 7 1\r\na\r\n${END}VALUE kept 7 1\r\na\r\n${END}`);
    await client.send(`${setWithFlags("other", 7, "a")}get other/peek\r\n`);
    await client.expect(STORED + value("other", "a"));
    await server.writeConfig("[default]\nkeep_flags = true\n");
    await client.send("reload\r\nget other\r\n");
    await client.expect(`Reloaded config.\r\nVALUE other 7 1\r\na\r\n${END}`);
  },
);

drama(
  "a listener that cannot be opened ends the start, and nothing is left open",
  { config: TWO_LISTENERS },
  async ({ server }) => {
    const port = server.listeners[0];
    const failed = await TestServer.startFailing({ config: `[[listener]]\nport = 0\n[[listener]]\nport = ${port}\n` });
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, new RegExp(`cannot listen on 127\\.0\\.0\\.1:${port}: the port is in use`));
  },
);
