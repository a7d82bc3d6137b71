import { readFile } from "node:fs/promises";
import { parse } from "smol-toml";
import { describeError, WindhoverError } from "../errors.js";
import { nameFault, showName } from "../queue/queue-name.js";
import { throwFaults, unknownName } from "./faults.js";
import { parentOf } from "./inheritance.js";
import { QUEUE_SECTION } from "./queue-schema.js";
import { asTable, type Findings, readSection, type TomlTable } from "./section-reader.js";
import { ALIAS_SECTION, LISTENER_SECTION, SERVER_SECTION, type ServerValues } from "./server-schema.js";
import type { AliasSettings, ListenerSettings, QueueSettings } from "./settings.js";

/** What a configuration file says, and only what it says. */
export interface Document {
  readonly server: Partial<ServerValues>;
  readonly listeners: readonly Partial<ListenerSettings>[];
  readonly queueDefaults: Partial<QueueSettings>;
  readonly queues: ReadonlyMap<string, Partial<QueueSettings>>;
  readonly aliases: ReadonlyMap<string, AliasSettings>;
  /** What it says without effect. */
  readonly notes: readonly string[];
}

/** What no file says. */
export const EMPTY_DOCUMENT: Document = {
  server: {},
  listeners: [],
  queueDefaults: {},
  queues: new Map(),
  aliases: new Map(),
  notes: [],
};

const SECTIONS = ["server", "listener", "default", "queue", "alias"];

/** A file that must be there, or one that is read only if it is. */
export interface DocumentFile {
  readonly path: string;
  readonly isOptional: boolean;
}

/** Reads a configuration file; null if it is not there and need not be. Error: WH_CONFIG, with everything that is wrong. */
export async function readDocument({ path, isOptional }: DocumentFile): Promise<Document | null> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (isOptional && (error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new WindhoverError("WH_CONFIG", `the configuration cannot be read: ${describeError(error)}`);
  }
  return interpret(parseToml(text, path), path);
}

function parseToml(text: string, file: string): TomlTable {
  try {
    return parse(text, { unsafeKeyBehaviour: "throw" });
  } catch (error) {
    // The library's message goes on with an excerpt of the file, over several lines.
    const [firstLine = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    throw new WindhoverError("WH_CONFIG", `${file}${position(error)}: ${firstLine}`);
  }
}

function position(error: unknown): string {
  const at = error as { readonly line?: unknown; readonly column?: unknown };
  return typeof at.line === "number" && typeof at.column === "number" ? `:${at.line}:${at.column}` : "";
}

function interpret(table: TomlTable, file: string): Document {
  const findings: Findings = { faults: [], notes: [] };
  for (const key of Object.keys(table)) {
    if (!SECTIONS.includes(key)) findings.faults.push(unknownName(key, key, SECTIONS));
  }
  const document = {
    server: readSection(SERVER_SECTION, table["server"], "server", findings),
    listeners: readListeners(table["listener"], findings),
    queueDefaults: readSection(QUEUE_SECTION, table["default"], "default", findings),
    queues: readQueues(table["queue"], findings),
    aliases: readAliases(table["alias"], findings),
    notes: findings.notes,
  };
  throwFaults(file, findings.faults);
  return document;
}

function readListeners(written: unknown, findings: Findings): readonly Partial<ListenerSettings>[] {
  if (written === undefined) return [];
  if (!Array.isArray(written)) {
    findings.faults.push("listener: must be a list of sections, [[listener]]");
    return [];
  }
  return written.map((each: unknown, index) => {
    const path = `listener.${index + 1}`;
    const earlier = findings.faults.length;
    const listener = readSection(LISTENER_SECTION, each, path, findings);
    if (listener.port === undefined && findings.faults.length === earlier)
      findings.faults.push(`${path}.port: is missing`);
    return listener;
  });
}

function readQueues(written: unknown, findings: Findings): ReadonlyMap<string, Partial<QueueSettings>> {
  return readNamed(written, "queue", findings, (name, section, path) => {
    const values = readSection(QUEUE_SECTION, section, path, findings);
    if (values.fanoutOnly === true && parentOf(name) !== null)
      findings.faults.push(`${path}.fanout_only: a fanout child has no children of its own`);
    return values;
  });
}

function readAliases(written: unknown, findings: Findings): ReadonlyMap<string, AliasSettings> {
  return readNamed(written, "alias", findings, (_name, section, path) => {
    const earlier = findings.faults.length;
    const { destinationQueues = [] } = readSection(ALIAS_SECTION, section, path, findings);
    if (destinationQueues.length === 0 && findings.faults.length === earlier)
      findings.faults.push(`${path}.destination_queues: is missing`);
    return { destinationQueues };
  });
}

/** The sections `[kind.NAME]` by their names, one character a byte, where the file has UTF-8. */
function readNamed<T>(
  written: unknown,
  kind: string,
  findings: Findings,
  read: (name: string, section: unknown, path: string) => T,
): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  for (const [key, section] of Object.entries(asTable(written, kind, findings))) {
    const name = Buffer.from(key, "utf8").toString("latin1");
    const fault = nameFault(name);
    if (fault !== null) findings.faults.push(`${kind}.${showName(name)}: ${fault}`);
    found.set(name, read(name, section, `${kind}.${key}`));
  }
  return found;
}
