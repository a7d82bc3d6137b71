import { performance } from "node:perf_hooks";

const LOOK_EVERY_MS = 250;

/**
 * Looks four times a second at what a load test has done, shows it, and gives up when nothing was done for too long. So
 * no load test hangs.
 */
export class StallWatch {
  readonly #timer: NodeJS.Timeout;

  constructor(watched: {
    readonly limitMs: number;
    readonly done: () => number;
    readonly onLook: () => void;
    readonly onStall: () => void;
  }) {
    let seen = watched.done();
    let since = performance.now();
    this.#timer = setInterval(() => {
      const now = performance.now();
      const done = watched.done();
      if (done !== seen) since = now;
      seen = done;
      watched.onLook();
      if (now - since >= watched.limitMs) watched.onStall();
    }, LOOK_EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
