import { type Command, InvalidArgumentError } from "commander";
import { Client } from "../client/client.js";
import { MAX_TIMER_MS } from "../clock.js";

/** Where the server is, for the commands that talk to one. */
export interface ServerOptions {
  readonly host: string;
  readonly port: number;
}

/** Adds `--host` and `--port` to a command that talks to a server. */
export function addServerOptions(command: Command): Command {
  return command
    .option("--host <host>", "the server's host", "127.0.0.1")
    .option("--port <port>", "the server's memcache port", parsePort, 22133);
}

/** Runs `use` with a client of the server that the options name, and ends the client whatever happens. */
export async function withClient<T>(options: ServerOptions, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ host: options.host, port: options.port });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** A port that can be connected to. */
export function parsePort(text: string): number {
  return parseWhole(text, 1, 65535);
}

/** A time in milliseconds, as a fetch may wait. */
export function parseMs(text: string): number {
  return parseWhole(text, 0, MAX_TIMER_MS);
}

/** How many; at least one. */
export function parseCount(text: string): number {
  return parseWhole(text, 1, Number.MAX_SAFE_INTEGER);
}

function parseWhole(text: string, least: number, most: number): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
}
