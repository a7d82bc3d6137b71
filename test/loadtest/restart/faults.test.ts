import t from "tap";
import { faultsOf, type Report } from "../../../loadtest/restart/run.js";

const PUMPED = { items: 10, seconds: 1, perSecond: 10, longestMs: 1, fault: null };
const GOOD: Report = {
  fill: PUMPED,
  stopMs: 5,
  fullMb: 80,
  readyMs: 300,
  firstGetMs: 10,
  drain: PUMPED,
  drainedMb: 60,
  smallAfterMs: 900,
  idleMb: 2,
};
const OPTIONS = { items: 10, size: 1024, out: null };

t.test("each promise that was not kept is told", async (t) => {
  t.same(faultsOf(GOOD, OPTIONS), []);
  t.match(faultsOf({ ...GOOD, readyMs: 2000 }, OPTIONS), [/^it was ready after 2000 ms/]);
  t.match(faultsOf({ ...GOOD, firstGetMs: 400 }, OPTIONS), [/^the first get took 400 ms/]);
  const short = { ...PUMPED, items: 7, fault: "END" };
  t.match(faultsOf({ ...GOOD, drain: short }, OPTIONS), [/^7 of 10 items came in order, then END/]);
  t.match(faultsOf({ ...GOOD, smallAfterMs: null, idleMb: 70 }, OPTIONS), [/^the journal takes 70 MB/]);
  t.match(faultsOf({ ...GOOD, idleMb: 51 }, OPTIONS), [/^the journal takes 51 MB/], "it had grown again");
});
