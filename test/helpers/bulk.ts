import type { RawClient } from "./raw-client.js";
import { body, STORED, set, value } from "./wire.js";

/** How many commands travel together. */
const PIPELINE = 1000;
const LIMIT_MS = 60_000;

/** The texts for `count` numbers from `from` on, in one. */
export function range(from: number, count: number, text: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => text(from + n)).join("");
}

/** Puts items `from` up to `to`, each `size` bytes that tell its number. */
export async function fill(client: RawClient, queue: string, from: number, to: number, size: number): Promise<void> {
  for (let n = from; n < to; n += PIPELINE) {
    const count = Math.min(PIPELINE, to - n);
    client.push(range(n, count, (k) => set(queue, body(size, k))));
    await client.expect(STORED.repeat(count), LIMIT_MS);
  }
}

/** Takes items `from` up to `to` as `fill` made them; nothing else may come. */
export async function drain(client: RawClient, queue: string, from: number, to: number, size: number): Promise<void> {
  for (let n = from; n < to; n += PIPELINE) {
    const count = Math.min(PIPELINE, to - n);
    client.push(`get ${queue}\r\n`.repeat(count));
    await client.expect(
      range(n, count, (k) => value(queue, body(size, k))),
      LIMIT_MS,
    );
  }
}

/** Lets items `from` up to `to` pass through a queue: each is put, opened, and closed with the next one's open. */
export async function passThrough(
  client: RawClient,
  queue: string,
  from: number,
  to: number,
  size: number,
): Promise<void> {
  for (let n = from; n < to; n += PIPELINE) {
    const count = Math.min(PIPELINE, to - n);
    client.push(range(n, count, (k) => `${set(queue, body(size, k))}get ${queue}/close/open\r\n`));
    await client.expect(
      range(n, count, (k) => STORED + value(queue, body(size, k))),
      LIMIT_MS,
    );
  }
  await client.send(`get ${queue}/close\r\n`);
  await client.expect("END\r\n");
}
