import t from "tap";
import { parseDuration, parseSize, showDuration, showSize } from "../../src/config/units.js";

t.test("sizes are bytes or a number with a unit of 1024", async (t) => {
  t.equal(parseSize("0"), 0);
  t.equal(parseSize("1000"), 1000);
  t.equal(parseSize("512b"), 512);
  t.equal(parseSize("1kB"), 1024);
  t.equal(parseSize("128MB"), 128 * 1024 * 1024);
  t.equal(parseSize("128 mb"), 128 * 1024 * 1024);
  t.equal(parseSize("1GiB"), 1024 ** 3);
  t.equal(parseSize("1.5k"), 1536);
});

t.test("what is no size is refused, never guessed", async (t) => {
  for (const text of [
    "",
    "MB",
    "-1",
    "1e3",
    "0x10",
    "12 parsecs",
    "1.0001k",
    "5s",
    "9007199254740993",
    "1 constructor",
  ]) {
    t.equal(parseSize(text), undefined, JSON.stringify(text));
  }
});

t.test("durations carry their unit", async (t) => {
  t.equal(parseDuration("0"), 0);
  t.equal(parseDuration("100ms"), 100);
  t.equal(parseDuration("30s"), 30_000);
  t.equal(parseDuration("1.5s"), 1500);
  t.equal(parseDuration("5m"), 300_000);
  t.equal(parseDuration("2h"), 7_200_000);
  t.equal(parseDuration("1d"), 86_400_000);
});

t.test("a duration without a unit could be anything, so it is refused", async (t) => {
  for (const text of ["100", "", "ms", "-5s", "5 fortnights"])
    t.equal(parseDuration(text), undefined, JSON.stringify(text));
});

t.test("what is shown is what would be read", async (t) => {
  t.equal(showSize(128 * 1024 * 1024), '"128MB"');
  t.equal(showSize(1536), "1536");
  t.equal(showSize(0), "0");
  t.equal(showDuration(90_000), '"90s"');
  t.equal(showDuration(86_400_000), '"1d"');
  t.equal(showDuration(1), '"1ms"');
  t.equal(showDuration(0), '"0"');
});
