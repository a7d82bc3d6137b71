import { readUint64, writeUint64 } from "./bytes.js";

/** What an item carries besides its data, where it has a history. */
export interface Metadata {
  /** The queue that it died in, one character a byte. */
  readonly source?: string;
  /** How often open reads had handed it out when it died. */
  readonly attempts?: number;
  /** When it was put first, wall-clock ms. */
  readonly firstAddedAt?: number;
  /** When it became a dead letter, wall-clock ms. */
  readonly diedAt?: number;
  /** How often open reads have handed it out in the queue that it is in; counts for `max_attempts`. */
  readonly handedOut?: number;
}

const SOURCE = 1;
const ATTEMPTS = 2;
const FIRST_ADDED_AT = 3;
const DIED_AT = 4;
const HANDED_OUT = 5;
const KNOWN = [SOURCE, ATTEMPTS, FIRST_ADDED_AT, DIED_AT, HANDED_OUT];

type Tag = readonly [tag: number, value: Buffer];

/** What tagged metadata says, as far as this version knows the tags. */
export function readMetadata(meta: Buffer): Metadata {
  const found: { -readonly [K in keyof Metadata]: Metadata[K] } = {};
  for (const [tag, value] of tagsIn(meta)) {
    if (tag === SOURCE) found.source = value.toString("latin1");
    else if (tag === ATTEMPTS && value.length === 4) found.attempts = value.readUInt32BE(0);
    else if (tag === FIRST_ADDED_AT && value.length === 8) found.firstAddedAt = readUint64(value, 0);
    else if (tag === DIED_AT && value.length === 8) found.diedAt = readUint64(value, 0);
    else if (tag === HANDED_OUT && value.length === 4) found.handedOut = value.readUInt32BE(0);
  }
  return found;
}

/** Tagged metadata that says `changes`, and for the rest what `before` said, tags of later versions among it. */
export function writeMetadata(changes: Metadata, before: Buffer): Buffer {
  const { source, attempts, firstAddedAt, diedAt, handedOut } = { ...readMetadata(before), ...changes };
  const tags: Tag[] = tagsIn(before).filter(([tag]) => !KNOWN.includes(tag));
  if (source !== undefined) tags.push([SOURCE, Buffer.from(source, "latin1")]);
  if (attempts !== undefined) tags.push([ATTEMPTS, uint32(attempts)]);
  if (firstAddedAt !== undefined) tags.push([FIRST_ADDED_AT, uint64(firstAddedAt)]);
  if (diedAt !== undefined) tags.push([DIED_AT, uint64(diedAt)]);
  if (handedOut !== undefined && handedOut > 0) tags.push([HANDED_OUT, uint32(handedOut)]);
  return Buffer.concat(
    tags.flatMap(([tag, value]) => [Buffer.from([tag, value.length >> 8, value.length & 255]), value]),
  );
}

function tagsIn(meta: Buffer): Tag[] {
  const tags: Tag[] = [];
  for (let at = 0; at + 3 <= meta.length; ) {
    const end = at + 3 + meta.readUInt16BE(at + 1);
    tags.push([meta.readUInt8(at), meta.subarray(at + 3, end)]);
    at = end;
  }
  return tags;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  writeUint64(bytes, value, 0);
  return bytes;
}
