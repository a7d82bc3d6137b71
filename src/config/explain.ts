import { showName } from "../queue/queue-name.js";
import type { Configuration, Layer } from "./configuration.js";
import { layersOf } from "./inheritance.js";
import { QUEUE_SECTION } from "./queue-schema.js";
import { entriesOf, type Section, type Table } from "./schema.js";
import { ALIAS_SECTION, LISTENER_SECTION, SERVER_SECTION } from "./server-schema.js";
import type { QueueSettings } from "./settings.js";

/** The effective configuration as a TOML file, with a comment behind each value that says where it comes from. */
export function explain(configuration: Configuration): string {
  const { settings, server, queueDefaults } = configuration;
  const blocks = [explainSection("[server]", SERVER_SECTION.table, server)];
  for (const listener of settings.listeners)
    blocks.push(showSection("[[listener]]", LISTENER_SECTION, listener).join("\n"));
  blocks.push(explainSection("[default]", QUEUE_SECTION.table, queueDefaults));
  for (const [name, values] of settings.queues)
    blocks.push(showSection(`[queue.${tomlKey(name)}]`, QUEUE_SECTION, values).join("\n"));
  for (const name of settings.aliases.keys()) blocks.push(explainAlias(configuration, name));
  return `${blocks.join("\n\n")}\n`;
}

/** The same for what one queue comes to, or the alias of that name. */
export function explainQueue(configuration: Configuration, name: string): string {
  const { settings, queueDefaults } = configuration;
  if (settings.aliases.has(name)) return `${explainAlias(configuration, name)}\n`;
  const own = layersOf(settings, name).map(({ from, values }): Layer<QueueSettings> => {
    const place = from.kind === "queue" ? `file [queue.${tomlKey(from.name)}]` : from.name;
    return { origin: () => place, values };
  });
  return `${explainSection(`[queue.${tomlKey(name)}]`, QUEUE_SECTION.table, [...queueDefaults, ...own])}\n`;
}

function explainAlias({ settings }: Configuration, name: string): string {
  const values = settings.aliases.get(name) ?? { destinationQueues: [] };
  return showSection(`[alias.${tomlKey(name)}]`, ALIAS_SECTION, values).join("\n");
}

/** Every setting with the value of the last layer that has one, and the origin of that layer. */
function explainSection<V>(header: string, table: Table<V>, layers: readonly Layer<V>[]): string {
  const rows = entriesOf(table).map(({ field, setting }) => {
    const deciding = layers.findLast((layer) => layer.values[field] !== undefined);
    const value = deciding === undefined ? setting.initial : deciding.values[field];
    return { line: `${setting.key} = ${setting.kind.show(value)}`, origin: deciding?.origin(setting) ?? "default" };
  });
  const width = Math.max(...rows.map(({ line }) => line.length));
  return [header, ...rows.map(({ line, origin }) => `${line.padEnd(width)}  # ${origin}`)].join("\n");
}

/** Only the values that are there. */
function showSection<V>(header: string, { table }: Section<V>, values: Partial<V>): string[] {
  const said = entriesOf(table).filter(({ field }) => values[field] !== undefined);
  return [header, ...said.map(({ field, setting }) => `${setting.key} = ${setting.kind.show(values[field])}`)];
}

function tomlKey(name: string): string {
  const shown = showName(name);
  return /^[A-Za-z0-9_-]+$/.test(shown) ? shown : JSON.stringify(shown);
}
