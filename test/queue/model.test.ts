import fc from "fast-check";
import t from "tap";
import type { Queue } from "../../src/queue/queue.js";
import type { OpenRead } from "../../src/queue/transactions.js";
import type { Waiter } from "../../src/queue/wait-list.js";
import { newItem, turn } from "../helpers/journal-bench.js";
import { drain, fetch, got, open, PATIENT, QueueBench } from "../helpers/queue-bench.js";

/*
 * A queue and its journal against a model that is nothing but a list, under random moves, stops, kills and failing writes.
 */

type Step =
  | { readonly kind: "put"; readonly sizes: readonly number[] }
  | { readonly kind: "take" | "open" | "confirm" | "give back" | "peek"; readonly count: number }
  | { readonly kind: "wait" | "flush" | "delete" | "written" | "stop" | "kill" | "reads fail" }
  | { readonly kind: "not handed over"; readonly turns: number }
  | { readonly kind: "writes fail"; readonly failure: "lost" | "landed"; readonly sizes: readonly number[] };

const sizes = fc.array(
  fc.oneof({ weight: 20, arbitrary: fc.integer({ min: 0, max: 300 }) }, { weight: 1, arbitrary: fc.constant(150_000) }),
  {
    minLength: 1,
    maxLength: 12,
  },
);
const count = fc.integer({ min: 1, max: 8 });

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("put" as const), sizes }) },
  {
    weight: 10,
    arbitrary: fc.record({ kind: fc.constantFrom("take", "open", "confirm", "give back", "peek"), count }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constantFrom("wait", "written", "written", "stop", "kill", "reads fail") }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("flush", "delete") }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("not handed over" as const), turns: fc.integer({ min: 0, max: 3 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("writes fail" as const),
      failure: fc.constantFrom("lost", "landed"),
      sizes,
    }),
  },
);

/** The model: items are numbers in the order in which they were put, and so they are served. */
class Play {
  #line: number[] = [];
  #open: { readonly number: number; readonly read: OpenRead }[] = [];
  #waiters: Waiter[] = [];
  #puts: Promise<void>[] = [];
  #last = 0;

  constructor(readonly bench: QueueBench) {}

  get queue(): Queue {
    return this.bench.queues.open("q");
  }

