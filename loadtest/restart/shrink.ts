import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { directoryBytes } from "../support/directory-bytes.js";

const LOOK_EVERY_MS = 200;
/** How long a journal must not have changed to be called idle. */
const IDLE_MS = 3000;

/** How large a journal was after the last item had gone. */
export interface Shrunk {
  /** Until it was small enough; null when it was not in time. */
  readonly smallAfterMs: number | null;
  /** When nothing was done with it any more. */
  readonly idleBytes: number;
}

/** Looks at a journal directory until it is small and does not change any more, or `limitMs` are over. */
export async function watchShrink(journal: string, smallBytes: number, limitMs: number): Promise<Shrunk> {
  const began = performance.now();
  let smallAfterMs: number | null = null;
  let bytes = await directoryBytes(journal);
  let changedMs = 0;
  for (;;) {
    const now = performance.now() - began;
    if (bytes < smallBytes) smallAfterMs ??= Math.round(now);
    const idle = smallAfterMs !== null && now - changedMs >= IDLE_MS;
    if (idle || now >= limitMs) return { smallAfterMs, idleBytes: bytes };
    await sleep(LOOK_EVERY_MS);
    const next = await directoryBytes(journal);
    if (next !== bytes) changedMs = performance.now() - began;
    bytes = next;
  }
}
