import { WindhoverError } from "../errors.js";
import { DEFAULT_SETTINGS, withPorts } from "./defaults.js";
import { type Document, type DocumentFile, EMPTY_DOCUMENT, readDocument } from "./document.js";
import { type Environment, readEnvironment, variableOf } from "./environment.js";
import { throwFaults } from "./faults.js";
import { readFlags, type ServerFlags } from "./flags.js";
import { QUEUE_SECTION } from "./queue-schema.js";
import { initialValues, type Setting } from "./schema.js";
import { sectionFaults } from "./section-checks.js";
import { SERVER_SECTION, type ServerValues } from "./server-schema.js";
import {
  KESTREL_DIALECT,
  type ListenerSettings,
  MEMCACHED_DIALECT,
  memcacheListeners,
  type QueueSettings,
  type ServerSettings,
} from "./settings.js";

/** Where the configuration comes from. A reload reads the same sources again. */
export interface Sources {
  /** The TOML file, which must be there. */
  readonly file?: string;
  /** A TOML file that is read if it is there and `file` is not given. */
  readonly usualFile?: string;
  /** What the environment says overrides the file. */
  readonly environment?: Environment;
  /** What the command line says overrides both. */
  readonly flags?: ServerFlags;
}

/** What one source says about the settings of a section. */
export interface Layer<V> {
  /** Where in this source the setting stands, for people. */
  readonly origin: (setting: Setting<unknown>) => string;
  readonly values: Partial<V>;
}

/** The settings of a server, and what they were made of. Of two layers that disagree the later one is right. */
export interface Configuration {
  readonly settings: ServerSettings;
  readonly server: readonly Layer<ServerValues>[];
  readonly queueDefaults: readonly Layer<QueueSettings>[];
}

/** Reads all sources. Errors: WH_CONFIG for the file and the environment, WH_USAGE for a flag. */
export async function loadConfiguration(sources: Sources): Promise<Configuration> {
  const file = fileOf(sources);
  const document = (file === null ? null : await readDocument(file)) ?? EMPTY_DOCUMENT;
  const environment = readEnvironment(sources.environment ?? {});
  const flags = readFlags(sources.flags ?? {});
  const server: Layer<ServerValues>[] = [
    { origin: () => "default", values: initialValues(SERVER_SECTION.table) },
    { origin: () => "file [server]", values: document.server },
    { origin: (setting) => `environment ${variableOf("server", setting)}`, values: environment.server },
    { origin: ({ flag = "" }) => `flag --${flag}`, values: flags },
  ];
  const queueDefaults: Layer<QueueSettings>[] = [
    { origin: () => "default", values: initialValues(QUEUE_SECTION.table) },
    { origin: () => "file [default]", values: document.queueDefaults },
    { origin: (setting) => `environment ${variableOf("default", setting)}`, values: environment.queueDefaults },
  ];
  const settings = settle(merge(server), merge(queueDefaults), document, environment.notes);
  throwFaults(file?.path ?? "configuration", sectionFaults(settings));
  if (memcacheListeners(settings).length > 0) return { settings, server, queueDefaults };
  const code = flags.memcachePort === undefined ? "WH_CONFIG" : "WH_USAGE";
  throw new WindhoverError(code, "every port is off: there is nothing to serve");
}

function fileOf({ file, usualFile }: Sources): DocumentFile | null {
  if (file !== undefined) return { path: file, isOptional: false };
  return usualFile === undefined ? null : { path: usualFile, isOptional: true };
}

/** The layers one over the other. The first has every value. */
function merge<V>(layers: readonly Layer<V>[]): V {
  return Object.assign({}, ...layers.map((layer) => layer.values)) as V;
}

function settle(
  values: ServerValues,
  queueDefaults: QueueSettings,
  document: Document,
  notes: readonly string[],
): ServerSettings {
  const server = { ...DEFAULT_SETTINGS, ...withPorts(values) };
  return {
    ...server,
    listeners: document.listeners.map((listener) => settleListener(listener, server)),
    queueDefaults,
    queues: document.queues,
    aliases: document.aliases,
    notes: [...document.notes, ...notes, ...notesOn(values)],
  };
}

/** A listener is as its dialect is, and the server's own word counts for the dialect of its first port. */
function settleListener(
  said: Partial<ListenerSettings>,
  { listen, allowFlushAll }: Pick<ServerSettings, "listen" | "allowFlushAll">,
): ListenerSettings {
  const dialect = said.dialect === "memcached" ? MEMCACHED_DIALECT : { ...KESTREL_DIALECT, allowFlushAll };
  return { ...dialect, listen, port: 0, ...said };
}

function notesOn({ extensions }: ServerValues): string[] {
  if (extensions) return [];
  return [
    "extensions = false: an option of get that does not exist is ignored as in Kestrel, and the get takes an item",
  ];
}
