import { execFile } from "node:child_process";
import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";

const SCRIPT = fileURLToPath(new URL("../../loadtest/kload.js", import.meta.url));

/** Stands in for the generator: writes down how it was called, and finds what a real one might. */
const GENERATOR = `#!/usr/bin/env node
const words = process.argv.slice(2);
require("node:fs").appendFileSync(__dirname + "/calls", words.join(" ") + "\\n");
const socket = require("node:net").connect(Number(words[words.indexOf("--port") + 1]), "127.0.0.1");
socket.once("data", (version) => {
  const latency = { p50: 10, p99: 20, max: 30 };
  console.log(JSON.stringify({
    elapsed_s: 1, ops_per_s: 1000, empties: version.length > 0 ? 0 : 1, client_cpu_s: 0.5,
    put_us: latency, get_us: latency, e2e_us: latency,
    server: { cpu_us_per_op: 12.5, settle_cpu_s: 0, rss_anon_kb: 51200 },
  }));
  if (words.includes("reliable")) console.error("one was lost");
  process.exit(words.includes("reliable") ? 1 : 0);
});
socket.write("version\\r\\n");
`;

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the load test with the generator that stands in, and tells how that was called. */
async function kload(t: Test, words: string): Promise<Ended & { readonly calls: readonly string[] }> {
  const home = t.testdir({ kload: GENERATOR, "package.json": '{"type":"commonjs"}', calls: "", tmp: {} });
  const program = join(home, "kload");
  chmodSync(program, 0o755);
  const env = { ...process.env, TMPDIR: join(home, "tmp") };
  const ended = await new Promise<Ended>((resolve) => {
    execFile(process.execPath, [SCRIPT, "--kload", program, ...words.split(" ")], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
  t.same(readdirSync(join(home, "tmp")), [], "no directory is left behind");
  const calls = readFileSync(join(home, "calls"), "latin1").trim().split("\n");
  return { ...ended, calls: calls.map((call) => call.replace(/--(port|pid) \d+ ?/g, "")) };
}

t.test("each workload finds the items that it needs, and leaves its own", async (t) => {
  const { code, stdout, stderr, calls } = await kload(t, "--only drain,flood,one --items 500 --settle 0 --conns 4");
  t.match({ code, stderr }, { code: 0, stderr: "" });
  const of = (mode: string, conns: number, items: number, pipeline: number): string =>
    `--proto memcache --mode ${mode} --conns ${conns} --items ${items} --size 1024 --pipeline ${pipeline} --settle 0`;
  t.same(calls, [
    of("put", 4, 500, 32),
    of("drain", 4, 500, 1),
    `${of("flood", 4, 500, 1)} --get-suffix /t=1000`,
    of("put", 1, 5000, 1),
  ]);
  const lines = stdout.trim().split("\n");
  t.match(lines, [
    /^workload +server +CPU us\/op/,
    /^drain +windhover +12\.50 /,
    /^flood +windhover /,
    /^one +windhover /,
  ]);
  t.match(JSON.parse(lines.at(-1) ?? ""), {
    test: "kload",
    runs: 1,
    servers: { windhover: { drain: { cpuUsPerOp: 12.5, p50Us: 10, p99Us: 20, maxUs: 30, rssAnonMb: 50 } } },
    repeat: / --only drain,flood,one$/,
  });
});

t.test("what the generator finds wrong is the end", async (t) => {
  const { code, stdout, stderr } = await kload(t, "--only reliable,many --items 100");
  t.match(
    { code, stdout, stderr },
    { code: 1, stdout: "", stderr: /^kload: kload .*reliable.*exit code 1: one was lost/ },
  );
});

t.test("wrong options are exit code 2, and help is none", async (t) => {
  t.match(await kload(t, "--only nothing"), { code: 2, stdout: "", stderr: /^kload: --only knows/ });
  t.match(await kload(t, "--help"), { code: 0, stdout: /^usage: npm run load:kload/, stderr: "" });
});
