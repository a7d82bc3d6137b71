import fc from "fast-check";
import t from "tap";
import type { Queue } from "../../src/queue/queue.js";
import type { OpenRead } from "../../src/queue/transactions.js";
import { FaultyDisk } from "../helpers/faulty-store.js";
import { contents, newItem, turn } from "../helpers/journal-bench.js";
import { QueueBench } from "../helpers/queue-bench.js";

/*
 * What a kill leaves at any moment, with batches in flight and removals waiting: a copy of the directory is opened and held
 * against what clients had been told by then.
 */

type Step =
  | { readonly kind: "put"; readonly sizes: readonly number[] }
  | { readonly kind: "take" | "open" | "confirm" | "give back"; readonly count: number }
  | { readonly kind: "turn" | "lazy time" | "kill" | "flush" };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("put" as const),
      sizes: fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 20 }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom("take", "open", "confirm", "give back"),
      count: fc.integer({ min: 1, max: 6 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom("turn", "turn", "lazy time", "kill", "kill") }) },
  { weight: 1, arbitrary: fc.constant({ kind: "flush" as const }) },
);

interface Told {
  /** Puts that were answered. */
  readonly stored: ReadonlySet<number>;
  /** Items that a client has, or had confirmed, or that were flushed. */
  readonly gone: ReadonlySet<number>;
  /** Items of which clients know that it is written that they are gone. */
  readonly forgotten: ReadonlySet<number>;
  readonly last: number;
}

class Clients {
  readonly #stored = new Set<number>();
  readonly #gone = new Set<number>();
  readonly #forgotten = new Set<number>();
  #reads: OpenRead[] = [];
  #last = 0;

  constructor(
    readonly bench: QueueBench,
    readonly queue: Queue,
  ) {}

  get told(): Told {
    return {
      stored: new Set(this.#stored),
      gone: new Set(this.#gone),
      forgotten: new Set(this.#forgotten),
      last: this.#last,
    };
  }

  async step(step: Step): Promise<void> {
    switch (step.kind) {
      case "put":
        return this.#put(step.sizes);
      case "take":
      case "open":
        for (let n = 0; n < step.count; n++) this.#fetch(step.kind);
        return;
      case "confirm":
        for (const read of this.#reads.splice(0, step.count)) this.#confirm(read);
        return;
      case "give back":
        return this.queue.giveBack(this.#reads.splice(0, step.count));
      case "turn":
        return turn();
      case "lazy time":
        return this.bench.clock.advance(5);
      case "flush":
        return this.#flush();
      case "kill":
        return this.#kill();
    }
  }

  #put(sizes: readonly number[]): void {
    for (const size of sizes) {
      const number = ++this.#last;
      const result = this.queue.put(newItem(`${number}!`.padEnd(size, ".")), true) as Promise<void>;
      void result.then(() => this.#stored.add(number));
    }
  }

  #fetch(mode: "take" | "open"): void {
    const fetched = this.queue.fetchNow(mode);
    if (fetched === null || fetched === "loading") return;
    if (fetched.read !== null) this.#reads.push(fetched.read);
    else this.#forget([numberOf(fetched.item.data.toString())], fetched.durable);
  }

  #confirm(read: OpenRead): void {
    this.#forget([numberOf(read.item.data.toString())], this.queue.confirm(read));
  }

  #forget(numbers: readonly number[], durable: Promise<void> | null): void {
    for (const number of numbers) this.#gone.add(number);
    void durable?.then(() => {
      for (const number of numbers) this.#forgotten.add(number);
    });
  }

  #flush(): void {
    const before = this.#last;
    const open = new Set(this.#reads.map(({ item }) => numberOf(item.data.toString())));
    const flushed: number[] = [];
    for (let number = 1; number <= before; number++) if (!open.has(number)) flushed.push(number);
    this.#forget(flushed, this.queue.flush());
  }

  async #kill(): Promise<void> {
    const before = this.told;
    const directory = await this.bench.disk.copy();
    const after = this.told;
    const journal = await this.bench.disk.open({ directory, openStore: new FaultyDisk().open });
    const found = ((await contents(journal, "q")) ?? []).map(numberOf);
    await journal.close();
    compare(found, before, after);
  }
}

function compare(found: readonly number[], before: Told, after: Told): void {
  const sorted = [...new Set(found)].sort((a, b) => a - b);
  if (sorted.join() !== found.join()) throw new Error(`out of order, or twice: ${found.join()}`);
  for (const number of before.stored) {
    if (!after.gone.has(number) && !found.includes(number))
      throw new Error(`${number} is lost, found are ${found.join()}`);
  }
  const ghost = found.find((number) => number > after.last || before.forgotten.has(number));
  if (ghost !== undefined) throw new Error(`${ghost} should not be there`);
}

function numberOf(data: string): number {
  return Number(/^(\d+)!/.exec(data)?.[1]);
}

for (const [name, maxMemoryBytes, sync] of [
  ["much memory", 1_000_000, "never"],
  ["little memory", 2000, "never"],
  ["every answer on the disk", 2000, "always"],
] as const) {
  t.test(`a kill at any moment loses nothing that was answered (${name})`, { timeout: 60_000 }, async (t) => {
    const property = fc.asyncProperty(
      fc.array(anyStep, { minLength: 5, maxLength: 60, size: "max" }),
      async (steps) => {
        const bench = await QueueBench.make({ maxMemoryBytes });
        bench.disk.sync.set("q", { kind: sync });
        const clients = new Clients(bench, bench.queues.open("q"));
        try {
          for (const step of [...steps, { kind: "kill" } as const]) await clients.step(step);
          if (clients.queue.stats().lost > 0) throw new Error("items are lost");
        } finally {
          await bench.disk.dispose();
        }
      },
    );
    await t.resolves(fc.assert(property, { numRuns: 12, endOnFailure: true }));
  });
}
