import t from "tap";
import { summarize } from "../../../loadtest/support/latencies.js";

t.test("percentiles are values that were measured", async (t) => {
  const hundred = Array.from({ length: 100 }, (_, n) => 100 - n);
  t.same(summarize(hundred), { p50: 50, p99: 99, max: 100 });
  t.same(summarize([3, 1, 2]), { p50: 2, p99: 3, max: 3 });
  t.same(summarize([0.0123456]), { p50: 0.012, p99: 0.012, max: 0.012 });
});

t.test("of nothing there is no summary", async (t) => {
  t.equal(summarize([]), null);
});
