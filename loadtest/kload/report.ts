import { WINDHOVER } from "./contestants.js";
import type { Measured } from "./generator.js";
import type { Findings } from "./run.js";

type Table<T> = Readonly<Record<string, Readonly<Record<string, T>>>>;

/** What came of all runs. */
export interface Report {
  /** By server and workload: the median of each figure over all runs. */
  readonly servers: Table<Measured>;
  /** By peer and workload: our CPU time for an operation, divided by the peer's in the same run; the median of all runs. */
  readonly cpuRatios: Table<number>;
}

/** Sums up the runs. */
export function reportOf(findings: Findings): Report {
  const ours = findings.get(WINDHOVER.name) ?? new Map<string, readonly Measured[]>();
  const peers = [...findings].filter(([name]) => name !== WINDHOVER.name);
  return {
    servers: tableOf([...findings], (runs) => summarize(runs)),
    cpuRatios: tableOf(peers, (runs, workload) => ratio(ours.get(workload) ?? [], runs)),
  };
}

/** The report as a table for people, one line for each workload and server. */
export function tellReport({ servers, cpuRatios }: Report): readonly string[] {
  const rows = Object.entries(servers).flatMap(([server, workloads]) =>
    Object.entries(workloads).map(([workload, figures]) => cells(server, workload, figures, cpuRatios)),
  );
  const order = Object.keys(servers[WINDHOVER.name] ?? {});
  rows.sort((a, b) => order.indexOf(a[0] ?? "") - order.indexOf(b[0] ?? ""));
  const isBound = rows.some((row) => row.some((cell) => cell.endsWith(BOUND)));
  return [
    ...aligned([HEAD, ...rows]),
    ...(isBound ? [`${BOUND} the generator had no time left; compare the CPU time`] : []),
  ];
}

/** Marks figures that say more about the generator than about the server. */
const BOUND = "*";

const HEAD = ["workload", "server", "CPU us/op", "ratio", "ops/s", "p50 us", "p99 us", "max us", "settle s", "anon MB"];

function cells(server: string, workload: string, figures: Measured, ratios: Report["cpuRatios"]): readonly string[] {
  const against = ratios[server]?.[workload];
  return [
    workload,
    server,
    figures.cpuUsPerOp.toFixed(2),
    against === undefined ? "" : against.toFixed(2),
    `${figures.opsPerS}${figures.generatorBound ? BOUND : ""}`,
    `${figures.p50Us}`,
    `${figures.p99Us}`,
    `${figures.maxUs}`,
    figures.settleCpuS.toFixed(2),
    `${figures.rssAnonMb}`,
  ];
}

function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const isText = (column: number): boolean => column < 2;
  return rows.map((row) =>
    row
      .map((cell, column) => (isText(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  "),
  );
}

function tableOf<T>(
  findings: readonly (readonly [string, ReadonlyMap<string, readonly Measured[]>])[],
  make: (runs: readonly Measured[], workload: string) => T,
): Table<T> {
  return Object.fromEntries(
    findings.map(([server, workloads]) => [
      server,
      Object.fromEntries([...workloads].map(([workload, runs]) => [workload, make(runs, workload)])),
    ]),
  );
}

function summarize(runs: readonly Measured[]): Measured {
  const of = (figure: (run: Measured) => number, digits = 0): number => round(median(runs.map(figure)), digits);
  return {
    cpuUsPerOp: of((run) => run.cpuUsPerOp, 2),
    opsPerS: of((run) => run.opsPerS),
    p50Us: of((run) => run.p50Us),
    p99Us: of((run) => run.p99Us),
    maxUs: of((run) => run.maxUs),
    settleCpuS: of((run) => run.settleCpuS, 3),
    rssAnonMb: of((run) => run.rssAnonMb),
    empties: of((run) => run.empties),
    generatorBound: median(runs.map((run) => Number(run.generatorBound))) > 0.5,
  };
}

function ratio(ours: readonly Measured[], theirs: readonly Measured[]): number {
  const each = theirs.map((run, i) => (ours[i]?.cpuUsPerOp ?? Number.NaN) / run.cpuUsPerOp);
  return round(median(each), 3);
}

/** The one in the middle; of an even number of values the mean of both. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}

function round(value: number, digits: number): number {
  const scale = 10 ** digits;
  return Math.round(value * scale) / scale;
}
