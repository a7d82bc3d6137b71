import { crc32 } from "node:zlib";
import { readUint64, writeUint64 } from "./bytes.js";
import type { JournalItem } from "./journal-item.js";
import { itemBytes, readItem, writeItem } from "./page.js";

/*
 * The small records of format 1. Numbers are big-endian; a record may be longer than what is named here: what follows is
 * for later versions and is ignored.
 */

/** The format that this version writes. */
export const FORMAT = 1;

/** `m|format`: 0 format (4), 4 oldest format whose reader may open it (4), 8 boots (8), 16 next queue id (4). */
export interface FormatRecord {
  readonly format: number;
  readonly oldestReader: number;
  /** How often a server has opened the journal. */
  readonly boots: number;
  readonly nextQueueId: number;
}

export function writeFormat(record: FormatRecord): Buffer {
  const value = Buffer.alloc(20);
  value.writeUInt32BE(record.format, 0);
  value.writeUInt32BE(record.oldestReader, 4);
  writeUint64(value, record.boots, 8);
  value.writeUInt32BE(record.nextQueueId, 16);
  return value;
}

/** Null for what is no format record. */
export function readFormat(value: Buffer): FormatRecord | null {
  if (value.length < 20) return null;
  return {
    format: value.readUInt32BE(0),
    oldestReader: value.readUInt32BE(4),
    boots: readUint64(value, 8),
    nextQueueId: value.readUInt32BE(16),
  };
}

/** `q|name`: 0 version 1, 1 kind (1 a queue), 2 zero, 4 queue id (4), 8 created at, ms (8). */
export interface QueueRecord {
  readonly id: number;
  readonly createdAt: number;
}

export function writeQueue(record: QueueRecord): Buffer {
  const value = Buffer.alloc(16);
  value[0] = 1;
  value[1] = 1;
  value.writeUInt32BE(record.id, 4);
  writeUint64(value, record.createdAt, 8);
  return value;
}

/** Null for a damaged one. */
export function readQueue(value: Buffer): QueueRecord | null {
  if (value.length < 16 || value[0] !== 1) return null;
  return { id: value.readUInt32BE(4), createdAt: readUint64(value, 8) };
}

/**
 * `s|queue id`: 0 version 1, 4 CRC-32 from 8 on, then from 8 on, 8 bytes each, the fields in the order in which they stand
 * here.
 */
export interface StateRecord {
  /** Nothing in line has a lower sequence number. */
  readonly head: number;
  /** The sequence number of the next put. */
  readonly next: number;
  /** Nothing out of line has a lower sequence number; `next` if nothing is. */
  readonly lowestOut: number;
  /** Items in line. */
  readonly waiting: number;
  readonly waitingBytes: number;
  /** Out of line: delayed, open (given back ones included). */
  readonly delayed: number;
  readonly out: number;
  /** Items that were ever written into pages. */
  readonly nextOrdinal: number;
  /** First sequence number of the last page that was written. */
  readonly lastPage: number;
  /** Bytes of the pages that are there. */
  readonly pageBytes: number;
  /** When the first item in line was put, ms; 0 if there is none. */
  readonly headAddedAt: number;
}

const STATE_FIELDS = [
  "head",
  "next",
  "lowestOut",
  "waiting",
  "waitingBytes",
  "delayed",
  "out",
  "nextOrdinal",
  "lastPage",
  "pageBytes",
  "headAddedAt",
] as const;

export function writeState(record: StateRecord): Buffer {
  const value = Buffer.alloc(8 + 8 * STATE_FIELDS.length);
  value[0] = 1;
  let at = 8;
  for (const field of STATE_FIELDS) at = writeUint64(value, record[field], at);
  value.writeUInt32BE(crc32(value.subarray(8)), 4);
  return value;
}

/** Null for a damaged one. */
export function readState(value: Buffer): StateRecord | null {
  if (value.length < 8 + 8 * STATE_FIELDS.length || crc32(value.subarray(8)) !== value.readUInt32BE(4)) return null;
  const read = Object.fromEntries(STATE_FIELDS.map((field, i) => [field, readUint64(value, 8 + 8 * i)]));
  return read as unknown as StateRecord;
}

/** Where an out-of-line record says that its item is. `removed` is of the format and not written yet. */
export type OutKind = "open" | "back" | "delayed" | "removed";
const OUT_KINDS: readonly OutKind[] = ["open", "back", "delayed", "removed"];

/**
 * `o|queue id|sequence`: 0 version 1, 4 CRC-32 from 8 on, 8 kind (1 open, 2 back, 3 delayed, 4 removed), 9 whether the item
 * itself follows, 10 zero, 12 attempts (4), 16 due at, ms (8), 24 place in line (8), 32 the item as in a page.
 */
export interface OutRecord {
  readonly kind: OutKind;
  readonly attempts: number;
  readonly dueAt: number;
  readonly placeInLine: number;
  /** The item, if it has left its page. */
  readonly item: JournalItem | null;
}

const OUT_BYTES = 32;

export function writeOut(record: OutRecord): Buffer {
  const value = Buffer.alloc(OUT_BYTES + (record.item === null ? 0 : itemBytes(record.item)));
  value[0] = 1;
  value[8] = OUT_KINDS.indexOf(record.kind) + 1;
  value[9] = record.item === null ? 0 : 1;
  value.writeUInt32BE(record.attempts, 12);
  writeUint64(value, record.dueAt, 16);
  writeUint64(value, record.placeInLine, 24);
  if (record.item !== null) writeItem(value, OUT_BYTES, record.item);
  value.writeUInt32BE(crc32(value.subarray(8)), 4);
  return value;
}

/** `damaged`, or `unknown` for a kind that this version does not know. */
export function readOut(value: Buffer): OutRecord | "damaged" | "unknown" {
  if (value.length < OUT_BYTES || crc32(value.subarray(8)) !== value.readUInt32BE(4)) return "damaged";
  const kind = OUT_KINDS[(value[8] ?? 0) - 1];
  if (kind === undefined) return "unknown";
  const item = value[9] === 1 ? readItem(value, OUT_BYTES, null) : null;
  const attempts = value.readUInt32BE(12);
  return { kind, attempts, dueAt: readUint64(value, 16), placeInLine: readUint64(value, 24), item };
}
