import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type KeyKind, kindRange } from "../../src/journal/keys.js";
import { openLevelStore, type Store, type StoreEntry } from "../../src/journal/store.js";

/** Opens the store of a journal that nobody else has open, lets `work` do what it likes with it, and closes it. */
export async function withStore<T>(directory: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openLevelStore(directory);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** All records of a kind, in order. */
export function recordsOf(store: Store, kind: KeyKind): Promise<StoreEntry[]> {
  return store.entries(kindRange(kind), 1_000_000_000);
}

/** Writes records; without a value they are deleted. */
export async function writeRecords(store: Store, records: readonly [Buffer, Buffer | null][]): Promise<void> {
  const batch = store.batch();
  for (const [key, value] of records) {
    if (value === null) batch.del(key);
    else batch.put(key, value);
  }
  await batch.write(true);
}

/** A copy with one bit turned, in the middle unless `at` says where. */
export function withBitTurned(record: Buffer, at: number = record.length >> 1): Buffer {
  const damaged = Buffer.from(record);
  damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
  return damaged;
}

/** Brings all of a journal into tables, and then makes the blocks in which `markers` stand unreadable for LevelDB itself. */
export async function smashBlocks(directory: string, markers: readonly string[]): Promise<void> {
  await withStore(directory, (store) => store.compact({ from: Buffer.from("a"), to: Buffer.from("z") }));
  const names = (await readdir(directory)).filter((name) => name.endsWith(".ldb"));
  const found = new Set<string>();
  for (const name of names) {
    const path = join(directory, name);
    const table = await readFile(path);
    for (const marker of markers) {
      const at = table.indexOf(marker);
      if (at < 0) continue;
      found.add(marker);
      // The head of the block's first record is what LevelDB stumbles over.
      const key = table.lastIndexOf("p|", at);
      table.fill(0xff, key - 3, key);
    }
    await writeFile(path, table);
  }
  if (found.size < markers.length) throw new Error(`only ${[...found].join()} of ${markers.join()} in the tables`);
}
