import t from "tap";
import { ConnectionCounts } from "../../src/stats/connection-counts.js";

t.test("an end that is told twice, or of nobody, does not make the count wrong, case I148", async (t) => {
  const counts = new ConnectionCounts();
  const [a, b] = [{}, {}];
  counts.opened(a);
  counts.opened(b);
  t.match(counts, { current: 2, total: 2 });
  counts.closed(a);
  counts.closed(a);
  counts.closed({});
  t.match(counts, { current: 1, total: 2 });
  counts.closed(b);
  t.match(counts, { current: 0, total: 2 });
});
