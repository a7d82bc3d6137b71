import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import { drama } from "../helpers/transcript.js";
import { END, SERVER_ERROR, STORED, set, value } from "../helpers/wire.js";
import { until } from "../helpers/within.js";

drama(
  "H144 beyond the limits a connection is refused when it puts or gets, and closed; the others are served on",
  { config: "[server]\nconnection_limit_refuse_writes = 10\nconnection_limit_refuse_reads = 11\n" },
  async ({ open, queue }) => {
    const first = await open();
    for (let i = 1; i < 10; i++) await open();
    const eleventh = await open();
    await eleventh.send(`get ${queue}\r\n${set(queue, "a")}`);
    await eleventh.expect(END);
    const twelfth = await open();
    await twelfth.send(`version\r\nget ${queue}\r\n`);
    await twelfth.expectLine(/^VERSION/);
    await twelfth.expectLine(SERVER_ERROR);
    await twelfth.expectClose();
    await eleventh.expectLine(SERVER_ERROR);
    await eleventh.expectClose();
    await first.send(`${set(queue, "a")}get ${queue}\r\n`);
    await first.expect(STORED + value(queue, "a"));
    await until("the end of the two", async () => (await first.stats()).get("curr_connections") === "10");
    const next = await open();
    await next.send(`get ${queue}\r\n`);
    await next.expect(END);
  },
);

drama(
  "C86 a client that says nothing is hung up on; one that waits in a fetch is busy",
  { config: '[server]\nclient_timeout = "400ms"\n' },
  async ({ open, queue }) => {
    const [waiting, idle] = [await open(), await open()];
    const from = performance.now();
    await waiting.send(`get ${queue}/t=2000\r\n`);
    await idle.send(`${set("other", "a")}get other/open\r\n`);
    await idle.expect(STORED + value("other", "a"));
    await idle.expectClose();
    const tookMs = performance.now() - from;
    assert.ok(tookMs >= 400 && tookMs < 1900, `${tookMs} ms`);
    await waiting.expect(END);
    const other = await open();
    await other.send("get other\r\n");
    await other.expect(value("other", "a"));
  },
);

drama(
  "the start and the end of sessions, and operations on a queue, are logged where somebody asked for it",
  { config: "[server]\nenable_session_trace = true\nconnection_backlog = 5\n[queue.traced]\nenable_trace = true\n" },
  async ({ server, open }) => {
    const client = await open();
    await client.send(`${set("traced", "abc")}${set("other", "abc")}get traced/open\r\nquit\r\n`);
    await client.expect(STORED + STORED + value("traced", "abc"));
    await client.expectClose();
    await server.logged(/"msg":"a session ended"/);
    const said = (pattern: RegExp): number => server.stderr.filter((line) => pattern.test(line)).length;
    assert.equal(said(/"peer":"127\.0\.0\.1:\d+".*"msg":"a session began"/), 1);
    assert.equal(said(/"peer":"127\.0\.0\.1:\d+".*"msg":"a session ended"/), 1);
    assert.equal(said(/"queue":"traced".*"operation":"set"/), 1);
    assert.equal(said(/"queue":"traced".*"operation":"open"/), 1);
    assert.equal(said(/"queue":"other"/), 0);
  },
);

drama(
  "a queue with a list of client ids refuses those without one",
  {
    config:
      '[queue.in]\nwhite_list_client_id_for_enqueue = ["billing"]\n[queue.out]\nwhite_list_client_id_for_dequeue = "billing"\n',
  },
  async ({ open }) => {
    for (const line of [set("in", "a"), "get out\r\n", "get out/peek\r\n", "monitor out 1\r\n"]) {
      const client = await open();
      await client.send(line);
      await client.expectLine(SERVER_ERROR);
      await client.expectClose();
    }
    const client = await open();
    await client.send(`get in\r\n${set("out", "a")}`);
    await client.expect(END + STORED);
  },
);
