import { setTimeout as pause } from "node:timers/promises";
import { Client } from "../../src/client/client.js";
import type { ServerAddress } from "../../src/client/connection.js";

const SHOWN = ["items", "total_items", "bytes", "mem_items", "mem_bytes", "logsize", "waiters", "open_transactions"];
const EVERY_MS = 1000;

/** Tells the queue's figures each second until `signal` says that it is enough. */
export async function monitorQueue(
  address: ServerAddress,
  queue: string,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const client = new Client(address);
  try {
    while (!signal.aborted) {
      const stats = await client.stats({ signal });
      say(`${queue}: ${SHOWN.map((name) => `${name}=${stats.get(`queue_${queue}_${name}`) ?? 0}`).join(" ")}`);
      await pause(EVERY_MS, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await client.close();
  }
}
