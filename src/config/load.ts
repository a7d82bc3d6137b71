import { loadConfiguration, type Sources } from "./configuration.js";
import type { ServerSettings } from "./settings.js";

/**
 * The settings of a server: the defaults, over them the file, over it the environment, over it the flags. All or nothing:
 * what is wrong is an error that names the place and says what is allowed, WH_CONFIG for the file and the environment,
 * WH_USAGE for a flag. A reload calls it again with the same sources.
 */
export async function loadSettings(sources: Sources): Promise<ServerSettings> {
  return (await loadConfiguration(sources)).settings;
}
