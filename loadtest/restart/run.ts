import { performance } from "node:perf_hooks";
import { describeError } from "../../src/errors.js";
import { directoryBytes } from "../support/directory-bytes.js";
import { Exchange } from "../support/exchange.js";
import { OwnServer } from "../support/own-server.js";
import { NumberedItems } from "./items.js";
import type { Options } from "./options.js";
import { drain, fill, type Pumped, type Stretch } from "./pump.js";
import { watchShrink } from "./shrink.js";

const QUEUE = "spam";
const READY_MS = 2000;
/** What is still "at once" for the first get after a start, on a machine with other things to do. */
const FIRST_GET_MS = 250;
const SMALL_BYTES = 50e6;
const SMALL_WITHIN_MS = 60_000;

/** What came of a run. */
export interface Report {
  readonly fill: Pumped;
  /** From SIGTERM until the server had ended. */
  readonly stopMs: number;
  readonly fullMb: number;
  /** From starting the process again until it served. */
  readonly readyMs: number;
  /** From connecting until the first item was there. */
  readonly firstGetMs: number;
  readonly drain: Pumped;
  readonly drainedMb: number;
  /** From the last item until the journal was small; null: not within a minute. */
  readonly smallAfterMs: number | null;
  readonly idleMb: number;
}

/** Fills, stops, starts again and drains, each with a server on `journal`. */
export async function runRestart(options: Options, journal: string, stop: AbortSignal): Promise<Report> {
  const items = new NumberedItems(QUEUE, options.size);
  const filled = await withServer(journal, stop, async (server, exchange) => {
    const put = await fill(exchange, items, { from: 0, to: options.items, size: options.size });
    if (put.fault !== null) throw new Error(`put ${put.items} of ${options.items} items: ${put.fault}`);
    exchange.close();
    const began = performance.now();
    await server.stop();
    return { fill: put, stopMs: round(performance.now() - began), fullMb: megabytes(await directoryBytes(journal)) };
  });
  const emptied = await withServer(journal, stop, (server, exchange, connectedMs) =>
    empty(options, items, { server, exchange, connectedMs, journal }),
  );
  return { ...filled, ...emptied };
}

type Emptied = Omit<Report, "fill" | "stopMs" | "fullMb">;

async function empty(
  { items: count, size }: Options,
  items: NumberedItems,
  at: {
    readonly server: OwnServer;
    readonly exchange: Exchange;
    readonly connectedMs: number;
    readonly journal: string;
  },
): Promise<Emptied> {
  const began = performance.now();
  const first = await drain(at.exchange, items, { from: 0, to: 1, size });
  const firstGetMs = round(at.connectedMs + performance.now() - began);
  const drained = first.fault === null ? await drainRest(at.exchange, items, { from: 1, to: count, size }) : first;
  const drainedMb = megabytes(await directoryBytes(at.journal));
  const { smallAfterMs, idleBytes } = await watchShrink(at.journal, SMALL_BYTES, SMALL_WITHIN_MS);
  const readyMs = round(at.server.readyMs);
  return { readyMs, firstGetMs, drain: drained, drainedMb, smallAfterMs, idleMb: megabytes(idleBytes) };
}

/** What is left after the first item, and then no more. */
async function drainRest(exchange: Exchange, items: NumberedItems, stretch: Stretch): Promise<Pumped> {
  const rest = await drain(exchange, items, stretch);
  const left =
    rest.fault ?? (await exchange.send(items.gets(1), Buffer.from("END\r\n")).then(() => null, describeError));
  return { ...rest, items: rest.items + stretch.from, fault: left };
}

/** Runs `work` with a server and a connection to it, and ends both. */
async function withServer<T>(
  journal: string,
  stop: AbortSignal,
  work: (server: OwnServer, exchange: Exchange, connectedMs: number) => Promise<T>,
): Promise<T> {
  stop.throwIfAborted();
  const server = await OwnServer.start({ journal });
  let exchange: Exchange | null = null;
  const interrupt = (): void => exchange?.interrupt(stop.reason as Error);
  stop.addEventListener("abort", interrupt);
  try {
    const began = performance.now();
    exchange = await Exchange.connect(server.port);
    return await work(server, exchange, performance.now() - began);
  } finally {
    stop.removeEventListener("abort", interrupt);
    exchange?.close();
    await server.stop();
  }
}

/** What a report says against the server, in words; nothing if all is well. */
export function faultsOf(report: Report, { items }: Options): readonly string[] {
  const { readyMs, firstGetMs, drain: drained, smallAfterMs, idleMb } = report;
  const faults: string[] = [];
  if (readyMs >= READY_MS) faults.push(`it was ready after ${readyMs} ms, not in ${READY_MS} ms`);
  if (firstGetMs >= FIRST_GET_MS) faults.push(`the first get took ${firstGetMs} ms, not under ${FIRST_GET_MS} ms`);
  if (drained.fault !== null) faults.push(`${drained.items} of ${items} items came in order, then ${drained.fault}`);
  if (smallAfterMs === null || idleMb >= megabytes(SMALL_BYTES))
    faults.push(`the journal takes ${idleMb} MB after a minute, not under ${megabytes(SMALL_BYTES)} MB`);
  return faults;
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e5) / 10;
}
