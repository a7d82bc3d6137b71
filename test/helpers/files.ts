import { execFile } from "node:child_process";
import { readdir, readFile, readlink, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

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

/** LevelDB's log files in a directory, the oldest first. */
export async function logFiles(directory: string): Promise<string[]> {
  const names = (await readdir(directory)).filter((name) => /^\d+\.log$/.test(name));
  return names.sort().map((name) => join(directory, name));
}

/** What a process has open, as the system names it: paths, sockets, pipes. */
export async function openFiles(pid: number): Promise<string[]> {
  const directory = `/proc/${pid}/fd`;
  const names = await readdir(directory);
  return Promise.all(names.map((name) => readlink(join(directory, name)).catch(() => "")));
}

/** How many bytes a process has written so far, to files and sockets. */
export async function writtenBytes(pid: number): Promise<number> {
  const match = /^wchar: (\d+)$/m.exec(await readFile(`/proc/${pid}/io`, "latin1"));
  if (match === null) throw new Error("no wchar in the process's io");
  return Number(match[1]);
}

/** Lets a process write no file beyond `bytes`: from there on its writes fail. `unlimited` lifts it again. */
export async function limitFileSize(pid: number, bytes: number | "unlimited"): Promise<void> {
  await run("prlimit", ["--pid", `${pid}`, `--fsize=${bytes}:unlimited`]);
}

/** Mounts a small disk in memory; false where the tests may not do that. */
export async function mountSmallDisk(directory: string, bytes: number): Promise<boolean> {
  return run("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "windhover-test", directory]).then(
    () => true,
    () => false,
  );
}

/** Takes a small disk away again, with what is on it. */
export async function unmountSmallDisk(directory: string): Promise<void> {
  await run("umount", [directory]);
}
