import { Level } from "level";
import { describeError, WindhoverError } from "../errors.js";

/** One write: all of it or nothing. */
export interface StoreBatch {
  /** Copies what it is given. */
  put(key: Buffer, value: Buffer): void;
  del(key: Buffer): void;
  /** Writes it; with `sync` it is on the disk, not only with the system, when the promise is fulfilled. */
  write(sync: boolean): Promise<void>;
}

/** Keys from `from` up to but not including `to`. */
export interface KeyRange {
  readonly from: Buffer;
  readonly to: Buffer;
}

export type StoreEntry = [key: Buffer, value: Buffer];

/**
 * The one door to LevelDB: what the journal uses of it, typed. (`level`'s own types lack some of it, and hide that `get`
 * may find nothing.)
 */
export interface Store {
  batch(): StoreBatch;
  get(key: Buffer): Promise<Buffer | undefined>;
  /** Entries of a range in order, at least one if there is one, until about `maxBytes` of values have been read. */
  entries(range: KeyRange, maxBytes: number): Promise<StoreEntry[]>;
  /** Up to `limit` keys of a range, in order. */
  keys(range: KeyRange, limit: number): Promise<Buffer[]>;
  /** Up to `limit` keys of a range from its end, the last one first. */
  lastKeys(range: KeyRange, limit: number): Promise<Buffer[]>;
  /** Rewrites the tables that hold a range, so that what was deleted in it frees its space. It reports no error. */
  compact(range: KeyRange): Promise<void>;
  /** About how many bytes of tables a range takes on the disk. */
  tableBytes(range: KeyRange): Promise<number>;
  close(): Promise<void>;
}

/** Opens the store in a directory; the tests put one with faults in its place. */
export type OpenStore = (directory: string) => Promise<Store>;

// What classic-level offers and level's types do not say.
interface LevelBatch {
  put(key: Buffer, value: Buffer): LevelBatch;
  del(key: Buffer): LevelBatch;
  write(options: { readonly sync: boolean }): Promise<void>;
}

interface LevelIterator<T> {
  nextv(size: number): Promise<T[]>;
  close(): Promise<void>;
}

interface LevelRangeOptions {
  readonly gte: Buffer;
  readonly lt: Buffer;
  readonly limit?: number;
  readonly reverse?: boolean;
  readonly fillCache?: boolean;
  readonly highWaterMarkBytes?: number;
}

interface LevelDoor {
  open(options: Readonly<Record<string, unknown>>): Promise<void>;
  close(): Promise<void>;
  get(key: Buffer): Promise<Buffer | undefined>;
  batch(): LevelBatch;
  iterator(options: LevelRangeOptions): LevelIterator<StoreEntry>;
  keys(options: LevelRangeOptions): LevelIterator<Buffer>;
  compactRange(from: Buffer, to: Buffer): Promise<void>;
  approximateSize(from: Buffer, to: Buffer): Promise<number>;
}

/**
 * How much LevelDB collects before it writes a table. With half of it puts stall for up to 350 ms while tables are written,
 * with twice as much nothing is gained but memory used. (Compression, which is on, made no difference that shows.)
 */
const WRITE_BUFFER_BYTES = 16 * 1024 * 1024;
/** A page is read once, so a cache of blocks would only hold what will not be asked for again. */
const CACHE_BYTES = 1024 * 1024;
/** Entries asked for in one trip; the high-water mark in bytes is what really ends it. */
const TRIP_ENTRIES = 1000;

class LevelStore implements Store {
  readonly #level: LevelDoor;

  constructor(level: LevelDoor) {
    this.#level = level;
  }

  batch(): StoreBatch {
    // Made when the first operation comes: one that is never written would stay open.
    let chained: LevelBatch | null = null;
    const open = (): LevelBatch => (chained ??= this.#level.batch());
    return {
      put: (key, value) => void open().put(key, value),
      del: (key) => void open().del(key),
      write: (sync) => open().write({ sync }),
    };
  }

  get(key: Buffer): Promise<Buffer | undefined> {
    return this.#level.get(key);
  }

  async entries(range: KeyRange, maxBytes: number): Promise<StoreEntry[]> {
    const options = { gte: range.from, lt: range.to, fillCache: false, highWaterMarkBytes: maxBytes };
    const iterator = this.#level.iterator(options);
    try {
      return await iterator.nextv(TRIP_ENTRIES);
    } finally {
      await iterator.close();
    }
  }

  keys(range: KeyRange, limit: number): Promise<Buffer[]> {
    return this.#keys({ gte: range.from, lt: range.to, limit, fillCache: false });
  }

  lastKeys(range: KeyRange, limit: number): Promise<Buffer[]> {
    return this.#keys({ gte: range.from, lt: range.to, limit, reverse: true, fillCache: false });
  }

  async #keys(options: LevelRangeOptions & { readonly limit: number }): Promise<Buffer[]> {
    const iterator = this.#level.keys(options);
    try {
      return await iterator.nextv(options.limit);
    } finally {
      await iterator.close();
    }
  }

  compact(range: KeyRange): Promise<void> {
    return this.#level.compactRange(range.from, range.to);
  }

  tableBytes(range: KeyRange): Promise<number> {
    return this.#level.approximateSize(range.from, range.to);
  }

  close(): Promise<void> {
    return this.#level.close();
  }
}

/** Opens LevelDB in `directory`, which is made if it does not exist. Errors: WH_JOURNAL_LOCKED, WH_JOURNAL_UNREADABLE. */
export const openLevelStore: OpenStore = async (directory) => {
  const level = new Level<Buffer, Buffer>(directory, { keyEncoding: "buffer", valueEncoding: "buffer" });
  const door = level as unknown as LevelDoor;
  try {
    await door.open({ writeBufferSize: WRITE_BUFFER_BYTES, cacheSize: CACHE_BYTES });
  } catch (error) {
    throw openFailure(directory, error);
  }
  return new LevelStore(door);
};

/** Whether the store found its own data to be damaged. Trying again will find the same. */
export function isDamage(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "LEVEL_CORRUPTION";
}

// A held lock and a damaged store surface as the same error; its cause tells which.
function openFailure(directory: string, error: unknown): WindhoverError {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "LEVEL_LOCKED") {
    const message = `the journal is locked by another process: ${directory}/LOCK`;
    return new WindhoverError("WH_JOURNAL_LOCKED", message, { cause });
  }
  const message = `the journal in ${directory} cannot be opened: ${describeError(cause)}`;
  return new WindhoverError("WH_JOURNAL_UNREADABLE", message);
}
