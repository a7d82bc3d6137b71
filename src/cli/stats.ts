import type { Command } from "commander";
import { addServerOptions, type ServerOptions, withClient } from "./arguments.js";
import { Failure, type Surroundings } from "./surroundings.js";

interface StatsOptions extends ServerOptions {
  readonly queue?: string;
}

type Stats = ReadonlyMap<string, string>;

/** `windhover stats`: prints a server's statistics, or those of one queue. */
export function addStats(program: Command, surroundings: Surroundings): void {
  addServerOptions(program.command("stats"))
    .description("print statistics, one name and value a line")
    .option("--queue <queue>", "only those of this queue")
    .action((options: StatsOptions) => stats(options, surroundings));
}

async function stats(options: StatsOptions, { output, interrupted }: Surroundings): Promise<void> {
  const all = await withClient(options, (client) => client.stats({ signal: interrupted }));
  const { queue } = options;
  const chosen = queue === undefined ? all : statsOf(queue, all);
  if (queue !== undefined && chosen.size === 0) throw new Failure(`no queue ${queue}`);
  await output.write([...chosen].map(([name, value]) => `${name} ${value}\n`).join(""));
}

/**
 * The statistics of one queue, by their short names. `queue_a_b_items` is `items` of the queue `a_b` and not `b_items` of
 * the queue `a`, so each line belongs to the queue with the longest name that fits. Every queue has `open_transactions`.
 */
export function statsOf(queue: string, all: Stats): Stats {
  const longer = [...all.keys()]
    .map((name) => /^queue_(.+)_open_transactions$/s.exec(name)?.[1] ?? "")
    .filter((name) => name.startsWith(`${queue}_`));
  const own = new Map<string, string>();
  const prefix = `queue_${queue}_`;
  for (const [name, value] of all) {
    if (name.startsWith(prefix) && !longer.some((other) => name.startsWith(`queue_${other}_`)))
      own.set(name.slice(prefix.length), value);
  }
  return own;
}
