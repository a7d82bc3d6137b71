import { parseArgs } from "node:util";
import { whole } from "../support/whole.js";
import { NUMBER_BYTES } from "./items.js";

/** What one run of restart does. */
export interface Options {
  readonly items: number;
  /** Bytes of an item. */
  readonly size: number;
  /** The file in loadtest/results that keeps the report; null keeps none. */
  readonly out: string | null;
}

export const USAGE = `usage: npm run load:restart -- [options]

Fills a queue, stops the server, starts it again on the same journal and drains the queue.

  -n ITEMS     so many items (default 1000000)
  --size N     bytes of an item (default 1024)
  --out FILE   keep the report as this file in loadtest/results
  --help       print this

One line of JSON at the end. Exit code 1 unless the server was ready again in 2 s, answered the first get at once and
gave every item in order, and its journal took less than 50 MB within a minute of the last.`;

/** The options as they were typed; null when only help is wanted. Throws an Error with a message for the user. */
export function parseOptions(words: readonly string[]): Options | null {
  const { values } = parseArgs({ args: [...words], options: WORDS, strict: true });
  if (values.help) return null;
  return {
    items: whole("-n", values.n, 1, 100_000_000) ?? 1_000_000,
    size: whole("--size", values.size, NUMBER_BYTES, 1_000_000) ?? 1024,
    out: values.out ?? null,
  };
}

const WORDS = {
  n: { type: "string", short: "n" },
  size: { type: "string" },
  out: { type: "string" },
  help: { type: "boolean" },
} as const;

/** The command that does the same again. */
export function repeatCommand(options: Options): string {
  return `npm run load:restart -- -n ${options.items} --size ${options.size}`;
}
