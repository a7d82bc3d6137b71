import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import t from "tap";
import type { Report } from "../../loadtest/restart/run.js";

const SCRIPT = fileURLToPath(new URL("../../loadtest/restart.js", import.meta.url));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function restart(words: readonly string[], temporary?: string): Promise<Ended> {
  const env = { ...process.env, ...(temporary === undefined ? {} : { TMPDIR: temporary }) };
  return new Promise((resolve) => {
    execFile(process.execPath, [SCRIPT, ...words], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

t.test("a queue is filled, found again after a restart, and drained in order; nothing is left behind", async (t) => {
  const temporary = t.testdir();
  const ended = await restart(["-n", "1200", "--size", "500"], temporary);
  t.match(ended, { code: 0, stderr: "" });
  t.equal(ended.stdout.split("\n").length, 2, "one line of JSON");
  const report = JSON.parse(ended.stdout) as Report;
  t.match(report, {
    test: "restart",
    items: 1200,
    size: 500,
    fill: { items: 1200, fault: null },
    drain: { items: 1200, fault: null },
    repeat: "npm run load:restart -- -n 1200 --size 500",
  });
  t.ok(report.readyMs > 0 && report.firstGetMs > 0 && report.fullMb > 0.5 && report.smallAfterMs !== null);
  t.same(readdirSync(temporary), []);
});

t.test("wrong options are exit code 2, and help is none", async (t) => {
  t.match(await restart(["-n", "0"]), { code: 2, stdout: "", stderr: /^restart: -n takes a whole number/ });
  t.match(await restart(["--size", "15"]), { code: 2, stdout: "", stderr: /^restart: --size takes .* from 16 / });
  t.match(await restart(["stray"]), { code: 2, stdout: "", stderr: /^restart: .*stray/ });
  t.match(await restart(["--help"]), { code: 0, stdout: /^usage: npm run load:restart/, stderr: "" });
});
