import { type ItemName, type Ledger, nameIn, payload, type Read } from "./ledger.js";
import type { Random } from "./random.js";
import { Wire } from "./wire.js";

/** What all clients of a run share. */
export interface World {
  readonly ledger: Ledger;
  readonly random: Random;
  readonly queues: readonly string[];
  /** False as soon as the clients are to send no more. */
  isOn: boolean;
  port: number;
}

/** Puts items as fast as it may, so many at a time, until the server is gone. */
export class Producer {
  readonly #world: World;
  readonly #id: number;
  readonly #pipeline: number;
  #counter = 0;

  constructor(world: World, id: number, pipeline: number) {
    this.#world = world;
    this.#id = id;
    this.#pipeline = pipeline;
  }

  async run(): Promise<void> {
    const wire = await Wire.connect(this.#world.port);
    if (wire === null) return;
    for (let i = 0; i < this.#pipeline; i++) this.#put(wire);
    await wire.closed;
  }

  #put(wire: Wire): void {
    const { ledger, random, queues, isOn } = this.#world;
    if (!isOn || wire.isOver) return;
    const name: ItemName = { queue: random.pick(queues), producer: this.#id, counter: this.#counter++ };
    const data = payload(name, sizeOf(random));
    ledger.sending(name, data.length);
    wire.ask([Buffer.from(`set ${name.queue} 0 0 ${data.length}\r\n`), data, CRLF], (answer) => {
      if (answer?.kind === "line" && answer.text === "STORED") ledger.stored(name);
      this.#put(wire);
    });
  }
}

const CRLF = Buffer.from("\r\n");

// Mostly small, now and then larger than a page.
function sizeOf(random: Random): number {
  const dice = random.next();
  if (dice < 0.9) return random.between(20, 600);
  return dice < 0.99 ? random.between(600, 20_000) : random.between(20_000, 200_000);
}

/** How a consumer reads. */
export type Manner = "plain" | "waiting" | "open" | "close-open" | "fickle";
export const MANNERS: readonly Manner[] = ["plain", "waiting", "open", "close-open", "fickle"];

/** Gets items in one manner, from one queue, until the server is gone. A fickle one aborts, or leaves and comes back. */
export class Consumer {
  readonly #world: World;
  readonly #manner: Manner;
  readonly #queue: string;
  #held: Read | null = null;

  constructor(world: World, manner: Manner, queue: string) {
    this.#world = world;
    this.#manner = manner;
    this.#queue = queue;
  }

  async run(): Promise<void> {
    while (this.#world.isOn) {
      const wire = await Wire.connect(this.#world.port);
      if (wire === null) return;
      this.#fetch(wire);
      await wire.closed;
      // Only a fickle one comes back; for the others the connection ends with the server.
      if (this.#manner !== "fickle") return;
    }
  }

  #fetch(wire: Wire): void {
    if (!this.#world.isOn || wire.isOver) return;
    const closing = this.#manner === "close-open" ? this.#held : null;
    closing?.closing();
    wire.ask(`get ${this.#queue}${SUFFIXES[this.#manner]}\r\n`, (answer, atMs) => {
      if (answer === null) return;
      closing?.closed(atMs);
      if (closing !== null) this.#held = null;
      const item = answer.kind === "end" ? answer.items[0] : undefined;
      if (item === undefined) return this.#fetch(wire);
      this.#got(wire, item.data, atMs);
    });
  }

  #got(wire: Wire, data: Buffer, atMs: number): void {
    const isOpen = this.#manner !== "plain" && this.#manner !== "waiting";
    const read = this.#world.ledger.delivered(nameIn(data), data, { atMs, isOpen });
    if (this.#manner === "close-open") this.#held = read;
    if (this.#manner === "open") return this.#end(wire, read, "close");
    if (this.#manner === "fickle") return this.#waver(wire, read);
    this.#fetch(wire);
  }

  #waver(wire: Wire, read: Read): void {
    const dice = this.#world.random.next();
    if (dice < 0.6) return this.#end(wire, read, "close");
    read.returned();
    if (dice < 0.9) return this.#end(wire, read, "abort");
    wire.destroy();
  }

  #end(wire: Wire, read: Read, how: "close" | "abort"): void {
    if (!this.#world.isOn || wire.isOver) return;
    if (how === "close") read.closing();
    wire.ask(`get ${this.#queue}/${how}\r\n`, (answer, atMs) => {
      if (answer !== null && how === "close") read.closed(atMs);
      this.#fetch(wire);
    });
  }
}

const SUFFIXES: Readonly<Record<Manner, string>> = {
  plain: "/t=20",
  waiting: "/t=250",
  open: "/t=100/open",
  "close-open": "/t=100/close/open",
  fickle: "/t=100/open",
};
