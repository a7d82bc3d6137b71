import { execFile } from "node:child_process";
import { pinned } from "../support/pinned.js";
import type { Contestant } from "./contestants.js";
import type { Workload } from "./workloads.js";

/** The core of the server, and the one of the generator. */
export const SERVER_CORE = 0;
const GENERATOR_CORE = 1;

/** Besides a millisecond for each item: what a run may take before it is ended. */
const LEAST_MS = 60_000;
/** A generator that was busy for so much of the time was the bottleneck, not the server. */
const BUSY = 0.95;

/** What was found for one workload in one run. Latencies are in microseconds. */
export interface Measured {
  /** CPU time of all the server's threads, user and system, for one operation. */
  readonly cpuUsPerOp: number;
  readonly opsPerS: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly maxUs: number;
  /** CPU time that the server went on using after the last answer. */
  readonly settleCpuS: number;
  /** The server's anonymous memory after that. */
  readonly rssAnonMb: number;
  /** Fetches that came back without an item. */
  readonly empties: number;
  /** True if the generator had no time left, so that opsPerS says little. */
  readonly generatorBound: boolean;
}

/** What kload prints, as far as it is read here. */
interface Printed {
  readonly elapsed_s: number;
  readonly ops_per_s: number;
  readonly empties: number;
  readonly client_cpu_s: number;
  readonly put_us?: Latency;
  readonly get_us?: Latency;
  readonly e2e_us?: Latency;
  readonly server: { readonly cpu_us_per_op: number; readonly settle_cpu_s: number; readonly rss_anon_kb: number };
}

interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Which server is loaded, and with items of what size. */
export interface Target {
  readonly contestant: Contestant;
  readonly port: number;
  readonly pid: number;
  readonly size: number;
}

/** The program kload. */
export class Generator {
  readonly #program: string;
  readonly #settleSeconds: number;
  readonly #stop: AbortSignal;

  constructor(program: string, settleSeconds: number, stop: AbortSignal) {
    this.#program = program;
    this.#settleSeconds = settleSeconds;
    this.#stop = stop;
  }

  /** Loads a server. Rejected if an item was lost, came twice or changed, or the server did not answer as it should. */
  async load(workload: Workload, target: Target): Promise<Measured> {
    const printed = await this.#run(wordsOf(workload, target, this.#settleSeconds), LEAST_MS + workload.items);
    const { server, elapsed_s, client_cpu_s } = printed;
    const latency = printed[workload.latency] ?? { p50: Number.NaN, p99: Number.NaN, max: Number.NaN };
    return {
      cpuUsPerOp: server.cpu_us_per_op,
      opsPerS: printed.ops_per_s,
      p50Us: latency.p50,
      p99Us: latency.p99,
      maxUs: latency.max,
      settleCpuS: server.settle_cpu_s,
      rssAnonMb: server.rss_anon_kb / 1024,
      empties: printed.empties,
      generatorBound: client_cpu_s > BUSY * elapsed_s,
    };
  }

  #run(words: readonly string[], timeout: number): Promise<Printed> {
    const [program = "", ...rest] = pinned(GENERATOR_CORE, [this.#program, ...words]);
    return new Promise((resolve, reject) => {
      const options = { timeout, killSignal: "SIGKILL", signal: this.#stop } as const;
      execFile(program, rest, options, (error, stdout, stderr) => {
        if (error === null) return resolve(JSON.parse(stdout) as Printed);
        if (this.#stop.aborted) return reject(this.#stop.reason);
        const how = error.killed ? `not done after ${timeout / 1000} s` : `exit code ${error.code}`;
        reject(new Error(`kload ${words.join(" ")}: ${how}: ${stderr}${stdout}`));
      });
    });
  }
}

function wordsOf(workload: Workload, { contestant, port, pid, size }: Target, settleSeconds: number): string[] {
  const { mode, conns, items, pipeline, words } = workload;
  const numbers = { port, conns, items, size, pipeline, pid, settle: settleSeconds };
  const own = ["--proto", contestant.protocol, "--mode", mode, ...(contestant.isQueue ? [] : ["--no-verify"])];
  return [...own, ...Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, `${value}`]), ...words];
}
