import { type Command, Option } from "commander";
import { loadSettings } from "../config/load.js";
import type { ServerSettings } from "../config/settings.js";
import { describeError } from "../errors.js";
import { createLog, LOG_LEVELS, type Log, type LogLevel } from "../log.js";
import { type RunningServer, startServer } from "../server.js";
import { sourcesOf } from "./config-sources.js";
import type { Output } from "./output.js";
import type { Surroundings } from "./surroundings.js";

interface ServeOptions {
  readonly listen?: string;
  readonly memcache?: string;
  readonly journal?: string;
  readonly config?: string;
  readonly logLevel: LogLevel;
  readonly readyJson?: true;
}

/** `windhover serve`: the queue server, until it is told to stop. */
export function addServe(program: Command, surroundings: Surroundings): void {
  program
    .command("serve")
    .description("run the queue server")
    .option("--listen <address>", "the address to listen on (default: 127.0.0.1)")
    .option("--memcache <port>", "the memcache port; 0 picks a free one (default: 22133)")
    .option("--journal <directory>", "where the journal is kept (default: journal/data)")
    .option(
      "--config <file>",
      "the configuration file; options given here override it (default: windhover.toml, if there is one)",
    )
    .addOption(new Option("--log-level <level>", "how much to say on stderr").choices(LOG_LEVELS).default("info"))
    .option("--ready-json", "print one line of JSON with the ports on stdout when serving")
    .action((options: ServeOptions) => serve(options, surroundings));
}

async function serve(options: ServeOptions, { output, interrupted }: Surroundings): Promise<void> {
  const load = (): Promise<ServerSettings> => loadSettings(sourcesOf(options.config, options));
  const settings = await load();
  const log = createLog(options.logLevel);
  const server = await startServer(settings, { log, loadSettings: load });
  stopWhen(interrupted, server);
  const reload = (): void => reloadOn(server, log);
  process.on("SIGHUP", reload);
  try {
    if (options.readyJson) await announce(server, output, log);
    await server.stopped;
  } finally {
    process.off("SIGHUP", reload);
  }
}

// Whoever sent the signal sees no answer, so the log tells why nothing was changed.
function reloadOn(server: RunningServer, log: Log): void {
  log.info({}, "SIGHUP asks for a reload");
  server.reload().catch((error: unknown) => log.error({ error: describeError(error) }, "nothing was reloaded"));
}

// How the stop went is told by `stopped`.
function stopWhen(interrupted: AbortSignal, server: RunningServer): void {
  const stop = (): void => void server.stop().catch(() => {});
  if (interrupted.aborted) stop();
  else interrupted.addEventListener("abort", stop, { once: true });
}

// Whoever wanted to read it may be gone; the clients are not.
async function announce(server: RunningServer, output: Output, log: Log): Promise<void> {
  const { memcache, listeners } = server.ports;
  const line = JSON.stringify({ ready: true, memcache, ...(listeners.length === 0 ? {} : { listeners }) });
  await output
    .write(`${line}\n`)
    .catch((error: Error) => log.warn({ reason: error.message }, "nobody reads the ready line"));
}
