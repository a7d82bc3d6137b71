import t from "tap";
import type { Measured } from "../../../loadtest/kload/generator.js";
import { reportOf, tellReport } from "../../../loadtest/kload/report.js";

function measured(cpuUsPerOp: number, more: Partial<Measured> = {}): Measured {
  return {
    cpuUsPerOp,
    opsPerS: 50_000.4,
    p50Us: 100,
    p99Us: 900,
    maxUs: 4000,
    settleCpuS: 0.1,
    rssAnonMb: 80,
    empties: 0,
    generatorBound: false,
    ...more,
  };
}

t.test("each figure is the median of the runs", async (t) => {
  const runs = [
    measured(10, { p99Us: 1 }),
    measured(30, { p99Us: 3 }),
    measured(11, { p99Us: 2, generatorBound: true }),
  ];
  const { servers, cpuRatios } = reportOf(new Map([["windhover", new Map([["put", runs]])]]));
  t.match(servers, { windhover: { put: { cpuUsPerOp: 11, p99Us: 2, opsPerS: 50_000, generatorBound: false } } });
  t.same(cpuRatios, {});
  const two = reportOf(new Map([["windhover", new Map([["put", [measured(10), measured(20)]]])]]));
  t.equal(two.servers["windhover"]?.["put"]?.cpuUsPerOp, 15, "the mean of the two in the middle");
});

t.test("a ratio compares what was measured in the same run", async (t) => {
  const ours = [measured(10), measured(40), measured(12)];
  const theirs = [measured(20), measured(50), measured(4)];
  const report = reportOf(
    new Map([
      ["windhover", new Map([["put", ours]])],
      ["redis", new Map([["put", theirs]])],
    ]),
  );
  t.same(report.cpuRatios, { redis: { put: 0.8 } });
});

t.test("the table shows the servers side by side, workload by workload", async (t) => {
  const both = (cpu: number): Map<string, Measured[]> =>
    new Map([
      ["put", [measured(cpu)]],
      ["drain", [measured(cpu / 2, { generatorBound: true })]],
    ]);
  const findings = new Map([
    ["windhover", both(10)],
    ["beanstalkd", both(20)],
  ]);
  const lines = tellReport(reportOf(findings)).map((line) => line.replace(/ +/g, " "));
  t.match(lines, [
    /^workload server CPU us\/op ratio /,
    /^put windhover 10.00 50000 /,
    /^put beanstalkd 20.00 0.50 50000 /,
    /^drain windhover 5.00 50000\* /,
    /^drain beanstalkd 10.00 0.50 50000\* /,
    /^\* the generator had no time left/,
  ]);
  t.equal(tellReport(reportOf(new Map([["windhover", new Map([["put", [measured(1)]]])]]))).length, 2, "no footnote");
});
