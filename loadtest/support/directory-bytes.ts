import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** How many bytes the files of a directory take. A file that goes away meanwhile counts for nothing. */
export async function directoryBytes(directory: string): Promise<number> {
  const names = await readdir(directory);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(directory, name)).then(
        (entry) => entry.size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
