import assert from "node:assert/strict";
import t from "tap";
import { drain, fill, passThrough } from "../helpers/bulk.js";
import { directoryBytes } from "../helpers/files.js";
import { anonymousMemory } from "../helpers/start-server.js";
import { drama } from "../helpers/transcript.js";
import { body, END, STORED, set, value } from "../helpers/wire.js";
import { timed, until } from "../helpers/within.js";

/** These take minutes each. */
const LONG = { timeoutMs: 15 * 60_000 };

t.setTimeout(60 * 60_000);

const MB = 1e6;
const KIB = 1024;
const MILLION = 1_000_000;
const TENTH = MILLION / 10;

drama(
  "G129 G132 a million items: filled, started in under 2 s, drained at a steady rate, gone from the disk",
  LONG,
  async (stage, test) => {
    const { open, queue, server } = stage;
    const client = await open();
    await fill(client, queue, 0, MILLION, KIB);
    const filled = await anonymousMemory(server.pid);
    client.destroy();
    await server.stop();
    const start = await timed(() => server.restart());
    assert.ok(start.ms < 2000, `${start.ms} ms to start`);
    const again = await open();
    const first = await timed(async () => {
      await again.send(`get ${queue}\r\n`);
      await again.expect(value(queue, body(KIB, 0)));
    });
    assert.ok(first.ms < 1000, `${first.ms} ms to the first item`);
    const tenths: number[] = [];
    for (let n = 0; n < MILLION; n += TENTH) {
      tenths.push((await timed(() => drain(again, queue, Math.max(1, n), n + TENTH, KIB))).ms);
    }
    test.comment(
      `start ${start.ms.toFixed()} ms, first ${first.ms.toFixed()} ms, tenths ${tenths.map((ms) => ms.toFixed()).join(" ")} ms`,
    );
    const [least, most] = [Math.min(...tenths), Math.max(...tenths)];
    assert.ok(most < 3 * least + 500, `a tenth took between ${least} and ${most} ms`);
    await again.send(`get ${queue}\r\n`);
    await again.expect(END);
    await until("a directory under 50 MB", async () => (await directoryBytes(server.journalDir)) < 50 * MB, 60_000);
    test.comment(`${(filled / MB).toFixed()} MB of memory when it was filled`);
    assert.ok(
      filled < (134 + 120) * MB,
      `${filled} bytes of memory after filling, max_memory_size and 120 MB were to be enough`,
    );
  },
);

drama(
  "G129 two million items through reliable reads leave no journal, and the next start is quick",
  LONG,
  async ({ open, queue, server }, test) => {
    const client = await open();
    let most = 0;
    for (let n = 0; n < 2 * MILLION; n += TENTH) {
      await passThrough(client, queue, n, n + TENTH, KIB);
      most = Math.max(most, await directoryBytes(server.journalDir));
    }
    test.comment(`at most ${(most / MB).toFixed()} MB on the disk`);
    assert.ok(most < 150 * MB, `${most} bytes on the disk`);
    await server.kill9();
    client.destroy();
    const start = await timed(() => server.restart());
    assert.ok(start.ms < 2000, `${start.ms} ms to start`);
  },
);

const TIGHT = '[default]\nmax_memory_size = "8MB"\n';

drama(
  "G133 a store far above the heap is served",
  { ...LONG, config: TIGHT, nodeArgs: ["--max-old-space-size=64"] },
  async ({ open, queue, server }) => {
    const client = await open();
    await fill(client, queue, 0, 300_000, KIB);
    await fill(client, `${queue}tiny`, 0, 300_000, 16);
    client.destroy();
    await server.restart();
    const again = await open();
    await drain(again, queue, 0, 300_000, KIB);
    await drain(again, `${queue}tiny`, 0, 300_000, 16);
    assert.ok((await anonymousMemory(server.pid)) < 250 * MB);
  },
);

drama(
  "F114 flush of a million items is answered at once and holds up nobody",
  LONG,
  async ({ open, queue, server }) => {
    const [client, other] = [await open(), await open()];
    await fill(client, queue, 0, MILLION, 100);
    const flush = await timed(async () => {
      client.push(`flush ${queue}\r\n`);
      await other.send("version\r\n");
      await other.expectLine(/^VERSION/);
      await client.expect(END);
    });
    assert.ok(flush.ms < 1000, `${flush.ms} ms`);
    await client.send(`${set(queue, "new")}get ${queue}\r\nget ${queue}\r\n`);
    await client.expect(STORED + value(queue, "new") + END);
    await until("a directory under 50 MB", async () => (await directoryBytes(server.journalDir)) < 50 * MB, 60_000);
  },
);
