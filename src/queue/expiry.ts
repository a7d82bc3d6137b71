import type { QueueSettings } from "../config/settings.js";
import type { Item } from "../item.js";

/** Expired items that are taken from the head in one go; the rest follows, so that a million of them stalls nobody. */
export const EXPIRY_STEP = 256;

/**
 * Whether an item is over: at its client's own time, or when it has been in the queue for `max_age`, whichever is earlier.
 * The queue's present setting counts, so a reload acts on items that wait.
 */
export function isExpired(item: Item, settings: Pick<QueueSettings, "maxAgeMs">, now: number): boolean {
  if (item.expiresAt !== 0 && item.expiresAt <= now) return true;
  return item.addedAt + settings.maxAgeMs <= now;
}
