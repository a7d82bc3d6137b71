import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

/** How long a test waits for something that should happen at once, before it calls it missing. Generous: CI may be busy. */
export const PATIENCE_MS = 15_000;

/** The outcome of `promise`, or an error that names `what` when it takes longer than `limitMs`. */
export async function within<T>(promise: Promise<T>, what: string, limitMs: number = PATIENCE_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Asks until `check` is content. For what has no event to wait for, such as a figure in another process. */
export async function until(what: string, check: () => Promise<boolean>, limitMs: number = PATIENCE_MS): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${limitMs} ms`);
    await sleep(5);
  }
}

/** How long `work` took, in milliseconds, and what came of it. */
export async function timed<T>(work: () => Promise<T>): Promise<{ readonly ms: number; readonly result: T }> {
  const start = performance.now();
  const result = await work();
  return { ms: performance.now() - start, result };
}
