import { QUEUE_SECTION } from "./queue-schema.js";
import { entriesOf, type Section, type Setting } from "./schema.js";
import { ALIAS_SECTION, LISTENER_SECTION, SERVER_SECTION } from "./server-schema.js";

/** What stands around the tables in the README. */
export const TABLE_BEGIN = "<!-- settings: written by npm run config:example -->";
export const TABLE_END = "<!-- /settings -->";

/** The README with its tables of settings as the schema has them. Error: the markers are not there. */
export function withSettingsTable(readme: string): string {
  const begin = readme.indexOf(TABLE_BEGIN);
  const end = readme.indexOf(TABLE_END);
  if (begin === -1 || end < begin) throw new Error(`the README has no ${TABLE_BEGIN} with a ${TABLE_END} behind it`);
  return `${readme.slice(0, begin + TABLE_BEGIN.length)}\n\n${settingsTables()}\n${readme.slice(end)}`;
}

/** A table for each kind of section. */
function settingsTables(): string {
  return [
    ["`[server]`", rows(SERVER_SECTION)],
    ["`[[listener]]`, one more memcache port with a dialect of its own", rows(LISTENER_SECTION)],
    ["`[default]` and `[queue.NAME]`", rows(QUEUE_SECTION)],
    ["`[alias.NAME]`", rows(ALIAS_SECTION)],
  ]
    .map(
      ([title, lines]) =>
        `${title}:\n\n| setting | default | in Kestrel | what it does |\n| --- | --- | --- | --- |\n${lines}`,
    )
    .join("\n");
}

function rows<V>({ table, ignored }: Section<V>): string {
  return [...entriesOf(table).map(({ setting }) => setting), ...ignored].map(row).join("");
}

function row({ key, kind, initial, kestrel, about, differs }: Setting<unknown>): string {
  const words = differs === undefined ? about : `${about} _${differs}_`;
  return `| \`${key}\` | \`${kind.show(initial)}\` | ${kestrel ?? "–"} | ${words.replaceAll("|", "\\|")} |\n`;
}
