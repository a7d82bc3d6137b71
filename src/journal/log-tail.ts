import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/*
 * LevelDB's log: blocks of 32 KiB, in them records, which a block's end cuts into fragments:
 *    0  CRC-32C   4  length (2, little-endian)   6  type: 1 whole, 2 first, 3 middle, 4 last fragment   7  bytes
 * A rest of a block that is too short for a record's head stays empty.
 */
const BLOCK_BYTES = 32 * 1024;
const HEAD_BYTES = 7;
const WHOLE = 1;
const LAST = 4;

/**
 * How many bytes at the end of the logs in `directory` are not a whole write: LevelDB drops them when it opens the store, and
 * says nothing. To be asked before that.
 */
export async function tornBytes(directory: string): Promise<number> {
  const names = await readdir(directory).catch(() => []);
  let torn = 0;
  for (const name of names) {
    if (!/^\d+\.log$/.test(name)) continue;
    const log = await readFile(join(directory, name)).catch(() => Buffer.alloc(0));
    torn += log.length - endOfLastWrite(log);
  }
  return torn;
}

function endOfLastWrite(log: Buffer): number {
  let end = 0;
  for (let at = 0; at + HEAD_BYTES <= log.length; ) {
    const left = BLOCK_BYTES - (at % BLOCK_BYTES);
    if (left < HEAD_BYTES) {
      at += left;
      continue;
    }
    const type = log[at + 6];
    at += HEAD_BYTES + log.readUInt16LE(at + 4);
    if (type === 0 || at > log.length) break;
    if (type === WHOLE || type === LAST) end = at;
  }
  return end;
}
