import { performance } from "node:perf_hooks";
import { describeError } from "../../src/errors.js";
import { type LatencySummary, summarize } from "../support/latencies.js";

/** The first items find the clients still connecting; their hand-off says nothing about waiting fetches. */
const WARM_UP_ITEMS = 20;

/** What became of the items, as the JSON line tells it. */
export interface Outcome {
  readonly put: number;
  readonly received: number;
  readonly duplicates: number;
  readonly lost: number;
  readonly damaged: number;
  /** Items of somebody else that were in the queue. */
  readonly foreign: number;
  readonly emptyAnswers: number;
  readonly kills: number;
  /** Connections that broke without being killed. */
  readonly disconnects: number;
  /** From the moment before the put until the item's first arrival. */
  readonly handoffMs: LatencySummary | null;
  readonly handoffAfter20Ms: LatencySummary | null;
  /** From the start until the last item arrived, or until the run was given up. */
  readonly elapsedMs: number;
}

/** Counts what one run does. Kept by producer and consumers, read at the end. */
export class Tally {
  readonly #items: number;
  readonly #sentAt: Float64Array;
  readonly #times: Uint32Array;
  readonly #handoffs: { readonly number: number; readonly ms: number }[] = [];
  #put = 0;
  #duplicates = 0;
  damaged = 0;
  foreign = 0;
  emptyAnswers = 0;
  kills = 0;
  #disconnects = 0;
  #trouble: string | null = null;
  readonly #startedAt = performance.now();
  #completedAt: number | null = null;

  constructor(items: number) {
    this.#items = items;
    this.#sentAt = new Float64Array(items);
    this.#times = new Uint32Array(items);
  }

  /** Every item arrived. */
  get complete(): boolean {
    return this.#handoffs.length === this.#items;
  }

  get received(): number {
    return this.#handoffs.length;
  }

  /** A figure that grows with every step towards the end. */
  get steps(): number {
    return this.#put + this.#handoffs.length;
  }

  sending(number: number): void {
    this.#sentAt[number] = performance.now();
  }

  stored(): void {
    this.#put++;
  }

  arrived(number: number, at: number): void {
    const times = (this.#times[number] ?? 0) + 1;
    this.#times[number] = times;
    if (times > 1) this.#duplicates++;
    else this.#firstArrived(number, at);
  }

  #firstArrived(number: number, at: number): void {
    this.#handoffs.push({ number, ms: at - (this.#sentAt[number] ?? Number.NaN) });
    if (this.complete) this.#completedAt = at;
  }

  disconnected(error: Error): void {
    this.#disconnects++;
    this.#trouble = describeError(error);
  }

  /** How far the run came, and what went wrong last, for whoever has to say that it ends early. */
  describe(): string {
    const trouble = this.#trouble === null ? "" : `; the last trouble was: ${this.#trouble}`;
    return `${this.#put} of ${this.#items} items put, ${this.received} received${trouble}`;
  }

  outcome(): Outcome {
    return {
      put: this.#put,
      received: this.received,
      duplicates: this.#duplicates,
      lost: this.#items - this.received,
      damaged: this.damaged,
      foreign: this.foreign,
      emptyAnswers: this.emptyAnswers,
      kills: this.kills,
      disconnects: this.#disconnects,
      handoffMs: summarize(this.#handoffs.map(({ ms }) => ms)),
      handoffAfter20Ms: summarize(this.#handoffs.filter(({ number }) => number >= WARM_UP_ITEMS).map(({ ms }) => ms)),
      elapsedMs: Math.round((this.#completedAt ?? performance.now()) - this.#startedAt),
    };
  }
}
