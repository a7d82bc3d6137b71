import type { Item, NewItem } from "../item.js";
import { readMetadata, writeMetadata } from "../journal/metadata.js";

/** The dead letter that an item becomes: its history goes with it, its expiry and its count of attempts end. */
export function deadLetter(item: Item, source: string, now: number): NewItem {
  const { data, flags, addedAt, attempts } = item;
  const firstAddedAt = readMetadata(item.meta).firstAddedAt ?? addedAt;
  const meta = writeMetadata({ source, attempts, firstAddedAt, diedAt: now, handedOut: 0 }, item.meta);
  return { data, flags, addedAt: now, expiresAt: 0, meta };
}

/** What an expired item becomes in the queue that it moves to: put now, without an expiry. */
export function movedItem(item: Item, now: number): NewItem {
  const { data, flags } = item;
  const meta = item.meta.length === 0 ? item.meta : writeMetadata({ handedOut: 0 }, item.meta);
  return { data, flags, addedAt: now, expiresAt: 0, meta };
}
