import { mkdir, open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * A file with one word in it: what a server was, as Kestrel wrote it too. It is replaced as a whole, so that a crash leaves
 * the old word or the new one.
 */
export class StatusFile {
  readonly path: string;
  #lastWrite: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.path = path;
  }

  /** The word, or null if there is no file. */
  async read(): Promise<string | null> {
    try {
      return (await readFile(this.path, "utf8")).trim();
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
      throw error;
    }
  }

  /** Replaces the word. Writes that are asked for meanwhile follow one after the other. */
  write(word: string): Promise<void> {
    const written = this.#lastWrite.then(() => this.#replace(word));
    this.#lastWrite = written.catch(() => {});
    return written;
  }

  async #replace(word: string): Promise<void> {
    const fresh = `${this.path}.new`;
    await mkdir(dirname(this.path), { recursive: true });
    const handle = await open(fresh, "w");
    try {
      await handle.writeFile(`${word}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(fresh, this.path);
  }
}
