import { crc32 } from "node:zlib";
import { readUint64, writeUint64 } from "./bytes.js";
import { JournalItem, NO_BYTES } from "./journal-item.js";
import { readMetadata } from "./metadata.js";

/*
 * A page, the value of a `p|` record. All numbers are big-endian.
 *
 *    0  version 1          8  number of items      16  ordinal of the first item
 *    4  CRC-32 from 8 on  12  zero                 24  first sequence of the page before, 0 if none
 *   32  the items, each:
 *        0  bytes of data       8  flags           20  added at, ms
 *        4  bytes of metadata  12  sequence        28  client's own expiry, ms, 0 never
 *       36  data, then metadata: (tag 1, length 2, bytes) one after the other; unknown tags are kept
 */
export const PAGE_VERSION = 1;
export const PAGE_HEADER_BYTES = 32;
export const ITEM_HEADER_BYTES = 36;
/** A page is cut before it grows beyond this; a larger item is a page of its own. */
export const MAX_PAGE_BYTES = 128 * 1024;

/**
 * Items that were put together and are, or will be, one record in the store.
 *
 * `fresh` takes items; `sealed` is on its way to the store; `written` is in it; `dropped` will never be, or is no more.
 */
export class Page {
  state: "fresh" | "sealed" | "written" | "dropped" = "fresh";
  readonly items: JournalItem[] = [];
  /** Items that are not gone yet. A written page without any is deleted. */
  live = 0;
  /** Sequence number of its first item on disk, which is its key. */
  first = 0;
  /** Sequence number of its last item on disk. */
  last = 0;
  /** Items in its record on disk. */
  total = 0;
  /** Size of its record on disk; of a fresh page, what it would be with all its items. */
  bytes = PAGE_HEADER_BYTES;

  /** Whether an item of `dataBytes` still belongs into this page. A large item is a page of its own. */
  hasRoomFor(dataBytes: number): boolean {
    return this.items.length === 0 || this.bytes + ITEM_HEADER_BYTES + dataBytes <= MAX_PAGE_BYTES;
  }

  add(item: JournalItem): void {
    this.items.push(item);
    this.live++;
    this.bytes += itemBytes(item);
  }

  /**
   * The page's record with the items that are not gone, or null if none is left. `items` is cut down to them, and the page
   * takes no more. The record may lie in memory that the next `seal` uses again.
   */
  seal(ordinal: number, previous: number): Buffer | null {
    const { items } = this;
    if (this.live < items.length) this.#forgetGone();
    if (items.length === 0) {
      this.state = "dropped";
      return null;
    }
    const record = this.bytes <= SCRATCH.length ? SCRATCH.subarray(0, this.bytes) : Buffer.allocUnsafeSlow(this.bytes);
    let at = PAGE_HEADER_BYTES;
    for (const item of items) at = writeItem(record, at, item);
    writePageHeader(record, items.length, ordinal, previous);
    this.state = "sealed";
    this.first = items[0]?.seq ?? 0;
    this.last = items.at(-1)?.seq ?? 0;
    this.total = items.length;
    return record;
  }

  #forgetGone(): void {
    const kept = this.items.filter((item) => item.place !== "gone");
    this.items.length = 0;
    this.items.push(...kept);
    this.bytes = kept.reduce((bytes, item) => bytes + itemBytes(item), PAGE_HEADER_BYTES);
  }
}

/** Where records are put together: a batch copies what it is given. */
const SCRATCH = Buffer.allocUnsafeSlow(MAX_PAGE_BYTES);

/** What a page's record says. */
export interface PageContents {
  readonly ordinal: number;
  readonly previous: number;
  readonly items: readonly JournalItem[];
}

/** Reads a page's record; the items are slices of it. Null for a damaged one. */
export function readPage(record: Buffer, page: Page | null): PageContents | null {
  if (record.length < PAGE_HEADER_BYTES || record[0] !== PAGE_VERSION) return null;
  if (crc32(record.subarray(8)) !== record.readUInt32BE(4)) return null;
  const count = record.readUInt32BE(8);
  const items: JournalItem[] = [];
  let at = PAGE_HEADER_BYTES;
  for (let i = 0; i < count; i++) {
    const item = readItem(record, at, page);
    items.push(item);
    at += itemBytes(item);
  }
  return { ordinal: readUint64(record, 16), previous: readUint64(record, 24), items };
}

/** Bytes that an item takes in a page or in an out-of-line record. */
export function itemBytes(item: JournalItem): number {
  return ITEM_HEADER_BYTES + item.data.length + item.meta.length;
}

/** Writes an item at `at`; answers where the next one goes. */
export function writeItem(target: Buffer, at: number, item: JournalItem): number {
  target.writeUInt32BE(item.data.length, at);
  target.writeUInt32BE(item.meta.length, at + 4);
  target.writeUInt32BE(item.flags, at + 8);
  writeUint64(target, item.seq, at + 12);
  writeUint64(target, item.addedAt, at + 20);
  const data = writeUint64(target, item.expiresAt, at + 28);
  const meta = data + item.data.copy(target, data);
  return item.meta.length === 0 ? meta : meta + item.meta.copy(target, meta);
}

/** Reads an item at `at` as a slice of `source`. */
export function readItem(source: Buffer, at: number, page: Page | null): JournalItem {
  const data = at + ITEM_HEADER_BYTES;
  const dataEnd = data + source.readUInt32BE(at);
  const end = dataEnd + source.readUInt32BE(at + 4);
  const meta = end === dataEnd ? NO_BYTES : source.subarray(dataEnd, end);
  const item = new JournalItem(
    readUint64(source, at + 12),
    source.subarray(data, dataEnd),
    source.readUInt32BE(at + 8),
    readUint64(source, at + 20),
    readUint64(source, at + 28),
    meta,
    page,
  );
  if (meta.length > 0) item.attempts = readMetadata(meta).handedOut ?? 0;
  return item;
}

function writePageHeader(record: Buffer, count: number, ordinal: number, previous: number): void {
  record.fill(0, 0, PAGE_HEADER_BYTES);
  record[0] = PAGE_VERSION;
  record.writeUInt32BE(count, 8);
  writeUint64(record, ordinal, 16);
  writeUint64(record, previous, 24);
  record.writeUInt32BE(crc32(record.subarray(8)), 4);
}
