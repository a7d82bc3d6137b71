import { createRequire } from "node:module";
import { Command, CommanderError } from "commander";
import { describeError, WindhoverError } from "../errors.js";
import { addConfig } from "./config.js";
import { addGet } from "./get.js";
import { addPeek } from "./peek.js";
import { addPut } from "./put.js";
import { addServe } from "./serve.js";
import { addStats } from "./stats.js";
import { Failure, type Surroundings } from "./surroundings.js";

const { version } = createRequire(import.meta.url)("windhover/package.json") as { readonly version: string };

/**
 * Runs one command line and returns its exit code: 0 clean, 1 failed at run time, 2 bad arguments or configuration, 3
 * journal locked or unreadable. Whatever is not 0 has said why, in one line, on standard error.
 */
export async function runCommandLine(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  try {
    if (argv.length === 0) throw new WindhoverError("WH_USAGE", "no command; windhover --help lists them");
    await buildProgram(surroundings).parseAsync(argv, { from: "user" });
    return 0;
  } catch (error) {
    const code = exitCodeOf(error);
    if (code !== 0) surroundings.complain(`windhover: ${explain(error)}`);
    return code;
  }
}

function buildProgram(surroundings: Surroundings): Command {
  const program = new Command("windhover")
    .description("A queue server that speaks Kestrel's protocol, and its commands.")
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void surroundings.output.write(text).catch(() => {}),
      // An error is thrown as well, and told once, above.
      writeErr: () => {},
    });
  for (const add of [addServe, addPut, addGet, addPeek, addStats, addConfig]) add(program, surroundings);
  return program;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (!(error instanceof WindhoverError)) return 1;
  if (error.code.startsWith("WH_JOURNAL_")) return 3;
  return error.code === "WH_USAGE" || error.code === "WH_CONFIG" ? 2 : 1;
}

function explain(error: unknown): string {
  // A group of commands, with none of them.
  if (error instanceof CommanderError && error.code === "commander.help") return "no command; --help lists them";
  if (error instanceof CommanderError) return describeError(error).replace(/^error: /, "");
  if (error instanceof Failure) return error.message;
  if (error instanceof Error && error.name === "AbortError") return "interrupted";
  if (error instanceof WindhoverError || isOfSystem(error)) return describeError(error);
  // Anything else is a mistake in this program, which only its stack can explain.
  return error instanceof Error && error.stack !== undefined ? error.stack : describeError(error);
}

function isOfSystem(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
