import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OwnServer } from "../support/own-server.js";
import { Consumer, MANNERS, Producer, type World } from "./clients.js";
import { type ItemName, Ledger, nameIn, type Verdict } from "./ledger.js";
import { Random } from "./random.js";
import { Wire } from "./wire.js";

/** What one run does. */
export interface KillsOptions {
  readonly seed: number;
  readonly rounds: number;
  /** How long a round may last at most before its kill, in milliseconds. */
  readonly roundMs: number;
  readonly queues: number;
  /** An item that was answered less than this before a kill may come twice, in milliseconds. */
  readonly freshMs: number;
}

/** What it found. */
export interface KillsReport extends Verdict {
  readonly seed: number;
  readonly rounds: number;
  /** Time from starting a killed server again until it serves. */
  readonly restart_ms: { readonly p50: number; readonly max: number };
  readonly faults: readonly string[];
}

/** Producers' unanswered puts. */
const PIPELINES = [1, 4, 32] as const;
/** A drain that takes longer than this has hung. */
const DRAIN_MS = 120_000;

/**
 * Kills a server again and again while clients put and get at full speed, and holds what they saw against what it
 * promises. Every second run of the server holds little in memory, so that most items lie behind.
 */
export async function runKills(options: KillsOptions, directory: string): Promise<KillsReport> {
  const random = new Random(options.seed);
  const queues = Array.from({ length: options.queues }, (_, i) => `q${i}`);
  const world: World = { ledger: new Ledger(options.freshMs), random, queues, isOn: false, port: 0 };
  const producers = PIPELINES.map((pipeline, id) => new Producer(world, id, pipeline));
  const restarts: number[] = [];
  const config = join(directory, "little-memory.toml");
  await writeFile(config, '[default]\nmax_memory_size = "256KB"\n');
  const start = async (): Promise<OwnServer> => {
    const words = random.chance(0.5) ? ["--config", config] : [];
    const server = await OwnServer.start({ journal: join(directory, "journal"), words });
    world.port = server.port;
    world.ledger.restarted();
    return server;
  };
  let server = await start();
  for (let round = 0; round < options.rounds; round++) {
    await playRound(world, { server, producers, roundMs: options.roundMs });
    server = await start();
    restarts.push(server.readyMs);
    if (random.chance(0.4)) for (const queue of queues) await drain(world, queue);
  }
  for (const queue of queues) await drain(world, queue);
  await server.stop();
  const verdict = world.ledger.close();
  const { seed, rounds } = options;
  return { seed, rounds, ...verdict, restart_ms: summary(restarts), faults: world.ledger.faults };
}

interface Round {
  readonly server: OwnServer;
  readonly producers: readonly Producer[];
  readonly roundMs: number;
}

async function playRound(world: World, { server, producers, roundMs }: Round): Promise<void> {
  const { random, queues, ledger } = world;
  const kind = random.pick(["mixed", "mixed", "mixed", "fill", "drain", "quick"] as const);
  world.isOn = true;
  const running: Promise<void>[] = [];
  if (kind !== "drain") for (const producer of producers) running.push(producer.run());
  if (kind !== "fill")
    for (const manner of MANNERS) running.push(new Consumer(world, manner, random.pick(queues)).run());
  await pause(kind === "quick" ? random.between(0, 50) : random.between(50, roundMs));
  ledger.killed(performance.now());
  await server.kill();
  world.isOn = false;
  // Also what the kernel still held for the clients is read.
  await Promise.all(running);
}

// One client alone takes all that is there.
async function drain(world: World, queue: string): Promise<void> {
  const wire = await Wire.connect(world.port);
  if (wire === null) throw new Error("the server is gone");
  const patience = setTimeout(() => wire.destroy(), DRAIN_MS);
  const counted = await itemsIn(wire, queue);
  const names: ItemName[] = [];
  for (let item = await take(wire, world, queue); item !== null; item = await take(wire, world, queue))
    names.push(item);
  clearTimeout(patience);
  wire.destroy();
  world.ledger.drained(queue, names, counted);
}

function take(wire: Wire, world: World, queue: string): Promise<ItemName | null> {
  return new Promise((resolve, reject) => {
    wire.ask(`get ${queue}\r\n`, (answer, atMs) => {
      if (answer?.kind !== "end")
        return reject(new Error(`a get was not answered as it should: ${JSON.stringify(answer)}`));
      const data = answer.items[0]?.data;
      if (data === undefined) return resolve(null);
      const name = nameIn(data);
      world.ledger.delivered(name, data, { atMs, isOpen: false });
      resolve(name);
    });
  });
}

async function itemsIn(wire: Wire, queue: string): Promise<number> {
  const answer = await wire.exchange("stats\r\n");
  if (answer?.kind !== "end") throw new Error("the server did not tell its statistics");
  return Number(answer.stats.find(([name]) => name === `queue_${queue}_items`)?.[1] ?? 0);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function summary(values: readonly number[]): { readonly p50: number; readonly max: number } {
  const sorted = [...values].sort((a, b) => a - b).map(Math.round);
  return { p50: sorted[sorted.length >> 1] ?? 0, max: sorted.at(-1) ?? 0 };
}
