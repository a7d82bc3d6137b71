import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { ServerStatus, type ServerStatusOptions, statusOf } from "../../src/status/server-status.js";
import { RecordingLog } from "../helpers/recording-log.js";
import { TestClock } from "../helpers/test-clock.js";

const GRACE_MS = 10_000;

interface World {
  readonly clock: TestClock;
  readonly log: RecordingLog;
  readonly status: ServerStatus;
}

async function open(options: Partial<ServerStatusOptions> = {}): Promise<World> {
  const clock = new TestClock();
  const log = new RecordingLog();
  const status = await ServerStatus.open({ file: null, initial: "up", graceMs: 0, clock, log, ...options });
  return { clock, log, status };
}

const blocks = ({ blocksReads, blocksWrites }: ServerStatus): string =>
  `${blocksReads ? "r" : "-"}${blocksWrites ? "w" : "-"}`;

t.test("a status is named in any case, and nobody may ask for Down", async (t) => {
  for (const name of ["readonly", "READONLY", "ReadOnly"]) t.equal(statusOf(name), "ReadOnly");
  t.equal(statusOf("up"), "Up");
  t.equal(statusOf("writeavoid"), "WriteAvoid");
  t.equal(statusOf("Quiescent"), "Quiescent");
  for (const name of ["down", "DOWN", "", "read-only", "toString", "__proto__"]) t.equal(statusOf(name), null, name);
});

t.test("each status refuses what it must, case H146", async (t) => {
  const { status } = await open();
  t.equal(blocks(status), "--");
  await status.set("WriteAvoid");
  t.equal(blocks(status), "--");
  await status.set("ReadOnly");
  t.equal(blocks(status), "-w");
  await status.set("Quiescent");
  t.equal(blocks(status), "rw");
  await status.set("Up");
  t.equal(blocks(status), "--");
});

t.test("a stricter status is told at once and enforced after the grace time", async (t) => {
  const { status, clock } = await open({ graceMs: GRACE_MS });
  await status.set("ReadOnly");
  t.equal(status.current, "ReadOnly");
  clock.pass(GRACE_MS - 1);
  t.equal(blocks(status), "--");
  clock.pass(1);
  t.equal(blocks(status), "-w");
  t.equal(clock.timers, 0);
});

t.test("a status that is less strict holds at once, and ends a grace time", async (t) => {
  const { status, clock } = await open({ graceMs: GRACE_MS, initial: "quiescent" });
  await status.set("ReadOnly");
  t.equal(blocks(status), "-w");
  await status.set("Quiescent");
  clock.pass(1000);
  await status.set("Up");
  t.equal(blocks(status), "--");
  clock.pass(GRACE_MS);
  t.equal(blocks(status), "--");
  t.equal(clock.timers, 0);
});

t.test("another status during the grace time takes its place and has the whole time", async (t) => {
  const { status, clock } = await open({ graceMs: GRACE_MS });
  await status.set("Quiescent");
  clock.pass(GRACE_MS - 1);
  await status.set("ReadOnly");
  await status.set("ReadOnly");
  clock.pass(GRACE_MS - 1);
  t.equal(blocks(status), "--");
  clock.pass(1);
  t.equal(blocks(status), "-w");
  t.equal(status.current, "ReadOnly");
});

t.test("it is told when fetches begin to be refused", async (t) => {
  const { status, clock } = await open({ graceMs: GRACE_MS });
  let told = 0;
  status.onReadsBlocked(() => told++);
  await status.set("ReadOnly");
  await status.set("Quiescent");
  t.equal(told, 0);
  clock.pass(GRACE_MS);
  t.equal(told, 1);
  await status.set("Up");
  status.shutDown();
  t.equal(told, 2);
});

t.test("the status is kept in its file, without one nowhere", async (t) => {
  const file = join(t.testdir(), "status");
  const first = await open({ file });
  await first.status.set("ReadOnly");
  const second = await open({ file, initial: "quiescent", graceMs: GRACE_MS });
  t.equal(second.status.current, "ReadOnly");
  t.equal(blocks(second.status), "-w", "it is enforced from the start");
  t.equal((await open({ initial: "quiescent" })).status.current, "Quiescent");
});

t.test("a stop is not kept: the server comes back as what it was", async (t) => {
  const file = join(t.testdir(), "status");
  const { status, clock } = await open({ file, graceMs: GRACE_MS });
  await status.set("ReadOnly");
  status.shutDown();
  t.equal(status.current, "Down");
  t.equal(blocks(status), "rw");
  t.equal(clock.timers, 0);
  await status.set("Up");
  t.equal(status.current, "Down", "nothing brings it back");
  t.equal((await open({ file })).status.current, "ReadOnly");
});

t.test("a file that holds no status is told of and not believed", async (t) => {
  const directory = t.testdir({ dir: {} });
  const file = join(directory, "status");
  await writeFile(file, "Down\n");
  const { status, log } = await open({ file, initial: "writeavoid" });
  t.equal(status.current, "WriteAvoid");
  t.match(log.lines, [{ level: "error", message: "the status file holds no status" }]);
  const unreadable = await open({ file: join(directory, "dir") });
  t.equal(unreadable.status.current, "Up");
  t.match(unreadable.log.lines, [{ level: "error", message: "the status file cannot be read" }]);
});

t.test("a status that cannot be kept is not taken", async (t) => {
  const directory = t.testdir({ file: "no directory" });
  const { status } = await open({ file: join(directory, "file", "status") });
  await t.rejects(status.set("Quiescent"));
  t.equal(status.current, "Up");
  t.equal(blocks(status), "--");
});

t.test("a status that cannot be kept does not undo a later one", async (t) => {
  const directory = t.testdir({ status: {} });
  const path = join(directory, "status");
  const { status } = await open({ file: path });
  const first = status.set("Quiescent");
  const second = status.set("ReadOnly");
  await t.rejects(first);
  t.equal(status.current, "ReadOnly");
  await t.rejects(second);
  t.equal(status.current, "Up");
});
