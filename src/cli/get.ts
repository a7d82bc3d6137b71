import type { Command } from "commander";
import type { Client, FetchOptions } from "../client/client.js";
import { addServerOptions, parseCount, parseMs, type ServerOptions, withClient } from "./arguments.js";
import type { Output } from "./output.js";
import { Failure, type Surroundings } from "./surroundings.js";

interface GetOptions extends ServerOptions {
  readonly wait?: number;
  readonly follow?: true;
  readonly reliable?: true;
  readonly count?: number;
  readonly raw?: true;
}

/** How long one fetch of `--follow` waits. A server that vanished without a word is noticed after this and a margin. */
const FOLLOW_WAIT_MS = 10_000;

/** `windhover get`: takes items and prints them. */
export function addGet(program: Command, surroundings: Surroundings): void {
  addServerOptions(program.command("get"))
    .description("take items from a queue and print them")
    .argument("<queue>", "the queue's name")
    .option("--wait <ms>", "wait so long for an item", parseMs)
    .option("--follow", "go on, waiting and printing, until interrupted")
    .option("--reliable", "confirm each item only when it is printed; until then it can go back")
    .option("-n, --count <count>", "take so many items at most (default: 1, with --follow no limit)", parseCount)
    .option("--raw", "print no newline after an item")
    .action((queue: string, options: GetOptions) => get(queue, options, surroundings));
}

async function get(queue: string, options: GetOptions, surroundings: Surroundings): Promise<void> {
  const { interrupted } = surroundings;
  try {
    const printed = await withClient(options, (client) => printItems(client, queue, options, surroundings));
    if (printed === 0 && !options.follow) throw new Failure(`nothing in queue ${queue}`);
  } catch (error) {
    // Being interrupted is how --follow ends.
    if (!options.follow || !interrupted.aborted || error !== interrupted.reason) throw error;
  }
}

async function printItems(
  client: Client,
  queue: string,
  options: GetOptions,
  surroundings: Surroundings,
): Promise<number> {
  const { output, interrupted: signal } = surroundings;
  const limit = options.count ?? (options.follow ? Infinity : 1);
  const fetch = { waitMs: options.wait ?? (options.follow ? FOLLOW_WAIT_MS : 0), signal };
  const print = options.reliable ? printReliably : printTaken;
  let printed = 0;
  while (printed < limit && !signal.aborted) {
    if (await print(client, queue, fetch, output, options.raw ?? false)) printed++;
    else if (!options.follow) break;
  }
  return printed;
}

type Print = (client: Client, queue: string, fetch: FetchOptions, output: Output, raw: boolean) => Promise<boolean>;

const printTaken: Print = async (client, queue, fetch, output, raw) => {
  const item = await client.get(queue, fetch);
  if (item !== null) await output.writeItem(item.data, raw);
  return item !== null;
};

// An item that could not be printed stays unconfirmed, and the end of the connection puts it back.
const printReliably: Print = async (client, queue, fetch, output, raw) => {
  const read = await client.open(queue, fetch);
  if (read === null) return false;
  await output.writeItem(read.data, raw);
  await client.confirm(read);
  return true;
};
