import {
  type KeyRange,
  type OpenStore,
  openLevelStore,
  type Store,
  type StoreBatch,
  type StoreEntry,
} from "../../src/journal/store.js";

/** A batch as it was handed to the store. */
export interface SeenBatch {
  /** Which opening of the store it went to: 1 is the first. */
  readonly handle: number;
  readonly sync: boolean;
  /** In order; without a value it is a deletion. */
  readonly operations: readonly [key: Buffer, value: Buffer | null][];
}

/** The keys that a batch puts, those of one kind (`p`, `o`, `s` …) or all. */
export function keysPut(batch: SeenBatch, kind = ""): Buffer[] {
  return keysOf(batch, kind, (value) => value !== null);
}

/** The keys that a batch deletes, those of one kind or all. */
export function keysDeleted(batch: SeenBatch, kind = ""): Buffer[] {
  return keysOf(batch, kind, (value) => value === null);
}

function keysOf({ operations }: SeenBatch, kind: string, filter: (value: Buffer | null) => boolean): Buffer[] {
  const keys = operations.filter(([, value]) => filter(value)).map(([key]) => key);
  return keys.filter((key) => key.toString("latin1").startsWith(kind));
}

/** A write that is held up. */
export interface Hold {
  /** Fulfilled when a batch has come to the held store. */
  readonly reached: Promise<void>;
  /** Lets it go on. */
  release(): void;
}

/** What becomes of a batch that fails: `lost`, nothing of it is in the store; `landed`, all of it is, and nobody was told. */
export type Failure = "lost" | "landed";

/**
 * The real store with faults, on command. Its `open` goes in the place of `openLevelStore`; the faults are those of a disk:
 * they outlive the handle.
 */
export class FaultyDisk {
  readonly batches: SeenBatch[] = [];
  /** How often the store was opened. */
  opened = 0;
  #ended = 0;
  #watchers: { readonly at: number; readonly resolve: () => void }[] = [];
  #failNext: Failure | null = null;
  #isFull = false;
  #readFaults = 0;
  #openFaults = 0;
  #held: { readonly reach: () => void; readonly gate: Promise<void> } | null = null;

  readonly open: OpenStore = async (directory) => {
    if (this.#openFaults > 0) {
      this.#openFaults--;
      throw diskError("cannot open");
    }
    const store = await openLevelStore(directory);
    return new FaultyStore(this, store, ++this.opened);
  };

  /** Fails one write; null takes that back. */
  failNextWrite(failure: Failure | null = "lost"): void {
    this.#failNext = failure;
  }

  /** Fails every write until `free`. */
  fill(): void {
    this.#isFull = true;
  }

  /** There is room again. */
  free(): void {
    this.#isFull = false;
  }

  /** Fails so many reads: iterators and single values. */
  failReads(count: number): void {
    this.#readFaults = count;
  }

  /** Fails so many openings. */
  failOpenings(count: number): void {
    this.#openFaults = count;
  }

  /** Holds up the next write, so that a batch is in flight for as long as the test likes. */
  hold(): Hold {
    let reach = (): void => {};
    let release = (): void => {};
    const reached = new Promise<void>((resolve) => {
      reach = resolve;
    });
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#held = { reach, gate };
    return { reached, release };
  }

  /** Batches that are being written. */
  get inFlight(): number {
    return this.batches.length - this.#ended;
  }

  /** Fulfilled when the `count`th write from now on has ended, well or badly, and whoever waited for it knows. */
  ended(count: number): Promise<void> {
    return new Promise((resolve) => this.#watchers.push({ at: this.#ended + count, resolve }));
  }

  /** For the stores: one write. */
  async write(seen: SeenBatch, write: () => Promise<void>): Promise<void> {
    this.batches.push(seen);
    const held = this.#held;
    this.#held = null;
    held?.reach();
    await held?.gate;
    const failure = this.#isFull ? "lost" : this.#failNext;
    this.#failNext = null;
    try {
      if (failure !== "lost") await write();
      if (failure !== null) throw diskError("no space left on device");
    } finally {
      this.#writeEnded();
    }
  }

  #writeEnded(): void {
    this.#ended++;
    const due = this.#watchers.filter(({ at }) => at <= this.#ended);
    this.#watchers = this.#watchers.filter((watcher) => !due.includes(watcher));
    for (const { resolve } of due) setImmediate(resolve);
  }

  /** For the stores: one read. */
  read(): void {
    if (this.#readFaults === 0) return;
    this.#readFaults--;
    throw diskError("input/output error");
  }
}

function diskError(message: string): Error {
  return Object.assign(new Error(`IO error: ${message}`), { code: "LEVEL_IO_ERROR" });
}

class FaultyStore implements Store {
  readonly #disk: FaultyDisk;
  readonly #store: Store;
  readonly #handle: number;

  constructor(disk: FaultyDisk, store: Store, handle: number) {
    this.#disk = disk;
    this.#store = store;
    this.#handle = handle;
  }

  batch(): StoreBatch {
    // The real one throws at once when it is closed, so it is asked right away.
    const batch = this.#store.batch();
    const operations: [Buffer, Buffer | null][] = [];
    return {
      put: (key, value) => {
        batch.put(key, value);
        // The journal uses the memory of a record again.
        operations.push([key, Buffer.from(value)]);
      },
      del: (key) => {
        batch.del(key);
        operations.push([key, null]);
      },
      write: (sync) => this.#disk.write({ handle: this.#handle, sync, operations }, () => batch.write(sync)),
    };
  }

  async get(key: Buffer): Promise<Buffer | undefined> {
    this.#disk.read();
    return this.#store.get(key);
  }

  async entries(range: KeyRange, maxBytes: number): Promise<StoreEntry[]> {
    this.#disk.read();
    return this.#store.entries(range, maxBytes);
  }

  async lastKeys(range: KeyRange, limit: number): Promise<Buffer[]> {
    this.#disk.read();
    return this.#store.lastKeys(range, limit);
  }

  async keys(range: KeyRange, limit: number): Promise<Buffer[]> {
    this.#disk.read();
    return this.#store.keys(range, limit);
  }

  compact(range: KeyRange): Promise<void> {
    return this.#store.compact(range);
  }

  tableBytes(range: KeyRange): Promise<number> {
    return this.#store.tableBytes(range);
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}
