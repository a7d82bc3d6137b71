import { addAbortSignal, type Readable } from "node:stream";
import type { Command } from "commander";
import type { Client } from "../client/client.js";
import { describeError, WindhoverError } from "../errors.js";
import { addServerOptions, type ServerOptions, withClient } from "./arguments.js";
import { linesOf } from "./lines.js";
import { Failure, type Surroundings } from "./surroundings.js";

interface PutOptions extends ServerOptions {
  readonly lines?: true;
}

/** How many puts may be on their way at once: enough to fill the server's batches. */
const WINDOW = 128;

/** `windhover put`: puts one item, or one for each line of standard input. */
export function addPut(program: Command, surroundings: Surroundings): void {
  addServerOptions(program.command("put"))
    .description("put an item into a queue")
    .argument("<queue>", "the queue's name")
    .argument("[data]", "the item; - or nothing: standard input, all of it", "-")
    .option("--lines", "put each line of standard input as an item of its own")
    .action((queue: string, data: string, options: PutOptions) => put(queue, data, options, surroundings));
}

async function put(queue: string, data: string, options: PutOptions, surroundings: Surroundings): Promise<void> {
  const { input, interrupted: signal } = surroundings;
  if (options.lines && data !== "-")
    throw new WindhoverError("WH_USAGE", "--lines reads standard input: give no data beside it");
  await withClient(options, async (client) => {
    if (options.lines) await putLines(client, queue, input, signal);
    else await client.put(queue, data === "-" ? await readAll(input, signal) : data, { signal });
  });
}

async function readAll(input: Readable, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of addAbortSignal(signal, input) as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Stops reading at the first refusal, also in the middle of waiting for a line. */
async function putLines(client: Client, queue: string, input: Readable, interrupted: AbortSignal): Promise<void> {
  const failed = new AbortController();
  const stop = AbortSignal.any([interrupted, failed.signal]);
  const inFlight: Promise<void>[] = [];
  let stored = 0;
  const putLine = (line: Buffer): Promise<void> =>
    client.put(queue, line).then(
      () => void stored++,
      (error: unknown) => failed.abort(error),
    );
  try {
    for await (const line of linesOf(addAbortSignal(stop, input))) {
      inFlight.push(putLine(line));
      if (inFlight.length >= WINDOW) await inFlight.shift();
      stop.throwIfAborted();
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  }
  await Promise.all(inFlight);
  if (stop.aborted) throw new Failure(`${describeError(stop.reason)} (${stored} items were stored)`);
}
