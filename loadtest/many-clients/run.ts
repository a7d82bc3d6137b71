import { Client } from "../../src/client/client.js";
import type { ServerAddress } from "../../src/client/connection.js";
import { describeError } from "../../src/errors.js";
import { ProgressLine } from "../support/progress-line.js";
import { StallWatch } from "../support/stall-watch.js";
import { Consumer, type Run } from "./consumer.js";
import { Items } from "./items.js";
import type { Options } from "./options.js";
import { produce } from "./producer.js";
import { monitorQueue } from "./queue-monitor.js";
import { type Outcome, Tally } from "./tally.js";

/** How long nothing may move before a run is given up, on top of the pause between two puts. */
const STALL_MS = 30_000;

/** What came of a run; `gaveUp` says why it did not come to its end. */
export interface Report extends Outcome {
  readonly gaveUp: string | null;
}

/** Runs one producer and many consumers until every item has arrived, something fails, or nothing moves any more. */
export async function runManyClients(options: Options, address: ServerAddress, stop: AbortSignal): Promise<Report> {
  const fault = new AbortController();
  const tally = new Tally(options.items);
  const run: Run = { options, address, items: new Items(), tally, givenUp: AbortSignal.any([stop, fault.signal]) };
  const progress = new ProgressLine();
  const watch = watchOver(run, progress, fault);
  try {
    if (options.flushFirst) await flush(run);
    await workTogether(run, progress, fault);
  } catch (error) {
    fault.abort(error);
  } finally {
    watch.stop();
    progress.clear();
  }
  return { ...tally.outcome(), gaveUp: run.givenUp.aborted ? describeError(run.givenUp.reason) : null };
}

function watchOver(run: Run, progress: ProgressLine, fault: AbortController): StallWatch {
  const { tally, options } = run;
  const limitMs = STALL_MS + options.sleepMs;
  return new StallWatch({
    limitMs,
    done: () => tally.steps,
    onLook: () =>
      progress.show(`many-clients: ${tally.describe()}, ${tally.emptyAnswers} empty answers, ${tally.kills} kills`),
    onStall: () => fault.abort(new Error(`no progress for ${limitMs / 1000} s: ${tally.describe()}`)),
  });
}

async function flush({ options, address, givenUp }: Run): Promise<void> {
  const client = new Client(address);
  try {
    await client.flush(options.queue, { signal: givenUp });
  } finally {
    await client.close();
  }
}

/** The first to fail ends the others; done when all are. */
async function workTogether(run: Run, progress: ProgressLine, fault: AbortController): Promise<void> {
  const { options, address, givenUp } = run;
  const over = new AbortController();
  const consumers = Array.from({ length: options.clients }, () => new Consumer(run));
  const say = (line: string): void => progress.say(line);
  const orEndAll = (work: Promise<void>): Promise<void> => work.catch((error) => fault.abort(error));
  const enough = AbortSignal.any([givenUp, over.signal]);
  const watching = options.monitor ? orEndAll(monitorQueue(address, options.queue, say, enough)) : null;
  await Promise.all(consumers.map((consumer) => consumer.connect()));
  await Promise.all([...consumers.map((consumer) => consumer.work()), produce(run)].map(orEndAll));
  over.abort();
  await watching;
}
