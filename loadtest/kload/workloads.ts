/** How much a run moves. */
export interface Amounts {
  readonly items: number;
  readonly conns: number;
  /** Bytes of an item. */
  readonly size: number;
}

/** Items that a workload takes, puts, or both, through so many connections. */
export interface Workload {
  readonly name: string;
  /** kload's mode. */
  readonly mode: "put" | "drain" | "reliable" | "flood" | "many";
  readonly conns: number;
  readonly items: number;
  /** Requests in flight on each connection. */
  readonly pipeline: number;
  /** More words for kload. */
  readonly words: readonly string[];
  /** How many items must lie in the queue before it: what the workload before it has left, if it can be arranged. */
  readonly before: number;
  /** How many lie there after it. */
  readonly after: number;
  /** Which of kload's latencies tells most about it. */
  readonly latency: "put_us" | "get_us" | "e2e_us";
}

/** How many consumers wait in `many`, and for how many items. */
const WAITERS = 500;
/** As many items as one connection alone puts. */
const ALONE = 5000;

/** All workloads, in an order in which one takes what the one before it has put. */
export function allWorkloads({ items, conns }: Amounts): readonly Workload[] {
  const load = { conns, items, pipeline: 1, words: [], before: 0, after: 0 } as const;
  return [
    { ...load, name: "put", mode: "put", after: items, latency: "put_us" },
    { ...load, name: "drain", mode: "drain", before: items, latency: "get_us" },
    { ...load, name: "put-32", mode: "put", pipeline: 32, after: items, latency: "put_us" },
    {
      ...load,
      name: "reliable",
      mode: "reliable",
      words: ["--get-suffix", "/close/open"],
      before: items,
      latency: "get_us",
    },
    { ...load, name: "flood", mode: "flood", words: ["--get-suffix", "/t=1000"], latency: "e2e_us" },
    {
      ...load,
      name: "many",
      mode: "many",
      conns: WAITERS,
      items: WAITERS,
      words: ["--interval", "2", "--get-suffix", "/t=250"],
      latency: "e2e_us",
    },
    { ...load, name: "one", mode: "put", conns: 1, items: ALONE, after: ALONE, latency: "put_us" },
  ];
}

/** A workload that is not measured: it puts items, or takes them, so that another finds as many as it needs. */
export function preparation(mode: "put" | "drain", items: number, { conns }: Amounts): Workload {
  const [before, after] = mode === "put" ? [0, items] : [items, 0];
  return { name: mode, mode, conns, items, pipeline: 32, words: [], before, after, latency: "put_us" };
}
