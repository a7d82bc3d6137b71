import { randomBytes } from "node:crypto";

/** As many digits as lead each item; no item is shorter. */
export const NUMBER_BYTES = 16;

/** Random, and repeated too late for LevelDB's compression, so that the journal is as large as the items are. */
const FILLING_BYTES = 4 * 1024 * 1024;

const STORED = Buffer.from("STORED\r\n");

/** Items that tell their number, and the commands and answers with which they go in and out, many at a time. */
export class NumberedItems {
  readonly #size: number;
  readonly #setLine: Buffer;
  readonly #valueLine: Buffer;
  readonly #get: Buffer;
  readonly #filling: Buffer;

  constructor(queue: string, size: number) {
    this.#size = size;
    this.#setLine = Buffer.from(`set ${queue} 0 0 ${size}\r\n`);
    this.#valueLine = Buffer.from(`VALUE ${queue} 0 ${size}\r\n`);
    this.#get = Buffer.from(`get ${queue}\r\n`);
    this.#filling = randomBytes(FILLING_BYTES + size);
  }

  sets(from: number, count: number): Buffer {
    return this.#each(from, count, this.#setLine, "\r\n");
  }

  stored(count: number): Buffer {
    return Buffer.concat(new Array<Buffer>(count).fill(STORED));
  }

  gets(count: number): Buffer {
    return Buffer.concat(new Array<Buffer>(count).fill(this.#get));
  }

  values(from: number, count: number): Buffer {
    return this.#each(from, count, this.#valueLine, "\r\nEND\r\n");
  }

  #each(from: number, count: number, line: Buffer, end: string): Buffer {
    const step = line.length + this.#size + end.length;
    const all = Buffer.allocUnsafe(count * step);
    for (let n = 0; n < count; n += 1) {
      const at = n * step;
      all.set(line, at);
      this.#write(all, at + line.length, from + n);
      all.write(end, at + line.length + this.#size, "latin1");
    }
    return all;
  }

  /** One item: its number, then a piece of the filling that differs from item to item. */
  #write(target: Buffer, at: number, number: number): void {
    target.write(`${number}`.padStart(NUMBER_BYTES, "0"), at, "latin1");
    const from = (number * this.#size) % FILLING_BYTES;
    this.#filling.copy(target, at + NUMBER_BYTES, from, from + this.#size - NUMBER_BYTES);
  }
}
