import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { drama } from "../helpers/transcript.js";
import { CLIENT_ERROR, END, SERVER_ERROR, STORED, set, value } from "../helpers/wire.js";

drama("H146 status is told in capitals and set in any case; what is no status closes", {}, async ({ open }) => {
  const client = await open();
  await client.send("status\r\n");
  await client.expect("UP\r\n");
  for (const name of ["readonly", "QUIESCENT", "WriteAvoid", "Up"]) {
    await client.send(`status ${name}\r\nstatus\r\n`);
    await client.expect(`${END}${name.toUpperCase()}\r\n`);
  }
  for (const name of ["down", "nonsense"]) {
    const other = await open();
    await other.send(`status ${name}\r\n`);
    await other.expectLine(CLIENT_ERROR);
    await other.expectClose();
  }
});

drama("H146 a read-only server refuses what changes queues and hangs up", {}, async ({ open, queue }) => {
  const operator = await open();
  await operator.send(`${set(queue, "a")}status readonly\r\n`);
  await operator.expect(STORED + END);
  for (const line of [set(queue, "b"), `delete ${queue}\r\n`, `flush ${queue}\r\n`, "flush_all\r\n"]) {
    const client = await open();
    await client.send(line);
    await client.expectLine(SERVER_ERROR);
    await client.expectClose();
  }
  await operator.send(`get ${queue}\r\n`);
  await operator.expect(value(queue, "a"));
});

drama(
  "H146 a quiescent server serves nobody, but what was open before is closed, given back and confirmed",
  { config: "[server]\nmax_open_transactions = 4\n" },
  async ({ open, queue }) => {
    const [client, operator, waiting] = [await open(), await open(), await open()];
    await client.send(["a", "b", "c"].map((data) => set(queue, data)).join(""));
    await client.expect(STORED.repeat(3));
    await client.send(`get ${queue}/open\r\n`.repeat(3));
    await client.expect(["a", "b", "c"].map((data) => value(queue, data)).join(""));
    await waiting.send(`get ${queue}/t=60000\r\n`);
    await operator.untilStat(queue, "waiters", 1);
    await operator.send("status quiescent\r\n");
    await operator.expect(END);
    await waiting.expect(END);
    for (const line of [`get ${queue}`, `get ${queue}/peek`, `get ${queue}/open/t=100`, `monitor ${queue} 1`]) {
      const other = await open();
      await other.send(`${line}\r\n`);
      await other.expectLine(SERVER_ERROR);
      await other.expectClose();
    }
    await client.send(`get ${queue}/close\r\nconfirm ${queue} 1\r\nget ${queue}/abort\r\n`);
    await client.expect(END + END + END);
    assert.equal(await operator.stat(queue, "items"), 1);
    assert.equal(await operator.stat(queue, "open_transactions"), 0);
    await operator.send(`status up\r\nget ${queue}\r\n`);
    await operator.expect(END + value(queue, "c"));
  },
);

const statusHome = mkdtempSync(join(tmpdir(), "windhover-status-"));
const statusFile = join(statusHome, "status");
process.on("exit", () => rmSync(statusHome, { recursive: true }));

drama(
  "H146 the status is kept over a restart if there is a file for it",
  { config: `[server]\nstatus_file = ${JSON.stringify(statusFile)}\n` },
  async ({ server, open }) => {
    assert.equal(existsSync(statusFile), false);
    const client = await open();
    await client.send("status readonly\r\n");
    await client.expect(END);
    assert.equal(readFileSync(statusFile, "utf8"), "ReadOnly\n");
    await server.kill9();
    await server.restart();
    const after = await open();
    await after.send(`status\r\n${set("q", "a")}`);
    await after.expect("READONLY\r\n");
    await after.expectLine(SERVER_ERROR);
    await after.expectClose();
    await server.restart();
    const again = await open();
    await again.send("status\r\nstatus up\r\n");
    await again.expect(`READONLY\r\n${END}`);
  },
);

drama(
  "a server begins with its default status, and waits with a stricter one for the grace time",
  { config: '[server]\ndefault_status = "readonly"\nstatus_change_grace_period = "500ms"\n' },
  async ({ open, queue }) => {
    const client = await open();
    await client.send("status\r\nstatus up\r\n");
    await client.expect(`READONLY\r\n${END}`);
    await client.send(`${set(queue, "a")}status quiescent\r\nstatus\r\n${set(queue, "b")}get ${queue}\r\n`);
    await client.expect(`${STORED}${END}QUIESCENT\r\n${STORED}${value(queue, "a")}`);
    await client.send(`get other/t=60000\r\n`);
    await client.expect(END);
    await client.send(`get ${queue}\r\n`);
    await client.expectLine(SERVER_ERROR);
    await client.expectClose();
  },
);
