import { unknownName, wrongValue } from "./faults.js";
import { entriesOf, type Section, type Setting } from "./schema.js";
import { nearest } from "./spelling.js";

/** A table of a TOML file. */
export type TomlTable = Readonly<Record<string, unknown>>;

/** Where what is read goes wrong, or goes unused. */
export interface Findings {
  /** Sentences that begin with the place; one is enough to refuse the file. */
  readonly faults: string[];
  /** Sentences for the operator. */
  readonly notes: string[];
}

/** The values that one section of the file says, and only those. `path` is how its faults name it: `queue.orders`. */
export function readSection<V>(section: Section<V>, written: unknown, path: string, findings: Findings): Partial<V> {
  const values: Partial<V> = {};
  const entries = entriesOf(section.table);
  for (const [key, value] of Object.entries(asTable(written, path, findings))) {
    const place = `${path}.${key}`;
    const entry = entries.find(({ setting }) => setting.key === key);
    const setting = entry?.setting ?? section.ignored.find((each) => each.key === key);
    const read = setting?.kind.read(value);
    if (setting === undefined) findings.faults.push(unknownKey(section, place, key));
    else if (read === undefined) findings.faults.push(wrongValue(place, value, setting));
    else if (entry === undefined) findings.notes.push(`${place} has no effect here`);
    else values[entry.field] = read as V[keyof V];
  }
  return values;
}

/** A table, or an empty one and a fault. */
export function asTable(written: unknown, path: string, { faults }: Findings): TomlTable {
  if (written === undefined) return {};
  if (typeof written === "object" && written !== null && !Array.isArray(written) && !(written instanceof Date)) {
    return written as TomlTable;
  }
  faults.push(`${path}: must be a section, ${headerOf(path)}`);
  return {};
}

function headerOf(path: string): string {
  if (path.startsWith("listener.")) return "[[listener]]";
  return path === "queue" || path === "alias" ? `[${path}.NAME]` : `[${path}]`;
}

function unknownKey<V>(section: Section<V>, place: string, key: string): string {
  const settings = entriesOf(section.table).map(({ setting }) => setting);
  const known = settings.map((setting) => setting.key);
  return unknownName(place, key, known, ofKestrel(settings, key) ?? nearest(key, known));
}

/** The setting that has this name in Kestrel: `queuePath` and `queue_path` are `journal`. */
function ofKestrel(settings: readonly Setting<unknown>[], key: string): string | undefined {
  const plain = key.replace(/[_-]/g, "").toLowerCase();
  return settings.find((setting) => setting.kestrel?.toLowerCase() === plain)?.key;
}
