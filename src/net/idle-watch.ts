import type { Clock, Timer } from "../clock.js";

/** A connection that may be idle. */
export interface Watched {
  /** The client has sent something since it was asked last, or has something to wait for. */
  readonly wasBusy: boolean;
  /** It was idle for too long. */
  endIdle(): void;
}

/** In how many steps the time is measured: a client is hung up on after the time, and at the latest a step later. */
const STEPS = 4;

/**
 * Hangs up on clients that have sent nothing for a time. One timer serves all connections, so that none of them has to ask
 * for the time when something comes in.
 */
export class IdleWatch {
  readonly #clock: Clock;
  readonly #stepMs: number;
  readonly #quietSteps = new Map<Watched, number>();
  #timer: Timer | null = null;

  /** `timeoutMs`: Infinity watches nobody. */
  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#stepMs = timeoutMs / STEPS;
  }

  add(connection: Watched): void {
    if (this.#stepMs === Infinity) return;
    // The step in which it comes is not a whole one, so it does not count; nor does one in which it was busy.
    this.#quietSteps.set(connection, -1);
    this.#timer ??= this.#setTimer();
  }

  delete(connection: Watched): void {
    if (!this.#quietSteps.delete(connection) || this.#quietSteps.size > 0) return;
    this.#timer?.clear();
    this.#timer = null;
  }

  #setTimer(): Timer {
    return this.#clock.after(this.#stepMs, () => this.#step(), { background: true });
  }

  #step(): void {
    this.#timer = this.#setTimer();
    for (const [connection, before] of this.#quietSteps) {
      const quiet = connection.wasBusy ? 0 : before + 1;
      this.#quietSteps.set(connection, quiet);
      if (quiet >= STEPS) connection.endIdle();
    }
  }
}
