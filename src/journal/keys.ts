import { readUint64, writeUint64 } from "./bytes.js";
import type { KeyRange } from "./store.js";

/*
 * The keys of format 1. Every key begins with one letter for its kind and a bar; numbers are big-endian, so that LevelDB's
 * order of bytes is the order of numbers.
 *
 *   m|format                     the format record
 *   q|<name>                     a queue, by name
 *   s|<queue id 4>               a queue's state
 *   x|<queue id 4>               a retired queue, whose records are still to be removed
 *   p|<queue id 4><first 8>      a page, by the sequence number of its first item
 *   o|<queue id 4><sequence 8>   an item out of line
 *   d|<queue id 4><due 8><sequence 8>   a delayed item, by the time when it is due
 *
 * To change the layout: 1. raise FORMAT in records.ts, 2. write down the new kind here and in journal/README.md, 3. teach
 * recovery.ts to read the old one, 4. keep a store of the old format under test/ and open it in a test.
 */
export const KEY_KINDS = ["m", "q", "s", "x", "p", "o", "d"] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

export const FORMAT_KEY = Buffer.from("m|format");

/** The kind of a key, or undefined for one that this version does not know. */
export function keyKind(key: Buffer): KeyKind | undefined {
  if (key[1] !== 0x7c) return undefined;
  const letter = String.fromCharCode(key[0] ?? 0);
  return KEY_KINDS.find((kind) => kind === letter);
}

export function queueKey(name: string): Buffer {
  return Buffer.from(`q|${name}`, "latin1");
}

/** The name in a queue's key, one character a byte. */
export function nameInKey(key: Buffer): string {
  return key.toString("latin1", 2);
}

export function stateKey(queueId: number): Buffer {
  return idKey("s", queueId, 6);
}

export function retiredKey(queueId: number): Buffer {
  return idKey("x", queueId, 6);
}

export function pageKey(queueId: number, first: number): Buffer {
  return sequenceKey("p", queueId, first);
}

export function outKey(queueId: number, sequence: number): Buffer {
  return sequenceKey("o", queueId, sequence);
}

/** The queue id in a key of the kinds s, x, p, o and d. */
export function idInKey(key: Buffer): number {
  return key.readUInt32BE(2);
}

/** The sequence number in a key of the kinds p and o. */
export function sequenceInKey(key: Buffer): number {
  return readUint64(key, 6);
}

/** All keys of a kind. */
export function kindRange(kind: KeyKind): KeyRange {
  return { from: Buffer.from(`${kind}|`), to: Buffer.from(`${kind}}`) };
}

/** All keys of one queue of a kind. */
export function queueRange(kind: "p" | "o" | "d", queueId: number): KeyRange {
  const to = queueId === 0xffffffff ? Buffer.from(`${kind}}`) : idKey(kind, queueId + 1, 6);
  return { from: idKey(kind, queueId, 6), to };
}

function idKey(kind: KeyKind, queueId: number, size: number): Buffer {
  const key = Buffer.allocUnsafe(size);
  key[0] = kind.charCodeAt(0);
  key[1] = 0x7c;
  key.writeUInt32BE(queueId, 2);
  return key;
}

function sequenceKey(kind: KeyKind, queueId: number, sequence: number): Buffer {
  const key = idKey(kind, queueId, 14);
  writeUint64(key, sequence, 6);
  return key;
}
