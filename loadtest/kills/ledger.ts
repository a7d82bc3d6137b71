/** Faults that are described; the others are only counted. */
const SHOWN_FAULTS = 20;

/** One time that a client read an item whole. */
interface Delivery {
  readonly atMs: number;
  readonly isOpen: boolean;
  /** An open read: still with its client, given back, or closed. */
  state: "held" | "returned" | "closed";
  /** When the close was answered; 0 as long as it is not. */
  closedAtMs: number;
}

interface Entry {
  readonly size: number;
  /** `unknown`: its set was refused or never answered, so it may be there or not. */
  state: "unknown" | "stored";
  readonly deliveries: Delivery[];
}

/** What an item is known by: who put it where, and as which of its items. */
export interface ItemName {
  readonly queue: string;
  readonly producer: number;
  readonly counter: number;
}

/** What the ledger found. */
export interface Verdict {
  readonly stored: number;
  readonly delivered: number;
  readonly duplicates_allowed: number;
  readonly duplicates_wrong: number;
  readonly lost: number;
  readonly order_faults: number;
  readonly count_faults: number;
  readonly foreign: number;
}

/**
 * What was put, what came, and what of it may not be: every stored item comes, in the order of its producer, and a second
 * time only where a kill explains it.
 */
export class Ledger {
  /** An item whose answer was read less than this before a kill may come once more. */
  readonly #freshMs: number;
  readonly #entries = new Map<string, Entry>();
  readonly #kills: number[] = [];
  #isDown = false;
  readonly faults: string[] = [];
  #allowed = 0;
  #wrong = 0;
  #orderFaults = 0;
  #countFaults = 0;
  #foreign = 0;
  #lost = 0;

  constructor(freshMs: number) {
    this.#freshMs = freshMs;
  }

  /** A producer is about to send it. */
  sending(name: ItemName, size: number): void {
    this.#entries.set(keyOf(name), { size, state: "unknown", deliveries: [] });
  }

  /** The server answered STORED. */
  stored(name: ItemName): void {
    const entry = this.#entries.get(keyOf(name));
    if (entry !== undefined) entry.state = "stored";
  }

  /** The server is about to be killed: what clients hold open returns. */
  killed(atMs: number): void {
    this.#kills.push(atMs);
    this.#isDown = true;
    for (const { deliveries } of this.#entries.values()) {
      for (const delivery of deliveries) if (delivery.state === "held") delivery.state = "returned";
    }
  }

  /** The server serves again. */
  restarted(): void {
    this.#isDown = false;
  }

  /** A client read it, perhaps only after the kill. Answers what to tell when the read is closed or given back. */
  delivered(name: ItemName, data: Buffer, how: { readonly atMs: number; readonly isOpen: boolean }): Read {
    const entry = this.#entries.get(keyOf(name));
    const whileOpen = this.#isDown ? "returned" : "held";
    const delivery: Delivery = {
      ...how,
      state: how.isOpen ? whileOpen : "closed",
      closedAtMs: how.isOpen ? 0 : how.atMs,
    };
    if (entry === undefined || !data.equals(payload(name, entry.size))) {
      this.#foreign++;
      this.#fault(`${keyOf(name)} is not what was put: ${data.toString("latin1", 0, 40)}`);
    } else {
      const before = entry.deliveries.at(-1);
      if (before !== undefined) this.#judge(name, before, how.atMs);
      entry.deliveries.push(delivery);
    }
    return {
      closing: () => {
        if (delivery.state === "held") delivery.state = "closed";
      },
      closed: (atMs) => {
        delivery.closedAtMs = atMs;
      },
      returned: () => {
        if (delivery.state === "held") delivery.state = "returned";
      },
    };
  }

  /** One client alone emptied a queue: what it got, in order. */
  drained(queue: string, names: readonly ItemName[], counted: number): void {
    const last = new Map<number, number>();
    for (const { producer, counter } of names) {
      const before = last.get(producer) ?? -1;
      if (counter <= before) {
        this.#orderFaults++;
        this.#fault(`${queue}: item ${counter} of producer ${producer} came after its item ${before}`);
      }
      last.set(producer, counter);
    }
    if (counted === names.length) return;
    this.#countFaults++;
    this.#fault(`${queue}: the statistics said ${counted} items, ${names.length} came`);
  }

  /** Everything was drained: what was stored and is not done is lost. */
  close(): Verdict {
    let stored = 0;
    let delivered = 0;
    for (const [key, { state, deliveries }] of this.#entries) {
      if (state === "stored") stored++;
      if (deliveries.length > 0) delivered++;
      // A read that was given back must have come again.
      const isDone = deliveries.some((delivery) => delivery.state === "closed");
      if (isDone || (state === "unknown" && deliveries.length === 0)) continue;
      this.#lost++;
      this.#fault(`${key} is lost (${state}, delivered ${deliveries.length} times)`);
    }
    return {
      stored,
      delivered,
      duplicates_allowed: this.#allowed,
      duplicates_wrong: this.#wrong,
      lost: this.#lost,
      order_faults: this.#orderFaults,
      count_faults: this.#countFaults,
      foreign: this.#foreign,
    };
  }

  #judge(name: ItemName, before: Delivery, atMs: number): void {
    if (this.#mayComeAgain(before, atMs)) {
      this.#allowed++;
      return;
    }
    this.#wrong++;
    const how = before.isOpen ? "an open read" : "a plain get";
    const since = this.#kills.filter((kill) => kill >= before.atMs).map((kill) => Math.round(kill - before.closedAtMs));
    this.#fault(
      `${keyOf(name)} came again after ${how} (${before.state}); kills after its answer, ms: ${since.join()}`,
    );
  }

  #mayComeAgain(before: Delivery, atMs: number): boolean {
    if (before.state === "returned") return true;
    if (before.state === "held") return false;
    if (before.isOpen && before.closedAtMs === 0)
      return this.#kills.some((kill) => kill >= before.atMs && kill <= atMs);
    return this.#kills.some(
      (kill) => kill <= atMs && before.closedAtMs > kill - this.#freshMs && kill >= before.atMs - this.#freshMs,
    );
  }

  #fault(what: string): void {
    if (this.faults.length < SHOWN_FAULTS) this.faults.push(what);
  }
}

/** What becomes of a delivery. */
export interface Read {
  /** The close was sent: whether it arrives is not known until it is answered. */
  closing(): void;
  closed(atMs: number): void;
  /** The client aborted it or went away. */
  returned(): void;
}

/** The bytes of an item: its name and a filling that only it has. */
export function payload({ queue, producer, counter }: ItemName, size: number): Buffer {
  const head = `${queue}:${producer}:${counter}:`;
  const data = Buffer.alloc(Math.max(size, head.length), 97 + (counter % 26));
  data.write(head, "latin1");
  return data;
}

/** The name in an item's bytes. */
export function nameIn(data: Buffer): ItemName {
  const [queue = "", producer, counter] = data.toString("latin1", 0, 60).split(":");
  return { queue, producer: Number(producer), counter: Number(counter) };
}

function keyOf({ queue, producer, counter }: ItemName): string {
  return `${queue}:${producer}:${counter}`;
}
