import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { RawClient } from "./raw-client.js";
import type { TestServer } from "./start-server.js";
import { DELETED, END, STORED, set, value } from "./wire.js";

/** A client of the walk, and the item that it has open. */
interface Walker {
  client: RawClient;
  open: number | null;
}

/** Always the same numbers for a seed: from 0 up to but not including 1. */
function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const WALKERS = 4;

/**
 * Walks a queue through puts, gets, opens, closes, aborts, disconnects, flushes, deletes, stops and kills at random, beside
 * a model of it: the numbers of the items in line, lowest first. (What is given back is older than what is in line, so the
 * line is always in order.) Every answer must be the model's.
 */
export class RandomWalk {
  readonly #server: TestServer;
  readonly #queue: string;
  readonly #random: () => number;
  readonly #walkers: Walker[] = [];
  #line: number[] = [];
  #next = 0;
  /** What was done last, for the message when something is wrong. */
  readonly #steps: string[] = [];

  constructor(server: TestServer, queue: string, seed: number) {
    this.#server = server;
    this.#queue = queue;
    this.#random = numbersFrom(seed);
  }

  /** Goes so many steps. */
  async walk(steps: number): Promise<void> {
    await this.#connectAll();
    try {
      for (let n = 0; n < steps; n += 1) await this.#go(n);
      await this.#expectCounts();
    } finally {
      for (const walker of this.#walkers) walker.client.destroy();
    }
  }

  async #go(n: number): Promise<void> {
    try {
      await this.#chooseStep();
      if (n % 20 === 0) await this.#expectCounts();
    } catch (error) {
      throw new Error(`step ${n}, after: ${this.#steps.join("; ")}`, { cause: error });
    }
  }

  async #chooseStep(): Promise<void> {
    const dice = this.#random() * 1000;
    const walker = this.#walkers[Math.floor(this.#random() * WALKERS)] as Walker;
    if (dice < 330) return this.#put(walker, 1 + Math.floor(this.#random() * 8));
    if (dice < 480) return this.#take(walker);
    if (dice < 700) return this.#openNext(walker);
    if (dice < 800) return this.#end(walker, "close");
    if (dice < 900) return this.#end(walker, "abort");
    if (dice < 930) return this.#peek(walker);
    if (dice < 960) return this.#disconnect(walker);
    if (dice < 980) return this.#putAndOpen(walker);
    if (dice < 985) return this.#flush(walker);
    if (dice < 990) return this.#deleteQueue(walker);
    return this.#restart(dice < 996 ? "kill9" : "stop");
  }

  async #put({ client }: Walker, count: number): Promise<void> {
    const numbers = this.#newNumbers(count);
    this.#note(`put ${numbers.join(" ")}`);
    client.push(numbers.map((n) => set(this.#queue, this.#data(n))).join(""));
    await client.expect(STORED.repeat(count));
    this.#line.push(...numbers);
  }

  async #take(walker: Walker): Promise<void> {
    if (walker.open !== null) return this.#end(walker, "close");
    this.#note("get");
    await this.#expectItem(walker.client, "", this.#line.shift());
  }

  async #openNext(walker: Walker): Promise<void> {
    this.#note(`close ${walker.open}, open`);
    const number = this.#line.shift();
    await this.#expectItem(walker.client, "/close/open", number);
    walker.open = number ?? null;
  }

  // Everything in one packet, so that the item is opened before it was written.
  async #putAndOpen(walker: Walker): Promise<void> {
    const [number] = this.#newNumbers(1) as [number];
    this.#note(`put ${number} and open in one`);
    this.#line.push(number);
    const opened = this.#line.shift() as number;
    walker.client.push(`${set(this.#queue, this.#data(number))}get ${this.#queue}/close/open\r\n`);
    await walker.client.expect(STORED + value(this.#queue, this.#data(opened)));
    walker.open = opened;
  }

  async #end(walker: Walker, how: "close" | "abort"): Promise<void> {
    this.#note(`${how} ${walker.open}`);
    if (how === "abort") this.#giveBack(walker);
    walker.open = null;
    await walker.client.send(`get ${this.#queue}/${how}\r\n`);
    await walker.client.expect(END);
  }

  async #peek({ client }: Walker): Promise<void> {
    this.#note("peek");
    await this.#expectItem(client, "/peek", this.#line[0]);
  }

  async #disconnect(walker: Walker): Promise<void> {
    this.#note(`disconnect with ${walker.open}`);
    this.#giveBack(walker);
    walker.open = null;
    walker.client.halfClose();
    await walker.client.expectClose();
    walker.client = await RawClient.connect(this.#server.port);
  }

  async #flush({ client }: Walker): Promise<void> {
    this.#note("flush");
    this.#line = [];
    await client.send(`flush ${this.#queue}\r\n`);
    await client.expect(END);
  }

  async #deleteQueue({ client }: Walker): Promise<void> {
    this.#note("delete");
    this.#line = [];
    for (const walker of this.#walkers) walker.open = null;
    await client.send(`delete ${this.#queue}\r\nget ${this.#queue}/close/open\r\n`);
    await client.expect(DELETED + END);
    for (const walker of this.#walkers) await this.#end(walker, "close");
  }

  // A set's answer means that all that was answered before is written; a kill must not undo it.
  async #restart(how: "kill9" | "stop"): Promise<void> {
    await this.#put(this.#walkers[0] as Walker, 1);
    this.#note(`${how} with ${this.#walkers.map((walker) => walker.open).join(" ")} open`);
    for (const walker of this.#walkers) this.#giveBack(walker);
    await this.#server[how]();
    for (const walker of this.#walkers) walker.client.destroy();
    await this.#server.restart();
    await this.#connectAll();
  }

  async #connectAll(): Promise<void> {
    const clients = await Promise.all(Array.from({ length: WALKERS }, () => RawClient.connect(this.#server.port)));
    this.#walkers.splice(0, WALKERS, ...clients.map((client) => ({ client, open: null })));
  }

  async #expectItem(client: RawClient, options: string, number: number | undefined): Promise<void> {
    await client.send(`get ${this.#queue}${options}\r\n`);
    await client.expect(number === undefined ? END : value(this.#queue, this.#data(number)));
  }

  async #expectCounts(): Promise<void> {
    const { client } = this.#walkers[0] as Walker;
    const figures = await client.stats();
    const figure = (name: string): number => Number(figures.get(`queue_${this.#queue}_${name}`) ?? 0);
    const open = this.#walkers.filter((walker) => walker.open !== null).length;
    const bytes = this.#line.reduce((sum, number) => sum + sizeOf(number), 0);
    assert.deepEqual([figure("items"), figure("bytes"), figure("open_transactions")], [this.#line.length, bytes, open]);
  }

  #note(step: string): void {
    this.#steps.push(step);
    if (this.#steps.length > 25) this.#steps.shift();
  }

  #giveBack({ open }: Walker): void {
    if (open !== null) this.#line = [...this.#line, open].sort((a, b) => a - b);
  }

  #newNumbers(count: number): number[] {
    this.#next += count;
    return Array.from({ length: count }, (_, n) => this.#next - count + n);
  }

  #data(number: number): Buffer {
    return createHash("shake256", { outputLength: sizeOf(number) })
      .update(`${number}`)
      .digest();
  }
}

// Mostly small, now and then more than a page holds.
function sizeOf(number: number): number {
  if (number % 97 === 0) return 300_000;
  return number % 13 === 0 ? 20_000 + number : (number * 7919) % 900;
}
