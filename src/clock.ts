import { performance } from "node:perf_hooks";

/** A timer that was set. Whoever sets one clears it, in the same file. */
export interface Timer {
  /** Stops it; may be called twice, and after it fired. */
  clear(): void;
}

/**
 * Time for the whole server. Wall time is for what is stored or shown, monotonic time and timers are for every deadline:
 * a step of the system clock must not end a wait. Tests move both, apart from each other.
 */
export interface Clock {
  /** Milliseconds since 1970, whole. */
  wallMs(): number;
  /** Milliseconds since some fixed moment, with fractions, never going back. */
  monotonicMs(): number;
  /** Calls `fire` once, not before `delayMs` have passed. A timer keeps the process alive unless `background`. */
  after(delayMs: number, fire: () => void, options?: { readonly background?: boolean }): Timer;
}

/** The longest delay that Node's timers take; above it they would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

class SystemTimer implements Timer {
  readonly #clock: SystemClock;
  readonly #deadline: number;
  readonly #fire: () => void;
  readonly #background: boolean;
  #handle: NodeJS.Timeout | undefined;

  constructor(clock: SystemClock, delayMs: number, fire: () => void, background: boolean) {
    this.#clock = clock;
    this.#deadline = clock.monotonicMs() + delayMs;
    this.#fire = fire;
    this.#background = background;
    this.#arm(delayMs);
  }

  #arm(delayMs: number): void {
    this.#handle = setTimeout(() => this.#due(), Math.min(Math.ceil(delayMs), MAX_TIMER_MS));
    if (this.#background) this.#handle.unref();
  }

  // Node counts from the time cached at the start of the loop's turn, so a timer set late in a long turn is early.
  #due(): void {
    const left = this.#deadline - this.#clock.monotonicMs();
    if (left > 0) this.#arm(left);
    else this.#fire();
  }

  clear(): void {
    clearTimeout(this.#handle);
  }
}

/** The real clock. */
export class SystemClock implements Clock {
  wallMs(): number {
    return Date.now();
  }

  monotonicMs(): number {
    return performance.now();
  }

  after(delayMs: number, fire: () => void, options: { readonly background?: boolean } = {}): Timer {
    return new SystemTimer(this, Math.max(0, delayMs), fire, options.background ?? false);
  }
}
