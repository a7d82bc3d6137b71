/**
 * An item: what a producer put and a consumer gets. The noun that every layer shares.
 *
 * One object lives from the put until the last confirm; `data` is never copied on the way, it is a slice of the page
 * that the journal will write or has read.
 */
export interface Item {
  /** Sequence number in its queue, given by the journal; never used again, not after a crash either. */
  readonly seq: number;
  /** The bytes as the client sent them. */
  data: Buffer;
  /** The client's 32-bit flags, stored always, shown when `keep_flags` says so. */
  readonly flags: number;
  /** Wall-clock milliseconds of the put. */
  readonly addedAt: number;
  /** Wall-clock milliseconds at which the client wants it to end; 0 never. */
  readonly expiresAt: number;
  /** Tagged metadata of an item with a history (it failed, it died elsewhere); empty for most. */
  readonly meta: Buffer;
  /** How often it was handed out by an open read so far. */
  attempts: number;
}

/** What a put brings: an item that has no place in a queue yet. */
export interface NewItem {
  readonly data: Buffer;
  readonly flags: number;
  readonly addedAt: number;
  readonly expiresAt: number;
  readonly meta?: Buffer;
}
