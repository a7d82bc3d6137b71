import t from "tap";
import type { Item } from "../../src/item.js";
import { type Fetched, type FetchMode, WaitList } from "../../src/queue/wait-list.js";
import { isPending } from "../helpers/journal-bench.js";
import { got, PATIENT } from "../helpers/queue-bench.js";
import { TestClock } from "../helpers/test-clock.js";

/** A wait-list, and a fetch that hands out `items` as a queue does. */
function listOf(...items: readonly string[]): {
  list: WaitList;
  clock: TestClock;
  fetch: (mode: FetchMode) => Fetched | null;
  loading: { is: boolean };
} {
  const clock = new TestClock();
  const loading = { is: false };
  const line = [...items];
  const fetch = (mode: FetchMode): Fetched | null => {
    const data = mode === "peek" ? line[0] : line.shift();
    return data === undefined ? null : { item: { data: Buffer.from(data) } as Item, read: null, durable: null };
  };
  return { list: new WaitList(clock, () => loading.is), clock, fetch, loading };
}

t.test("C72 items go to those who have waited longest, one each", async (t) => {
  const { list, fetch } = listOf("1", "2");
  const waiters = ["a", "b", "c"].map(() => list.add("take", 1000, PATIENT));
  list.serve(fetch);
  t.equal(await got(waiters[0]!), "1");
  t.equal(await got(waiters[1]!), "2");
  t.equal(await isPending(waiters[2]!.outcome), true);
  t.equal(list.size, 1);
});

t.test("C71 a wait ends when its time is over, not before, and not when the wall clock steps", async (t) => {
  const { list, clock } = listOf();
  const waiter = list.add("take", 500, PATIENT);
  clock.setWall(clock.wallMs() + 1_000_000);
  clock.advance(499.9);
  t.equal(await isPending(waiter.outcome), true);
  clock.advance(0.1);
  t.equal(await got(waiter), null);
  t.equal(list.size, 0);
});

t.test("C74 each wait ends at its own time", async (t) => {
  const { list, clock, fetch } = listOf("1");
  const [a, b, c] = [300, 100, 200].map((ms) => list.add("take", ms, PATIENT));
  clock.advance(100);
  t.equal(await got(b!), null);
  list.serve(fetch);
  t.equal(await got(a!), "1");
  clock.advance(100);
  t.equal(await got(c!), null);
});

t.test("C76 a wait that is over leaves no timer, however it ended", async (t) => {
  const { list, clock, fetch } = listOf("1");
  const [served, cancelled, ended] = [1, 2, 3].map(() => list.add("take", 3_599_000, PATIENT));
  t.equal(clock.timers, 3);
  list.serve(fetch);
  cancelled!.cancel();
  t.equal(clock.timers, 1);
  list.endAll();
  t.equal(clock.timers, 0);
  t.same(await Promise.all([served!, cancelled!, ended!].map(got)), ["1", null, null]);
});

t.test("C73 who is gone, or does not read, is passed over in the same step and keeps its place", async (t) => {
  const { list, fetch } = listOf("1", "2");
  const patron = { canTake: false };
  const [blocked, next] = [list.add("take", 1000, patron), list.add("take", 1000, PATIENT)];
  const last = list.add("take", 1000, PATIENT);
  list.serve((mode) => (list.size === 3 ? fetch(mode) : null));
  t.equal(await got(next), "1");
  t.equal(await isPending(blocked.outcome), true);
  patron.canTake = true;
  list.serve(fetch);
  t.equal(await got(blocked), "2");
  t.equal(await isPending(last.outcome), true);
});

t.test("a peek does not use the item up: who waits behind it is served in the same step", async (t) => {
  const { list, fetch } = listOf("1");
  const waiters = (["peek", "peek", "take", "peek"] as const).map((mode) => list.add(mode, 1000, PATIENT));
  list.serve(fetch);
  t.same(await Promise.all(waiters.slice(0, 3).map(got)), ["1", "1", "1"]);
  t.equal(list.size, 1, "the last one came too late");
});

t.test("a cancelled wait leaves the list at once, and cancelling it again does nothing", async (t) => {
  const { list, fetch } = listOf("1");
  const [a, b] = [list.add("take", 1000, PATIENT), list.add("take", 1000, PATIENT)];
  a.cancel();
  t.equal(list.size, 1);
  list.serve(fetch);
  a.cancel();
  b.cancel();
  t.same(await Promise.all([got(a), got(b)]), [null, "1"]);
});

t.test("whose time is over while items are being read waits for those", async (t) => {
  const { list, clock, fetch, loading } = listOf("1");
  loading.is = true;
  const [timed, atOnce, later] = [
    list.add("take", 100, PATIENT),
    list.add("take", 0, PATIENT),
    list.add("take", 1000, PATIENT),
  ];
  clock.advance(100);
  t.equal(await isPending(Promise.race([timed.outcome, atOnce.outcome])), true);
  list.serve(fetch);
  t.equal(await got(timed), "1");
  list.endOverdue();
  t.equal(await got(atOnce), null);
  t.equal(await isPending(later.outcome), true, "this one still has time");
});

t.test("when all waits end, each ends without an item", async (t) => {
  const { list } = listOf("1");
  const waiters = Array.from({ length: 100 }, () => list.add("open", 1000, PATIENT));
  list.endAll();
  t.same(new Set(await Promise.all(waiters.map(got))), new Set([null]));
  t.equal(list.size, 0);
});