  async step(step: Step): Promise<void> {
    switch (step.kind) {
      case "put":
        return this.#put(step.sizes);
      case "take":
        return repeat(step.count, () => this.#take());
      case "open":
        return repeat(step.count, () => this.#openOne());
      case "peek":
        return this.#peek();
      case "confirm":
        return repeat(step.count, async () => this.#confirm());
      case "give back":
        return this.#giveBack(step.count);
      case "wait":
        return this.#wait();
      case "not handed over":
        return this.#notHandedOver(step.turns);
      case "flush":
        this.#line = [];
        return void this.queue.flush();
      case "delete":
        return this.#delete();
      case "written":
        return this.#written();
      case "reads fail":
        return this.bench.disk.disk.failReads(1);
      case "writes fail":
        return this.#failWrites(step);
      case "stop":
      case "kill":
        return this.#startAgain(step.kind);
    }
  }

  async check(): Promise<void> {
    expect(this.queue.items, this.#line.length, "items");
    expect(this.queue.stats().openTransactions, this.#open.length, "open reads");
    expect(this.queue.stats().lost, 0, "lost items");
  }

  async end(): Promise<void> {
    await this.#startAgain("kill");
    const items = await this.#patiently(() => drain(this.queue));
    expect(items.map(numberOf).join(), this.#line.join(), "all that is left");
  }

  async #put(sizesOfItems: readonly number[]): Promise<void> {
    for (const size of sizesOfItems) {
      const number = ++this.#last;
      const result = this.queue.put(newItem(`${number}!`.padEnd(size, ".")), true);
      this.#puts.push(result as Promise<void>);
      const waiter = this.#waiters.shift();
      if (waiter === undefined) this.#line.push(number);
      else expect(numberOf((await got(waiter)) ?? ""), number, "what a waiter got");
    }
  }

  async #take(): Promise<void> {
    const fetched = await this.#patiently(() => fetch(this.queue, "take"));
    expect(fetched === null ? undefined : numberOf(fetched.item.data.toString()), this.#line.shift(), "what was taken");
  }

  // As when the client goes away while its item waits for the disk.
  async #notHandedOver(turns: number): Promise<void> {
    const fetched = await this.#patiently(() => fetch(this.queue, "take"));
    if (fetched === null) return;
    for (let n = 0; n < turns; n++) await turn();
    this.queue.giveBackTaken(fetched.item);
  }

  async #openOne(): Promise<void> {
    const number = this.#line.shift();
    if (number === undefined) return;
    const read = await this.#patiently(() => open(this.queue));
    expect(numberOf(read.item.data.toString()), number, "what was opened");
    this.#open.push({ number, read });
  }

  async #peek(): Promise<void> {
    const fetched = await this.#patiently(() => fetch(this.queue, "peek"));
    expect(fetched === null ? undefined : numberOf(fetched.item.data.toString()), this.#line[0], "what was seen");
  }

  #confirm(): void {
    const last = this.#open.pop();
    if (last !== undefined) void this.queue.confirm(last.read);
  }

  async #giveBack(howMany: number): Promise<void> {
    const back = this.#open.splice(0, howMany);
    this.queue.giveBack(back.map(({ read }) => read));
    for (const { number } of back) this.#line.push(number);
    this.#line.sort((a, b) => a - b);
    while (this.#waiters.length > 0 && this.#line.length > 0) {
      expect(numberOf((await got(this.#waiters.shift() as Waiter)) ?? ""), this.#line.shift(), "what a waiter got");
    }
  }

  #wait(): void {
    if (this.#line.length === 0 && this.queue.fetchNow("take") === null)
      this.#waiters.push(this.queue.wait("take", 1e9, PATIENT));
  }

  async #delete(): Promise<void> {
    const ended = this.#waiters.splice(0);
    void this.bench.queues.delete("q");
    for (const waiter of ended) expect(await got(waiter), null, "what a waiter of a deleted queue got");
    this.#line = [];
    this.#open = [];
  }

  async #written(): Promise<void> {
    await Promise.all(this.#puts.splice(0));
    await this.bench.disk.idle();
  }

  async #failWrites({ failure, sizes: sizesOfItems }: Extract<Step, { kind: "writes fail" }>): Promise<void> {
    await this.#written();
    const delivered = Math.min(this.#waiters.length, sizesOfItems.length);
    const before = this.#line.length;
    this.bench.disk.disk.failNextWrite(failure);
    await this.#put(sizesOfItems);
    const ends = await Promise.allSettled(this.#puts.splice(0));
    expect(ends.filter(({ status }) => status === "fulfilled").length, delivered, "puts that were delivered in time");
    this.#line.length = before;
    await this.bench.disk.idle();
    if (this.bench.disk.log.complaints.some(({ message }) => /sets are refused/.test(message)))
      await this.bench.disk.reopened();
    this.bench.disk.log.lines.length = 0;
    // When all were delivered in time there was no batch to fail, or only one of removals.
    this.bench.disk.disk.failNextWrite(null);
  }

  async #startAgain(how: "stop" | "kill"): Promise<void> {
    await this.#written();
    this.bench.disk.disk.failReads(0);
    this.bench.queues.endWaits();
    this.#waiters = [];
    const copy = how === "kill" ? await this.bench.disk.copy() : this.bench.disk.directory;
    await this.bench.disk.closeAll();
    this.bench.disk.directory = copy;
    this.bench.resume(await this.bench.disk.open());
    this.#line.push(...this.#open.splice(0).map(({ number }) => number));
    this.#line.sort((a, b) => a - b);
  }

  // A read that failed is tried again after a while.
  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    const passing = setInterval(() => this.bench.clock.advance(100), 1);
    try {
      return await work();
    } finally {
      clearInterval(passing);
    }
  }
}

async function repeat(times: number, work: () => Promise<void>): Promise<void> {
  for (let n = 0; n < times; n++) await work();
}

function numberOf(data: string): number {
  return Number(/^(\d+)!/.exec(data)?.[1]);
}

function expect(found: unknown, wanted: unknown, what: string): void {
  if (found !== wanted) throw new Error(`${what}: ${String(found)} instead of ${String(wanted)}`);
}

const kinds = {
  "little memory": [500, "never"],
  "much memory": [1_000_000, "never"],
  "every answer on the disk": [500, "always"],
} as const;

for (const [name, [maxMemoryBytes, sync]] of Object.entries(kinds)) {
  t.test(`a queue with ${name} does as a list does, whatever happens`, { timeout: 60_000 }, async (t) => {
    const property = fc.asyncProperty(
      fc.array(anyStep, { minLength: 5, maxLength: 60, size: "max" }),
      async (steps) => {
        const bench = await QueueBench.make({ maxMemoryBytes });
        bench.disk.sync.set("q", { kind: sync });
        const play = new Play(bench);
        try {
          for (const step of steps) {
            await play.step(step);
            await play.check();
          }
          await play.end();
        } finally {
          await bench.disk.dispose();
        }
      },
    );
    await t.resolves(fc.assert(property, { numRuns: 12, endOnFailure: true }));
  });
}
