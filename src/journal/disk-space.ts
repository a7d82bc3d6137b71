import { statfs } from "node:fs/promises";
import type { Clock, Timer } from "../clock.js";

const LOOK_EVERY_MS = 1000;

/** Watches how much room the journal's disk has, so that sets are refused before it has none. */
export class DiskSpace {
  readonly #directory: string;
  readonly #minFreeBytes: number;
  readonly #clock: Clock;
  readonly #freeBytes: (directory: string) => Promise<number>;
  readonly #onChange: (low: boolean, freeBytes: number) => void;
  #timer: Timer | null = null;
  #low = false;
  #closed = false;

  constructor(
    directory: string,
    options: {
      readonly minFreeBytes: number;
      readonly clock: Clock;
      /** How much room there is, in bytes; the file system is asked if it is left out. */
      readonly freeBytes?: (directory: string) => Promise<number>;
      readonly onChange: (low: boolean, freeBytes: number) => void;
    },
  ) {
    this.#directory = directory;
    this.#minFreeBytes = options.minFreeBytes;
    this.#clock = options.clock;
    this.#freeBytes = options.freeBytes ?? freeBytes;
    this.#onChange = options.onChange;
  }

  get low(): boolean {
    return this.#low;
  }

  /** Looks now, and then each second until closed. */
  async watch(): Promise<void> {
    await this.look();
    if (this.#closed) return;
    this.#timer = this.#clock.after(LOOK_EVERY_MS, () => void this.watch(), { background: true });
  }

  /** Looks once; answers whether there is less room than there must be. */
  async look(): Promise<boolean> {
    const free = await this.#freeBytes(this.#directory);
    const low = free < this.#minFreeBytes;
    if (low !== this.#low) {
      this.#low = low;
      this.#onChange(low, free);
    }
    return low;
  }

  close(): void {
    this.#closed = true;
    this.#timer?.clear();
  }
}

/** Bytes that this process may still write to the file system of `directory`; Infinity if it does not say. */
async function freeBytes(directory: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
