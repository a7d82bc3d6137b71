import type { QueueSettings } from "../config/settings.js";

/** Why a queue does not take an item, or null: first the item's own size, then whether there is room. */
export function putRefusal(settings: QueueSettings, itemBytes: number, queue: QueueSize): "too-large" | "full" | null {
  if (itemBytes > settings.maxItemBytes) return "too-large";
  if (isFull(settings, queue) && !settings.discardOldWhenFull) return "full";
  return queue.journalBytes >= settings.maxJournalBytes ? "full" : null;
}

/** What counts for a queue's limits: items that wait or are delayed, not those that are open. */
export interface QueueSize {
  readonly items: number;
  readonly bytes: number;
  /** Bytes on the disk. */
  readonly journalBytes: number;
}

/** Whether a queue takes no more items. */
export function isFull(settings: QueueSettings, queue: QueueSize): boolean {
  // What is there before the put counts, so the last item may go over.
  return queue.items >= settings.maxItems || queue.bytes >= settings.maxBytes;
}
