import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeError } from "../src/errors.js";
import { type KillsOptions, type KillsReport, runKills } from "./kills/run.js";
import { keepResult } from "./support/results.js";

const USAGE = `usage: npm run load:kills -- [options]

Kills a server of its own with SIGKILL again and again while clients put and get at full speed, starts it on the same
journal, and checks that every stored item comes, in order, and twice only where a kill explains it.

  --rounds N     so many kills (default 10)
  --round-ms MS  a kill comes after at most so long (default 1000)
  --queues N     so many queues (default 3)
  --fresh-ms MS  an item whose answer is younger than this at a kill may come once more (default 100)
  --seed N       repeats a run's choices (default: by chance, printed)
  --out FILE     keep the report in loadtest/results
  --help         print this

One line of JSON at the end. Exit code 1 when an item was lost, came twice without reason or out of order, or a count was wrong.`;

const VALUE = { type: "string" } as const;
const WORDS = {
  rounds: VALUE,
  "round-ms": VALUE,
  queues: VALUE,
  "fresh-ms": VALUE,
  seed: VALUE,
  out: VALUE,
  help: { type: "boolean" },
} as const;

async function main(words: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...words], options: WORDS, strict: true });
  if (values.help === true) {
    console.log(USAGE);
    return 0;
  }
  const options: KillsOptions = {
    rounds: whole("--rounds", values.rounds, 10),
    roundMs: whole("--round-ms", values["round-ms"], 1000),
    queues: whole("--queues", values.queues, 3),
    freshMs: whole("--fresh-ms", values["fresh-ms"], 100),
    seed: whole("--seed", values.seed, Math.floor(Math.random() * 2 ** 31)),
  };
  const directory = await mkdtemp(join(tmpdir(), "windhover-kills-"));
  try {
    const report = { test: "kills", ...(await runKills(options, directory)) };
    console.log(JSON.stringify(report));
    if (values.out !== undefined) await keepResult(values.out, report);
    for (const fault of report.faults) console.error(`kills: ${fault}`);
    return isGood(report) ? 0 : 1;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function isGood(report: KillsReport): boolean {
  const { duplicates_wrong, lost, order_faults, count_faults, foreign } = report;
  return duplicates_wrong + lost + order_faults + count_faults + foreign === 0;
}

function whole(option: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^\d{1,10}$/.test(text)) throw new Error(`${option} takes a whole number, not ${text}`);
  return Number(text);
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(`kills: ${describeError(error)}`);
  return 1;
});
