import type { Item } from "../item.js";
import type { Page } from "./page.js";

/**
 * Where an item stands. In line at its sequence number; `open`, set aside for a client; `back`, returned to the head;
 * `delayed`, until it is due; `gone`, confirmed, taken, flushed or withdrawn. Only `gone` is final.
 */
export type Place = "line" | "open" | "back" | "delayed" | "gone";

export const NO_BYTES = Buffer.alloc(0);

/** An item with what the journal must know of it to write as little as possible about it. */
export class JournalItem implements Item {
  attempts = 0;
  place: Place = "line";
  /** When a delayed item is due, wall-clock ms. */
  dueAt = 0;
  /** The page that holds its bytes; null when it has a buffer of its own. */
  page: Page | null;
  /** The store may hold an out-of-line record of it. */
  recorded = false;
  /** The queue holds it in memory; false while it lies behind. */
  resident = true;
  /** Its batch failed while a client had it open: it exists only with that client. */
  detached = false;
  /** Answers its put: without an error when it is in the journal or was delivered. */
  settle: ((error: Error | null) => void) | null = null;

  constructor(
    readonly seq: number,
    public data: Buffer,
    readonly flags: number,
    readonly addedAt: number,
    readonly expiresAt: number,
    /** Tagged metadata, kept as it was found. */
    public meta: Buffer,
    page: Page | null,
  ) {
    this.page = page;
  }
}
