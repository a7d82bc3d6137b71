import { WindhoverError } from "../errors.js";
import { wrongValue } from "./faults.js";
import { entriesOf } from "./schema.js";
import { SERVER_SECTION, type ServerValues } from "./server-schema.js";

/** What the command line says about the configuration, as it was typed; what is absent was not given. */
export interface ServerFlags {
  /** The address to bind to. */
  readonly listen?: string;
  /** The memcache port, or `off`. */
  readonly memcache?: string;
  /** The directory of the journal. */
  readonly journal?: string;
}

/** The settings that were given as flags. Error: WH_USAGE. */
export function readFlags(flags: ServerFlags): Partial<ServerValues> {
  const values: Partial<Record<keyof ServerValues, unknown>> = {};
  for (const { field, setting } of entriesOf(SERVER_SECTION.table)) {
    const typed = setting.flag === undefined ? undefined : flags[setting.flag];
    if (typed === undefined) continue;
    const value = setting.kind.readText(typed);
    if (value === undefined) throw new WindhoverError("WH_USAGE", wrongValue(`--${setting.flag}`, typed, setting));
    values[field] = value;
  }
  return values as Partial<ServerValues>;
}
