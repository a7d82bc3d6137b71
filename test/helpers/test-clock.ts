import type { Clock, Timer } from "../../src/clock.js";

interface SetTimer extends Timer {
  readonly dueAt: number;
  readonly order: number;
  readonly fire: () => void;
}

/** A clock that stands still until a test moves it: the wall and the monotonic time apart, so that a step of one can be tried. */
export class TestClock implements Clock {
  #wallMs: number;
  #monotonicMs = 1000;
  #order = 0;
  readonly #timers = new Set<SetTimer>();

  constructor(wallMs = Date.UTC(2024, 0, 1)) {
    this.#wallMs = wallMs;
  }

  /** Timers that were set and have neither fired nor been cleared. */
  get timers(): number {
    return this.#timers.size;
  }

  wallMs(): number {
    return this.#wallMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  after(delayMs: number, fire: () => void): Timer {
    const dueAt = this.#monotonicMs + Math.max(0, delayMs);
    const timer: SetTimer = { dueAt, order: this.#order++, fire, clear: () => void this.#timers.delete(timer) };
    this.#timers.add(timer);
    return timer;
  }

  /** Lets `ms` pass on both clocks; timers fire in the order in which they are due, also those that a timer sets. */
  pass(ms: number): void {
    this.#wallMs += ms;
    this.advance(ms);
  }

  /** Lets `ms` of monotonic time pass; the wall clock stands still. */
  advance(ms: number): void {
    const end = this.#monotonicMs + ms;
    for (let timer = this.#nextDue(end); timer !== undefined; timer = this.#nextDue(end)) {
      this.#timers.delete(timer);
      this.#monotonicMs = Math.max(this.#monotonicMs, timer.dueAt);
      timer.fire();
    }
    this.#monotonicMs = end;
  }

  /** Sets the wall clock, as an operator or a time server does. */
  setWall(wallMs: number): void {
    this.#wallMs = wallMs;
  }

  #nextDue(end: number): SetTimer | undefined {
    const due = [...this.#timers].filter((timer) => timer.dueAt <= end);
    return due.sort((a, b) => a.dueAt - b.dueAt || a.order - b.order)[0];
  }
}
