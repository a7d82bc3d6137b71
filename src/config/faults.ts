import { WindhoverError } from "../errors.js";
import type { Setting } from "./schema.js";
import { nearest } from "./spelling.js";

/** A configuration that is wrong, with each fault as a sentence of its own that begins with its place. */
export class ConfigurationError extends WindhoverError {
  readonly faults: readonly string[];

  constructor(where: string, faults: readonly string[]) {
    super("WH_CONFIG", `${where}: ${faults.join("; ")}`);
    this.faults = faults;
  }
}

/** Throws when something was found. */
export function throwFaults(where: string, faults: readonly string[]): void {
  if (faults.length > 0) throw new ConfigurationError(where, faults);
}

/** A value that its setting cannot have. */
export function wrongValue(place: string, written: unknown, { kind }: Setting<unknown>): string {
  return `${place}: ${describe(written)} is not ${kind.forms}`;
}

// NaN and Infinity are values in TOML, and JSON would make null of them.
function describe(written: unknown): string {
  return typeof written === "number" ? String(written) : JSON.stringify(written);
}

/** A name that nothing has, with the one that was most likely meant. */
export function unknownName(
  place: string,
  written: string,
  known: readonly string[],
  guess = nearest(written, known),
): string {
  return `${place}: unknown; ${guess === undefined ? `known are ${known.join(", ")}` : `did you mean ${guess}?`}`;
}
