import { PassThrough, Readable, Writable } from "node:stream";
import { runCommandLine } from "../../src/cli/command-line.js";
import { Output } from "../../src/cli/output.js";
import { Failure } from "../../src/cli/surroundings.js";

/** A windhover command that runs within the test's process. */
export interface RunningCommand {
  /** Its exit code. */
  readonly code: Promise<number>;
  /** What it has printed so far. */
  stdout(): Buffer;
  /** The lines of complaint so far. */
  readonly stderr: readonly string[];
  /** Calls back for each piece that is printed. */
  onPrint(tell: () => void): void;
  /** As Ctrl-C does. */
  interrupt(): void;
}

/** Starts a command; `input` is its standard input, and `broken` is a standard output that nobody reads. */
export function startCommand(
  words: readonly string[],
  options: { readonly input?: Readable | string; readonly broken?: boolean } = {},
): RunningCommand {
  const printed: Buffer[] = [];
  const stderr: string[] = [];
  const interruption = new AbortController();
  const { input = "" } = options;
  const stdout = options.broken ? brokenPipe() : new PassThrough();
  stdout.on("data", (chunk: Buffer) => printed.push(chunk));
  const code = runCommandLine(words, {
    input: typeof input === "string" ? Readable.from(input === "" ? [] : [Buffer.from(input)]) : input,
    output: new Output(stdout),
    complain: (line) => stderr.push(line),
    interrupted: interruption.signal,
  });
  return {
    code,
    stdout: () => Buffer.concat(printed),
    stderr,
    onPrint: (tell) => stdout.on("data", tell),
    interrupt: () => interruption.abort(new Failure("interrupted")),
  };
}

/** How a command ended. */
export interface FinishedCommand {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: readonly string[];
}

/** Runs a command to its end. */
export async function runCommand(...args: Parameters<typeof startCommand>): Promise<FinishedCommand> {
  const command = startCommand(...args);
  const code = await command.code;
  return { code, stdout: command.stdout().toString(), stderr: command.stderr };
}

function brokenPipe(): Writable {
  return new Writable({
    write: (_chunk, _encoding, done) =>
      done(Object.assign(new Error("write EPIPE"), { code: "EPIPE", syscall: "write" })),
  });
}
