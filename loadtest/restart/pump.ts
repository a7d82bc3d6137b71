import { performance } from "node:perf_hooks";
import { describeError } from "../../src/errors.js";
import type { Exchange } from "../support/exchange.js";
import type { NumberedItems } from "./items.js";

/** How many bytes of items travel together, at most; the commands for them are sent before the first answer is read. */
const TOGETHER_BYTES = 512 * 1024;
const TOGETHER_ITEMS = 500;

/** How items went in or out. */
export interface Pumped {
  readonly items: number;
  readonly seconds: number;
  readonly perSecond: number;
  /** The longest that a group of pipelined commands took. */
  readonly longestMs: number;
  /** What ended it too early. */
  readonly fault: string | null;
}

/** What is sent for a group of items, and what is to come back. */
interface Group {
  readonly commands: Buffer;
  readonly answer: Buffer;
}

/** Which items, and how large. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly size: number;
}

/** Puts a stretch of items. */
export function fill(exchange: Exchange, items: NumberedItems, stretch: Stretch): Promise<Pumped> {
  return pump(exchange, stretch, (from, count) => ({
    commands: items.sets(from, count),
    answer: items.stored(count),
  }));
}

/** Takes a stretch of items, each of which must be the next. */
export function drain(exchange: Exchange, items: NumberedItems, stretch: Stretch): Promise<Pumped> {
  return pump(exchange, stretch, (from, count) => ({
    commands: items.gets(count),
    answer: items.values(from, count),
  }));
}

async function pump(
  exchange: Exchange,
  { from, to, size }: Stretch,
  group: (from: number, count: number) => Group,
): Promise<Pumped> {
  const together = Math.max(1, Math.min(TOGETHER_ITEMS, Math.floor(TOGETHER_BYTES / size)));
  const began = performance.now();
  let [done, longestMs] = [0, 0];
  let fault: string | null = null;
  while (from + done < to && fault === null) {
    const count = Math.min(together, to - from - done);
    const { commands, answer } = group(from + done, count);
    const sent = performance.now();
    fault = await exchange.send(commands, answer).then(() => null, describeError);
    longestMs = Math.max(longestMs, performance.now() - sent);
    done += fault === null ? count : Math.floor((exchange.matched * count) / answer.length);
  }
  const seconds = (performance.now() - began) / 1000;
  return {
    items: done,
    seconds: Math.round(seconds * 1000) / 1000,
    perSecond: Math.round(done / seconds),
    longestMs: Math.round(longestMs * 10) / 10,
    fault,
  };
}
