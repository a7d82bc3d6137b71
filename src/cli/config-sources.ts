import type { Sources } from "../config/configuration.js";
import type { ServerFlags } from "../config/flags.js";

/** The file that is read without being asked for, from the directory in which the command runs. */
const USUAL_FILE = "windhover.toml";

/** Where a command finds the configuration: the file that was asked for, else the usual one; the environment; the flags. */
export function sourcesOf(file: string | undefined, flags: ServerFlags = {}): Sources {
  const { listen, memcache, journal } = flags;
  return {
    ...(file === undefined ? { usualFile: USUAL_FILE } : { file }),
    environment: process.env,
    flags: {
      ...(listen === undefined ? {} : { listen }),
      ...(memcache === undefined ? {} : { memcache }),
      ...(journal === undefined ? {} : { journal }),
    },
  };
}
