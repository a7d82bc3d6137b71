import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import t from "tap";

const SCRIPT = fileURLToPath(new URL("../../loadtest/kills.js", import.meta.url));
const LIMIT_MS = 15 * 60_000;

t.setTimeout(LIMIT_MS + 60_000);

t.test("50 kills: nothing is lost, and what comes twice was answered less than 100 ms before one", async (t) => {
  const words = ["--rounds", "50", "--round-ms", "2000", "--out", "kills.json"];
  const ended = await new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [SCRIPT, ...words], { timeout: LIMIT_MS }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
  t.comment(ended.stdout);
  t.match(ended, { code: 0, stdout: /^\{"test":"kills",.*"rounds":50,.*"lost":0,/ }, ended.stderr);
});
