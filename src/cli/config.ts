import type { Command } from "commander";
import { loadConfiguration } from "../config/configuration.js";
import { explain, explainQueue } from "../config/explain.js";
import { ConfigurationError } from "../config/faults.js";
import { WindhoverError } from "../errors.js";
import { sourcesOf } from "./config-sources.js";
import type { Surroundings } from "./surroundings.js";

interface ShowOptions {
  readonly queue?: string;
  readonly config?: string;
}

/** `windhover config`: looks at a configuration without starting a server. */
export function addConfig(program: Command, surroundings: Surroundings): void {
  const config = program.command("config").description("check or show the configuration");
  config
    .command("check")
    .description("look for mistakes in a configuration file")
    .argument("<file>", "the file")
    .action((file: string) => check(file, surroundings));
  config
    .command("show")
    .description("print what holds and where it comes from")
    .option("--queue <queue>", "only what holds for this queue")
    .option("--config <file>", "the configuration file (default: windhover.toml, if there is one)")
    .action((options: ShowOptions) => show(options, surroundings));
}

/** The file alone: what holds on this machine besides it may be otherwise where the file is meant for. */
async function check(file: string, { output, complain }: Surroundings): Promise<void> {
  try {
    const { settings } = await loadConfiguration({ file });
    for (const note of settings.notes) complain(`windhover: ${file}: note: ${note}`);
  } catch (error) {
    if (!(error instanceof ConfigurationError) || error.faults.length < 2) throw error;
    for (const fault of error.faults) complain(`windhover: ${file}: ${fault}`);
    throw new WindhoverError("WH_CONFIG", `${file}: ${error.faults.length} mistakes`);
  }
  await output.write(`${file}: no mistakes\n`);
}

async function show({ queue, config }: ShowOptions, { output }: Surroundings): Promise<void> {
  const configuration = await loadConfiguration(sourcesOf(config));
  if (queue === undefined) return output.write(explain(configuration));
  await output.write(explainQueue(configuration, Buffer.from(queue, "utf8").toString("latin1")));
}
