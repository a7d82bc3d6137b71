import type { Readable } from "node:stream";
import type { Output } from "./output.js";

/** What a command has around it. */
export interface Surroundings {
  readonly input: Readable;
  /** Standard output: only what the command was asked for. */
  readonly output: Output;
  /** Writes one line to standard error. */
  readonly complain: (line: string) => void;
  /** Aborted when the user or the system asks the command to end. */
  readonly interrupted: AbortSignal;
}

/** The command could not do what it was asked, and the message says all there is to say: exit code 1. */
export class Failure extends Error {
  override readonly name = "Failure";
}
