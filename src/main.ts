#!/usr/bin/env node
import { runCommandLine } from "./cli/command-line.js";
import { Output } from "./cli/output.js";
import { Failure } from "./cli/surroundings.js";

const interruption = new AbortController();

function complain(line: string): void {
  process.stderr.write(`${line}\n`);
}

// The first signal asks for a clean end, the second does not ask.
function interrupt(): void {
  if (!interruption.signal.aborted) return interruption.abort(new Failure("interrupted"));
  complain("windhover: interrupted again, ending at once");
  process.exit(1);
}

process.on("SIGINT", interrupt);
process.on("SIGTERM", interrupt);
process.stderr.on("error", () => {});

const code = await runCommandLine(process.argv.slice(2), {
  // Not touched unless a command reads it: it may be closed.
  get input() {
    return process.stdin;
  },
  output: new Output(process.stdout),
  complain,
  interrupted: interruption.signal,
});
process.exit(code);
