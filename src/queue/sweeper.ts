import type { Clock, Timer } from "../clock.js";

/** The timer by which expired items and unused queues are looked for (`expiration_timer_frequency`). */
export class Sweeper {
  readonly #clock: Clock;
  readonly #sweep: () => void;
  #everyMs: number;
  #timer: Timer | null = null;
  #closed = false;

  constructor(clock: Clock, options: { readonly everyMs: number; readonly sweep: () => void }) {
    this.#clock = clock;
    this.#sweep = options.sweep;
    this.#everyMs = options.everyMs;
    this.#arm();
  }

  /** Sweeps as often as this from now on; Infinity never. */
  configure(everyMs: number): void {
    this.#everyMs = everyMs;
    this.#arm();
  }

  close(): void {
    this.#closed = true;
    this.#timer?.clear();
  }

  #arm(): void {
    this.#timer?.clear();
    if (this.#closed || this.#everyMs === Number.POSITIVE_INFINITY) return;
    this.#timer = this.#clock.after(this.#everyMs, () => this.#due(), { background: true });
  }

  #due(): void {
    this.#sweep();
    this.#arm();
  }
}
