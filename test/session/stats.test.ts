import { monitorEventLoopDelay } from "node:perf_hooks";
import t from "tap";
import { SessionWorld } from "../helpers/session-world.js";
import { set } from "../helpers/wire.js";

const MIB = 1024 * 1024;

function statLines(world: SessionWorld): [name: string, value: string][] {
  const text = world.client().tell("stats\r\n");
  return [...text.matchAll(/^STAT (\S+) (.*)\r\n/gm)].map(([, name = "", value = ""]) => [name, value]);
}

function figures(lines: readonly (readonly [string, string])[]): Record<string, string> {
  return Object.fromEntries(lines);
}

t.test("the server's figures stand first, under Kestrel's names", async (t) => {
  const world = new SessionWorld();
  const lines = statLines(world);
  t.same(lines.map(([name]) => name).slice(0, 19), [
    ...["uptime", "time", "version", "curr_items", "total_items", "bytes", "reserved_memory_ratio"],
    ...["curr_connections", "total_connections", "cmd_get", "cmd_set", "cmd_peek", "get_hits", "get_misses"],
    ...["bytes_read", "bytes_written", "queue_creates", "queue_deletes", "queue_expires"],
  ]);
  t.match(figures(lines), { version: "1.2.3", uptime: "0", curr_items: "0", reserved_memory_ratio: "0.000" });
});

t.test("time is told in seconds, uptime by the monotonic clock", async (t) => {
  const world = new SessionWorld();
  world.clock.pass(61_999);
  world.clock.setWall(1_700_000_000_999);
  t.match(figures(statLines(world)), { uptime: "61", time: "1700000000" });
});

t.test("the figures of the queues add up", async (t) => {
  const world = new SessionWorld({ queues: new Map([["b", { maxMemoryBytes: 384 * MIB }]]) });
  const client = world.client();
  client.tell(set("a", "xyz"));
  client.tell(set("a", "xyz"));
  client.tell(set("b", "x"));
  client.tell(set("gone", "x"));
  client.tell("delete gone\r\n");
  client.tell("get a/open\r\n");
  world.clock.pass(1500);
  const all = figures(statLines(world));
  t.match(all, {
    curr_items: "2",
    total_items: "4",
    bytes: "4",
    reserved_memory_ratio: "0.500",
    queue_creates: "3",
    queue_deletes: "1",
    queue_a_items: "1",
    queue_a_bytes: "3",
    queue_a_total_items: "2",
    queue_a_mem_items: "1",
    queue_a_age: "1500",
    queue_a_open_transactions: "1",
    queue_a_transactions: "1",
    queue_a_canceled_transactions: "0",
    queue_b_items: "1",
  });
  t.notOk(Object.keys(all).some((name) => name.startsWith("queue_gone")));
});

t.test("every figure is an exact decimal, and our names end in none of Kestrel's", async (t) => {
  const world = new SessionWorld();
  world.counters.bytesRead = 2 ** 53 - 1;
  world.client().tell(set("q", "x"));
  const lines = statLines(world);
  t.match(figures(lines), { bytes_read: "9007199254740991" });
  for (const [name, value] of lines) {
    if (!["version", "reserved_memory_ratio", "capabilities"].includes(name)) t.match(value, /^\d+$/, name);
  }
});

t.test("the figures of ten thousand queues never hold up the others for long", async (t) => {
  const world = new SessionWorld();
  const client = world.client();
  for (let i = 0; i < 10_000; i++) client.tell(set(`q${i}`, "x"));
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  for (let round = 0; round < 3; round++) {
    const stream = client.stream("stats\r\n");
    while ((await stream.next()) !== null) await new Promise(setImmediate);
  }
  delay.disable();
  const longestMs = delay.max / 1e6;
  t.comment(`the longest delay of the event loop: ${longestMs.toFixed(1)} ms`);
  t.ok(longestMs < 250, `${longestMs} ms`);
});
