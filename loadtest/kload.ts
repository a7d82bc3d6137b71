import { describeError } from "../src/errors.js";
import { type Options, parseOptions, repeatCommand, USAGE } from "./kload/options.js";
import { reportOf, tellReport } from "./kload/report.js";
import { runKload } from "./kload/run.js";
import { canPin } from "./support/pinned.js";
import { ProgressLine } from "./support/progress-line.js";
import { keepResult } from "./support/results.js";

/**
 * What an operation costs the server, measured with kload, a load generator in C: put, drain, reliable reads, a flood and
 * many waiting clients, alone or in turns with other servers. It prints a table and one line of JSON, and fails when an item
 * was lost, came twice or changed.
 */
async function main(words: readonly string[]): Promise<number> {
  const options = readOptions(words);
  if (options === null) return 0;
  if (typeof options === "string") return complain(options, 2);
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stop.abort(new Error("interrupted")));
  const progress = new ProgressLine();
  try {
    const report = reportOf(await runKload(options, stop.signal, (line) => progress.show(line)));
    progress.clear();
    console.log(tellReport(report).join("\n"));
    const line = { test: "kload", ...facts(options), ...report, repeat: repeatCommand(options) };
    console.log(JSON.stringify(line));
    if (options.out !== null) await keepResult(options.out, line);
    return 0;
  } finally {
    progress.clear();
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

function facts({ runs, items, conns, size }: Options): object {
  return { runs, items, conns, size, pinned: canPin() };
}

function complain(what: string, code: number): number {
  console.error(`kload: ${what}`);
  return code;
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => complain(describeError(error), 1));
