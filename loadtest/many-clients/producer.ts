import { setTimeout as pause } from "node:timers/promises";
import { Client } from "../../src/client/client.js";
import type { Run } from "./consumer.js";

/** Trickles the items of a run into the queue: puts one, waits until it is stored, pauses. */
export async function produce(run: Run): Promise<void> {
  const { options, items, tally, givenUp: signal } = run;
  const client = new Client(run.address);
  try {
    for (let number = 0; number < options.items; number++) {
      const data = items.make(number);
      tally.sending(number);
      await client.put(options.queue, data, { signal });
      tally.stored();
      if (options.sleepMs > 0) await pause(options.sleepMs, undefined, { signal });
    }
  } finally {
    await client.close();
  }
}
