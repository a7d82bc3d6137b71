import { readlinkSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { Test } from "tap";

/** Sees every `sync` of a file handle of this process, and can let some fail. LevelDB's own are not among them. */
export class SyncWatch {
  /** The paths that were synced. */
  readonly paths: string[] = [];
  #faults = 0;

  private constructor() {}

  /** Watches until the test ends. */
  static async for(t: Test): Promise<SyncWatch> {
    const watch = new SyncWatch();
    const prototype = await prototypeOfHandles();
    const { sync } = prototype;
    prototype.sync = function (this: FileHandle): Promise<void> {
      watch.#see(this);
      return sync.call(this);
    };
    t.teardown(() => {
      prototype.sync = sync;
    });
    return watch;
  }

  /** Fails so many syncs. */
  fail(count: number): void {
    this.#faults = count;
  }

  #see(handle: FileHandle): void {
    if (this.#faults > 0) {
      this.#faults--;
      throw new Error("the disk is gone");
    }
    this.paths.push(readlinkSync(`/proc/self/fd/${handle.fd}`));
  }
}

async function prototypeOfHandles(): Promise<FileHandle> {
  const handle = await open("/dev/null", "r");
  await handle.close();
  return Object.getPrototypeOf(handle) as FileHandle;
}
