import { describeError } from "../src/errors.js";
import { type Options, parseOptions, repeatCommand, USAGE } from "./many-clients/options.js";
import { type Report, runManyClients } from "./many-clients/run.js";
import { OwnServer } from "./support/own-server.js";

/**
 * Kestrel's load test of blocking fetches, by its name and options: many clients wait on one queue while one producer
 * trickles items into it. It prints one line of JSON and fails unless every item arrived exactly once, or with reliable
 * reads at least once.
 */
async function main(words: readonly string[]): Promise<number> {
  const options = readOptions(words);
  if (options === null) return 0;
  if (typeof options === "string") return complain(options, 2);
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stop.abort(new Error("interrupted")));
  const server = options.port === null ? await OwnServer.start() : null;
  server?.onUnexpectedEnd((how) => stop.abort(new Error(how)));
  try {
    const address =
      server === null ? { host: options.host, port: options.port ?? 0 } : { host: "127.0.0.1", port: server.port };
    if (server !== null) await runManyClients(warmUp(options), address, stop.signal);
    const report = await runManyClients(options, address, stop.signal);
    console.log(JSON.stringify({ test: "many-clients", ...facts(options), ...report, repeat: repeatCommand(options) }));
    return verdict(options, report);
  } finally {
    await server?.stop();
  }
}

/**
 * A short run on another queue of a server of our own. Both processes have just started: without it the hand-offs that are
 * measured would be those of code that has not been compiled yet.
 */
function warmUp(options: Options): Options {
  const { queue, clients } = options;
  return {
    ...options,
    queue: `${queue}-warm-up`,
    items: 2000,
    sleepMs: 0,
    clients: Math.min(clients, 100),
    monitor: false,
  };
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

function facts({ items, clients, sleepMs, reliable, killPercent, port }: Options): object {
  return { items, clients, sleepMs, reliable, killPercent, ownServer: port === null };
}

function verdict(options: Options, report: Report): number {
  if (report.gaveUp !== null) return complain(report.gaveUp, 1);
  if (report.damaged > 0) return complain(`${report.damaged} items came back changed`, 1);
  if (report.duplicates > 0 && !options.reliable) return complain(`${report.duplicates} items came more than once`, 1);
  return 0;
}

function complain(what: string, code: number): number {
  console.error(`many-clients: ${what}`);
  return code;
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => complain(describeError(error), 1));
