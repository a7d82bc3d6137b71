import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

/** Keeps what a load test reported, as a file in the project's loadtest/results. */
export async function keepResult(file: string, report: object): Promise<void> {
  const project = dirname(createRequire(import.meta.url).resolve("windhover/package.json"));
  const directory = join(project, "loadtest", "results");
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, basename(file)), `${JSON.stringify(report, null, 2)}\n`);
}
