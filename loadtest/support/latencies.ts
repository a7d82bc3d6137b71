/** Latencies as a load test reports them, in milliseconds. */
export interface LatencySummary {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** The summary of some latencies, to the microsecond; null without any. */
export function summarize(latenciesMs: readonly number[]): LatencySummary | null {
  if (latenciesMs.length === 0) return null;
  const sorted = Float64Array.from(latenciesMs).sort();
  return { p50: percentile(sorted, 50), p99: percentile(sorted, 99), max: percentile(sorted, 100) };
}

/** The smallest value that is not below `percent` of all values. */
function percentile(sorted: Float64Array, percent: number): number {
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length));
  return Math.round((sorted[rank - 1] ?? Number.NaN) * 1000) / 1000;
}
