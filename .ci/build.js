// Compiles: node .ci/build.js [--if-stale] dist|build...
//   dist   what is run and published (tsconfig.json)
//   build  the same sources with test/ and loadtest/ beside them (tsconfig.test.json)
// tsc never removes what it once wrote, so a test or module that was renamed would live on in its output: what has no
// source any more goes first. Says nothing on stdout, which belongs to the command that follows.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const targets = {
  dist: { project: "tsconfig.json", base: "src", sources: ["src"] },
  build: { project: "tsconfig.test.json", base: ".", sources: ["src", "test", "loadtest"] },
};

/** Every path under `dir`, folders included: the time of a folder tells that a file in it was removed. */
function pathsUnder(dir) {
  if (!existsSync(dir)) return [];
  return [dir, ...readdirSync(dir, { recursive: true, encoding: "utf8" }).map((name) => join(dir, name))];
}

function removeOrphans(out, { base }) {
  for (const path of pathsUnder(out)) {
    const output = /^(.+?)(\.d\.ts|\.js)(\.map)?$/.exec(path.slice(out.length + 1));
    if (output !== null && !existsSync(join(base, `${output[1]}.ts`))) rmSync(path);
  }
}

function isFresh(out, { project, sources }) {
  const stamp = join(out, ".tsbuildinfo");
  if (!existsSync(stamp)) return false;
  const builtAt = statSync(stamp).mtimeMs;
  const inputs = ["package.json", "tsconfig.json", project, ...sources.flatMap(pathsUnder)];
  return inputs.every((path) => statSync(path).mtimeMs <= builtAt);
}

/** A failed build dates its stamp back to the year dot: tsc has written its output all the same, and it must not pass for fresh. */
function compile(out, { project }, startedAt) {
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const { status } = spawnSync(process.execPath, [tsc, "-p", project], { stdio: ["ignore", 2, 2] });
  const stamp = join(out, ".tsbuildinfo");
  const stampTime = status === 0 ? startedAt : new Date(0);
  if (existsSync(stamp)) utimesSync(stamp, stampTime, stampTime);
  return status ?? 1;
}

function build(out, onlyIfStale) {
  const target = targets[out];
  if (target === undefined) throw new Error(`no such target: ${out}`);
  if (onlyIfStale && isFresh(out, target)) return 0;
  removeOrphans(out, target);
  return compile(out, target, new Date());
}

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const args = process.argv.slice(2);
const onlyIfStale = args.includes("--if-stale");
for (const out of args.filter((arg) => arg !== "--if-stale")) {
  const status = build(out, onlyIfStale);
  if (status !== 0) process.exit(status);
}
