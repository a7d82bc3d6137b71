import { parseArgs } from "node:util";
import { whole } from "../support/whole.js";

/** What one run of many-clients does. */
export interface Options {
  /** Pause between two puts, in milliseconds. */
  readonly sleepMs: number;
  readonly items: number;
  readonly clients: number;
  /** The chance that a client is killed before it reads its answer, in percent; it is taken for each request. */
  readonly killPercent: number;
  /** Reliable reads: each fetch confirms the item before and opens the next. */
  readonly reliable: boolean;
  readonly queue: string;
  readonly host: string;
  /** Null: the load test starts a server of its own. */
  readonly port: number | null;
  readonly flushFirst: boolean;
  readonly monitor: boolean;
}

export const USAGE = `usage: npm run load:many-clients -- [options]

Many clients wait on one queue with blocking fetches while one slow producer trickles items into it.

  -s MS       pause so long between two puts (default 100)
  -n ITEMS    put so many items (default 100)
  -c CLIENTS  let so many clients wait (default 100)
  -k PERCENT  the chance, at each fetch, that a client is killed before it reads the answer; implies -x (default 0)
  -x          reliable reads
  -q NAME     the queue (default spam)
  -h HOST     the server's host (default localhost)
  -p PORT     the server's memcache port (22133 with -h); without -h and -p a server of the test's own is started
  -F          do not flush the queue first
  -M          print the queue's statistics on stderr each second
  --help      print this

One line of JSON at the end. Exit code 1 when an item was lost, or came twice without -x, or nothing moved for 30 s.`;

/** The options as they were typed; null when only help is wanted. Throws an Error with a message for the user. */
export function parseOptions(words: readonly string[]): Options | null {
  const { values } = parseArgs({ args: [...words], options: WORDS, strict: true });
  if (values.help) return null;
  const killPercent = whole("-k", values.k, 0, 100) ?? 0;
  return {
    sleepMs: whole("-s", values.s, 0, 3_600_000) ?? 100,
    items: whole("-n", values.n, 1, 10_000_000) ?? 100,
    clients: whole("-c", values.c, 1, 100_000) ?? 100,
    killPercent,
    // As Kestrel's: an item that was taken for good by a client that then died would be lost.
    reliable: values.x === true || killPercent > 0,
    queue: values.q ?? "spam",
    host: values.h ?? "localhost",
    port: whole("-p", values.p, 1, 65535) ?? (values.h === undefined ? null : 22133),
    flushFirst: values.F !== true,
    monitor: values.M === true,
  };
}

const VALUE = { type: "string" } as const;
const SWITCH = { type: "boolean" } as const;
const WORDS = {
  s: { ...VALUE, short: "s" },
  n: { ...VALUE, short: "n" },
  c: { ...VALUE, short: "c" },
  k: { ...VALUE, short: "k" },
  x: { ...SWITCH, short: "x" },
  q: { ...VALUE, short: "q" },
  h: { ...VALUE, short: "h" },
  p: { ...VALUE, short: "p" },
  F: { ...SWITCH, short: "F" },
  M: { ...SWITCH, short: "M" },
  help: SWITCH,
} as const;

/** The command that does the same again. */
export function repeatCommand(options: Options): string {
  const words = ["-n", options.items, "-s", options.sleepMs, "-c", options.clients];
  if (options.killPercent > 0) words.push("-k", options.killPercent);
  else if (options.reliable) words.push("-x");
  if (options.queue !== "spam") words.push("-q", options.queue);
  if (options.port !== null) words.push("-h", options.host, "-p", options.port);
  if (!options.flushFirst) words.push("-F");
  return `npm run load:many-clients -- ${words.join(" ")}`;
}
