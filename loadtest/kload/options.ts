import { parseArgs } from "node:util";
import { findProgram, isProgram } from "../support/pinned.js";
import { whole } from "../support/whole.js";
import { type Contestant, PEERS } from "./contestants.js";
import { type Amounts, allWorkloads } from "./workloads.js";

/** What one run of kload does. */
export interface Options extends Amounts {
  /** Where the generator is. */
  readonly kload: string;
  /** How often each server is started and loaded. */
  readonly runs: number;
  readonly peers: readonly Contestant[];
  /** The names of the workloads. */
  readonly workloads: readonly string[];
  /** How long to wait after each workload for the server to be idle, at most, in seconds. */
  readonly settleSeconds: number;
  /** The file in loadtest/results that keeps the report; null keeps none. */
  readonly out: string | null;
}

const ALL = allWorkloads({ items: 1, conns: 1, size: 16 }).map(({ name }) => name);

export const USAGE = `usage: npm run load:kload -- --kload FILE [options]

Loads a fresh server of its own with kload, a load generator in C that is not part of this project, and tells the CPU time
that one operation costs the server, and its latencies: medians of some runs. Server and generator have a core each where
taskset is installed. With --vs it loads other servers in turns with ours, and tells the ratios.

  --kload FILE   the compiled generator
  --runs N       so many runs (default 1)
  --vs NAME      compare with beanstalkd, redis or memcached, which must be installed; may be given several times
  --only NAMES   some of ${ALL.join(", ")}, with commas between (default: all)
  --items N      so many items (default 100000; many and one have fewer)
  --conns N      so many connections (default 100; many and one have their own)
  --size N       bytes of an item (default 1024)
  --settle N     wait up to so many seconds after each workload for the server to be idle (default 10)
  --out FILE     keep the report as this file in loadtest/results
  --help         print this

A table, then one line of JSON. Exit code 1 when an item was lost, came twice or changed, or a server did not answer.`;

/** The options as they were typed; null when only help is wanted. Throws an Error with a message for the user. */
export function parseOptions(words: readonly string[]): Options | null {
  const { values } = parseArgs({ args: [...words], options: WORDS, strict: true });
  if (values.help) return null;
  return {
    kload: generator(values.kload),
    runs: whole("--runs", values.runs, 1, 1000) ?? 1,
    peers: (values.vs ?? []).map(installedPeer),
    workloads: values.only === undefined ? ALL : values.only.split(",").map(workloadName),
    items: whole("--items", values.items, 100, 100_000_000) ?? 100_000,
    conns: whole("--conns", values.conns, 2, 10_000) ?? 100,
    size: whole("--size", values.size, 32, 1_000_000) ?? 1024,
    settleSeconds: whole("--settle", values.settle, 0, 600) ?? 10,
    out: values.out ?? null,
  };
}

const VALUE = { type: "string" } as const;
const WORDS = {
  kload: VALUE,
  runs: VALUE,
  vs: { ...VALUE, multiple: true },
  only: VALUE,
  items: VALUE,
  conns: VALUE,
  size: VALUE,
  settle: VALUE,
  out: VALUE,
  help: { type: "boolean" },
} as const;

function generator(path: string | undefined): string {
  if (path === undefined) throw new Error("--kload must say where the compiled generator is");
  if (!isProgram(path)) throw new Error(`--kload ${path}: no program that can be run`);
  return path;
}

function installedPeer(name: string): Contestant {
  const peer = PEERS.find((one) => one.name === name);
  if (peer === undefined) throw new Error(`--vs knows ${PEERS.map((one) => one.name).join(", ")}, not ${name}`);
  if (findProgram(peer.program ?? "") === null) throw new Error(`--vs ${name}: ${peer.program} is not installed`);
  return peer;
}

function workloadName(name: string): string {
  if (ALL.includes(name)) return name;
  throw new Error(`--only knows ${ALL.join(", ")}, not ${JSON.stringify(name)}`);
}

/** The command that does the same again. */
export function repeatCommand(options: Options): string {
  const { kload, runs, peers, workloads, items, conns, size, settleSeconds } = options;
  const numbers = Object.entries({ runs, items, conns, size, settle: settleSeconds });
  const words = numbers.flatMap(([name, value]) => [`--${name}`, `${value}`]);
  if (workloads.length < ALL.length) words.push("--only", workloads.join(","));
  return ["npm run load:kload -- --kload", kload, ...words, ...peers.flatMap(({ name }) => ["--vs", name])].join(" ");
}
