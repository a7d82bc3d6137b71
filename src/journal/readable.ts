import { isDamage, type KeyRange, type Store, type StoreEntry } from "./store.js";

/*
 * Reading around damage: what LevelDB itself cannot read must not keep the rest from being read. Its iterators pass over a
 * damaged block and report it at the end of the range; then the range is read key by key, as far as that goes.
 */

/** Stands for the value of a record that cannot be read; no record is that short. */
export const UNREADABLE = Buffer.alloc(0);

/** Entries of a range in order, at least one if one can be read, until about `maxBytes` of values have been read. */
export async function readableEntries(store: Store, range: KeyRange, maxBytes: number): Promise<StoreEntry[]> {
  try {
    return await store.entries(range, maxBytes);
  } catch (error) {
    if (!isDamage(error)) throw error;
    const key = await firstReadableKey(store, range);
    return key === undefined ? [] : [[key, await readableValue(store, key)]];
  }
}

/** The first key of a range that can be read. */
export async function firstReadableKey(store: Store, range: KeyRange): Promise<Buffer | undefined> {
  const [key] = await store.keys(range, 1).catch(noneOfDamage);
  return key;
}

/** The last key of a range that can be read. */
export async function lastReadableKey(store: Store, range: KeyRange): Promise<Buffer | undefined> {
  const [key] = await store.lastKeys(range, 1).catch(noneOfDamage);
  return key;
}

/** A record's value; `UNREADABLE` for one that is damaged or missing. */
export async function readableValue(store: Store, key: Buffer): Promise<Buffer> {
  try {
    return (await store.get(key)) ?? UNREADABLE;
  } catch (error) {
    if (isDamage(error)) return UNREADABLE;
    throw error;
  }
}

function noneOfDamage(error: unknown): Buffer[] {
  if (isDamage(error)) return [];
  throw error;
}
