import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeError } from "../src/errors.js";
import { type Options, parseOptions, repeatCommand, USAGE } from "./restart/options.js";
import { faultsOf, runRestart } from "./restart/run.js";
import { keepResult } from "./support/results.js";

/**
 * How a server comes back with a large queue: a million items are put, the server is stopped and started again on the same
 * journal, and all items are taken. It prints one line of JSON and fails unless the start was quick, the first item was there
 * at once, all came in order, and nothing was left on the disk.
 */
async function main(words: readonly string[]): Promise<number> {
  const options = readOptions(words);
  if (options === null) return 0;
  if (typeof options === "string") return complain(options, 2);
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stop.abort(new Error("interrupted")));
  const directory = await mkdtemp(join(tmpdir(), "windhover-restart-"));
  try {
    const report = await runRestart(options, join(directory, "journal"), stop.signal);
    const { items, size } = options;
    const line = { test: "restart", items, size, ...report, repeat: repeatCommand(options) };
    console.log(JSON.stringify(line));
    if (options.out !== null) await keepResult(options.out, line);
    const faults = faultsOf(report, options);
    for (const fault of faults) complain(fault, 1);
    return faults.length === 0 ? 0 : 1;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The options; null when the help was wanted, and printed; what is wrong with them as a string. */
function readOptions(words: readonly string[]): Options | null | string {
  try {
    const options = parseOptions(words);
    if (options === null) console.log(USAGE);
    return options;
  } catch (error) {
    return describeError(error);
  }
}

function complain(what: string, code: number): number {
  console.error(`restart: ${what}`);
  return code;
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => complain(describeError(error), 1));
