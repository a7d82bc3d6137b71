import { accessSync, constants } from "node:fs";
import { availableParallelism } from "node:os";
import { delimiter, join } from "node:path";

/** Where a program is, looked up as a shell does; null when it is not installed. */
export function findProgram(name: string): string | null {
  for (const directory of (process.env["PATH"] ?? "").split(delimiter)) {
    const path = join(directory, name);
    if (isProgram(path)) return path;
  }
  return null;
}

/** True for a file that can be run. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** True where programs can be pinned to cores: taskset is there, and more than one core. */
export function canPin(): boolean {
  return availableParallelism() > 1 && findProgram("taskset") !== null;
}

/** A command that runs on one core only; where that is not possible, the command as it was. */
export function pinned(core: number | undefined, command: readonly string[]): readonly string[] {
  return core === undefined || !canPin() ? command : ["taskset", "-c", `${core}`, ...command];
}
