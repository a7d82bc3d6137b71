import { throwFaults, unknownName, wrongValue } from "./faults.js";
import { QUEUE_SECTION } from "./queue-schema.js";
import { entriesOf, type Section, type Setting } from "./schema.js";
import type { Findings } from "./section-reader.js";
import { SERVER_SECTION, type ServerValues } from "./server-schema.js";
import type { QueueSettings } from "./settings.js";

/*
 * A setting of `[server]` and `[default]` may stand in the environment: WINDHOVER_, the section, and the key, in capitals
 * (WINDHOVER_SERVER_LISTEN, WINDHOVER_DEFAULT_MAX_ITEMS). The settings of single queues may not, as a queue's name need
 * not fit into a variable's. An empty variable is none.
 */

/** Variables by their names. */
export type Environment = Readonly<Record<string, string | undefined>>;

const SECTION_NAMES = ["server", "default"] as const;

/** The variable that overrides a setting. */
export function variableOf(section: (typeof SECTION_NAMES)[number], setting: Setting<unknown>): string {
  return `WINDHOVER_${section.toUpperCase()}_${setting.key.toUpperCase()}`;
}

// What Kubernetes adds for a service that is called windhover-server.
const OF_KUBERNETES = /^WINDHOVER_(SERVER|DEFAULT)_(SERVICE_HOST|SERVICE_PORT.*|PORT|PORT_\d+_.*)$/;

/** What the environment says. Error: WH_CONFIG, with everything that is wrong with it. */
export function readEnvironment(environment: Environment): {
  readonly server: Partial<ServerValues>;
  readonly queueDefaults: Partial<QueueSettings>;
  readonly notes: readonly string[];
} {
  const findings: Findings = { faults: [], notes: [] };
  const server = readVariables(SERVER_SECTION, "server", environment, findings);
  const queueDefaults = readVariables(QUEUE_SECTION, "default", environment, findings);
  throwFaults("environment", findings.faults);
  return { server, queueDefaults, notes: findings.notes };
}

function readVariables<V>(
  { table, ignored }: Section<V>,
  section: (typeof SECTION_NAMES)[number],
  environment: Environment,
  { faults, notes }: Findings,
): Partial<V> {
  const values: Partial<V> = {};
  const entries = new Map(entriesOf(table).map((entry) => [variableOf(section, entry.setting), entry]));
  const unused = new Set(ignored.map((setting) => variableOf(section, setting)));
  for (const [name, text = ""] of Object.entries(environment)) {
    if (!name.startsWith(`WINDHOVER_${section.toUpperCase()}_`) || text === "") continue;
    if (unused.has(name)) {
      notes.push(`${name} has no effect here`);
      continue;
    }
    const entry = entries.get(name);
    if (entry === undefined) {
      if (!OF_KUBERNETES.test(name)) faults.push(unknownName(name, name, [...entries.keys()]));
      continue;
    }
    const value = entry.setting.kind.readText(text);
    if (value === undefined) faults.push(wrongValue(name, text, entry.setting));
    else values[entry.field] = value as V[keyof V];
  }
  return values;
}
