import { readFile } from "node:fs/promises";
import { parse } from "smol-toml";
import * as v from "valibot";
import { describeError, WindhoverError } from "../errors.js";
import { DEFAULT_SETTINGS } from "./defaults.js";
import { PORT_FORMS, QueueSection, readPort, ServerSection } from "./schema.js";
import type { QueueSettings, ServerSettings } from "./settings.js";
import { nearest } from "./spelling.js";

/** What the command line says about the configuration, as it was typed; what is absent was not given. */
export interface ServerFlags {
  /** The address to bind to. */
  readonly listen?: string;
  /** The memcache port, or `off`. */
  readonly memcache?: string;
  /** The directory of the journal. */
  readonly journal?: string;
}

export interface LoadOptions {
  /** The TOML file; without one the defaults hold. */
  readonly file?: string;
  /** Each flag overrides what the file says. */
  readonly flags?: ServerFlags;
}

/**
 * The settings of a server: the defaults, over them the file, over it the flags. What is wrong is an error that names the
 * place and says what is allowed: WH_CONFIG for the file, WH_USAGE for a flag.
 */
export async function loadSettings(options: LoadOptions): Promise<ServerSettings> {
  const { file, flags = {} } = options;
  const written = file === undefined ? DEFAULT_SETTINGS : readSettings(await readTable(file), file);
  const settings = applyFlags(written, flags);
  if (settings.ports.memcache !== null) return settings;
  throw new WindhoverError(
    flags.memcache === undefined ? "WH_CONFIG" : "WH_USAGE",
    "every port is off: there is nothing to serve",
  );
}

type Table = Readonly<Record<string, unknown>>;

async function readTable(file: string): Promise<Table> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw new WindhoverError("WH_CONFIG", `the configuration cannot be read: ${describeError(error)}`);
  }
  return parseTable(text, file);
}

function parseTable(text: string, file: string): Table {
  try {
    return parse(text, { unsafeKeyBehaviour: "throw" });
  } catch (error) {
    const [firstLine = ""] = describeFirstLine(error);
    throw new WindhoverError("WH_CONFIG", `${file}${place(error)}: ${firstLine}`);
  }
}

// The library's message goes on with an excerpt of the file, over several lines.
function describeFirstLine(error: unknown): string[] {
  return (error instanceof Error ? error.message : String(error)).split("\n");
}

function place(error: unknown): string {
  const at = error as { readonly line?: unknown; readonly column?: unknown };
  return typeof at.line === "number" && typeof at.column === "number" ? `:${at.line}:${at.column}` : "";
}

const SECTIONS = ["server", "default", "queue"];

function readSettings(table: Table, file: string): ServerSettings {
  const faults: string[] = [];
  for (const key of Object.keys(table)) {
    if (!SECTIONS.includes(key)) faults.push(unknownKey("", key, SECTIONS));
  }
  const server = readSection(ServerSection, table["server"], "server", faults);
  const defaults = readSection(QueueSection, table["default"], "default", faults);
  const queues = readQueues(table["queue"], faults);
  if (faults.length > 0) throw new WindhoverError("WH_CONFIG", `${file}: ${faults.join("; ")}`);
  return {
    ...serverSettings(server),
    queueDefaults: { ...DEFAULT_SETTINGS.queueDefaults, ...queueSettings(defaults) },
    queues,
  };
}

function readQueues(written: unknown, faults: string[]): ReadonlyMap<string, Partial<QueueSettings>> {
  const queues = new Map<string, Partial<QueueSettings>>();
  for (const [name, section] of Object.entries(asTable(written, "queue", faults))) {
    // The file is UTF-8, and a queue's name has one character for each byte.
    const bytes = Buffer.from(name, "utf8").toString("latin1");
    queues.set(bytes, queueSettings(readSection(QueueSection, section, `queue.${name}`, faults)));
  }
  return queues;
}

type SectionSchema = typeof ServerSection | typeof QueueSection;

function readSection<S extends SectionSchema>(
  schema: S,
  written: unknown,
  path: string,
  faults: string[],
): v.InferOutput<S> {
  const result = v.safeParse(schema, asTable(written, path, faults));
  if (result.success) return result.output;
  for (const issue of result.issues) faults.push(describeIssue(issue, path, Object.keys(schema.entries)));
  return {};
}

function asTable(written: unknown, path: string, faults: string[]): Table {
  if (written === undefined) return {};
  if (typeof written === "object" && written !== null && !Array.isArray(written) && !(written instanceof Date)) {
    return written as Table;
  }
  faults.push(`${path}: must be a section, [${path === "queue" ? "queue.NAME" : path}]`);
  return {};
}

function describeIssue(issue: v.BaseIssue<unknown>, path: string, keys: readonly string[]): string {
  const key = String(issue.path?.[0]?.key ?? "");
  if (issue.type === "strict_object") return unknownKey(`${path}.`, key, keys);
  return `${path}.${key}: ${JSON.stringify(issue.path?.[0]?.value)} is not ${issue.message}`;
}

function unknownKey(prefix: string, key: string, known: readonly string[]): string {
  const guess = nearest(key, known);
  return `${prefix}${key}: unknown; ${guess === undefined ? `known are ${known.join(", ")}` : `did you mean ${guess}?`}`;
}

function serverSettings(section: ServerSection): ServerSettings {
  const { memcache } = section;
  return {
    ...DEFAULT_SETTINGS,
    ...given({
      listen: section.listen,
      journalDir: section.journal,
      maxRequestBytes: section.max_request_bytes,
      minFreeBytes: section.min_free_space,
      maxOpenTransactions: section.max_open_transactions,
      allowFlushAll: section.allow_flush_all,
      shutdownGraceMs: section.shutdown_grace,
    }),
    ports: { ...DEFAULT_SETTINGS.ports, ...given({ memcache }) },
  };
}

function queueSettings(section: QueueSection): Partial<QueueSettings> {
  return given({
    maxItems: section.max_items,
    maxBytes: section.max_size,
    maxItemBytes: section.max_item_size,
    maxMemoryBytes: section.max_memory_size,
    keepJournal: section.keep_journal,
    syncJournal: section.sync_journal,
  });
}

function applyFlags(settings: ServerSettings, flags: ServerFlags): ServerSettings {
  const memcache = flags.memcache === undefined ? undefined : portFlag(flags.memcache);
  return {
    ...settings,
    ...given({ listen: flags.listen, journalDir: flags.journal }),
    ports: { ...settings.ports, ...given({ memcache }) },
  };
}

function portFlag(typed: string): number | null {
  const port = readPort(/^\d+$/.test(typed) ? Number(typed) : typed);
  if (port === undefined)
    throw new WindhoverError("WH_USAGE", `--memcache: ${JSON.stringify(typed)} is not ${PORT_FORMS}`);
  return port;
}

/** What is undefined goes, so that it does not hide what it is spread over. */
function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
