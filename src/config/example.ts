import { QUEUE_SECTION } from "./queue-schema.js";
import { entriesOf, type Section, type Setting } from "./schema.js";
import { LISTENER_SECTION, SERVER_SECTION } from "./server-schema.js";

const LINE_WIDTH = 118;

const INTRODUCTION = `\
windhover.toml: the configuration of windhover serve. It is read from the directory in which the server starts, or from
where --config says. Every setting is here with its default; take the # away to change one. A size is a number of bytes
or has a unit of 1024 ("512kB", "128MB", "1GB"), a time always has a unit ("100ms", "30s", "5m", "2h", "7d").
The environment overrides this file (WINDHOVER_SERVER_LISTEN, WINDHOVER_DEFAULT_MAX_ITEMS), the options of the command
line override both. "windhover config check FILE" looks for mistakes, "windhover config show" tells what holds and why.
This file is generated: npm run config:example.`;

const QUEUES = `\
What single queues have of their own. Each key is taken from the queue's section, else from its parent's if it is the
child of a fanout, else from [default]. A child that has a section is created when the server starts.`;

const QUEUE_EXAMPLE = `\
#[queue.orders]
#sync_journal = "always"
#max_items = 1500000

#[queue."orders+audit"]
#max_age = "7d"
`;

const ALIAS_EXAMPLE = `\
#[alias.everything]
#destination_queues = ["orders", "returns"]
`;

/** The text of windhover.example.toml: every setting with its default, in comments, so that it changes nothing as it is. */
export function exampleFile(): string {
  return [
    comment(INTRODUCTION),
    "\n[server]\n",
    settings(SERVER_SECTION),
    "\n",
    comment("More memcache ports, each with a dialect of its own. There may be several of these sections."),
    "#[[listener]]\n",
    settings(LISTENER_SECTION),
    "\n",
    comment("What holds for every queue."),
    "[default]\n",
    settings(QUEUE_SECTION),
    "\n",
    comment(QUEUES),
    QUEUE_EXAMPLE,
    "\n",
    comment("What is put into an alias goes to all of its queues; a get finds an alias empty."),
    ALIAS_EXAMPLE,
  ].join("");
}

function settings<V>({ table, ignored }: Section<V>): string {
  return [...entriesOf(table).map(({ setting }) => setting), ...ignored].map(settingLines).join("");
}

function settingLines({ key, kind, initial, about, differs, kestrel }: Setting<unknown>): string {
  const origin = kestrel === null ? "" : `Kestrel: ${kestrel}.${differs === undefined ? "" : ` ${differs}`}`;
  return `\n${comment(about)}${comment(origin)}#${key} = ${kind.show(initial)}\n`;
}

/** The words of a text in lines of comment. */
function comment(text: string): string {
  if (text === "") return "";
  const lines = [""];
  for (const word of text.split(/\s/)) {
    const last = lines[lines.length - 1] ?? "";
    if (last.length + word.length >= LINE_WIDTH) lines.push(` ${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.map((line) => `#${line}\n`).join("");
}
