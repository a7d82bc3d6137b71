import type { QueueSettings } from "../config/settings.js";

/** Why a queue does not take an item, or null: first the item's own size, then whether there is room. */
export function putRefusal(
  settings: QueueSettings,
  itemBytes: number,
  queue: { readonly items: number; readonly bytes: number },
): "too-large" | "full" | null {
  if (itemBytes > settings.maxItemBytes) return "too-large";
  // What is there before the put counts, so the last item may go over.
  if (queue.items >= settings.maxItems || queue.bytes >= settings.maxBytes) return "full";
  return null;
}
