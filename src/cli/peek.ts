import type { Command } from "commander";
import { addServerOptions, type ServerOptions, withClient } from "./arguments.js";
import { Failure, type Surroundings } from "./surroundings.js";

interface PeekOptions extends ServerOptions {
  readonly raw?: true;
}

/** `windhover peek`: prints the head of a queue and leaves it there. */
export function addPeek(program: Command, surroundings: Surroundings): void {
  addServerOptions(program.command("peek"))
    .description("print the item at the head of a queue and leave it there")
    .argument("<queue>", "the queue's name")
    .option("--raw", "print no newline after the item")
    .action((queue: string, options: PeekOptions) => peek(queue, options, surroundings));
}

async function peek(queue: string, options: PeekOptions, { output, interrupted }: Surroundings): Promise<void> {
  await withClient(options, async (client) => {
    const item = await client.peek(queue, { signal: interrupted });
    if (item === null) throw new Failure(`nothing in queue ${queue}`);
    await output.writeItem(item.data, options.raw ?? false);
  });
}
