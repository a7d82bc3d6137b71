import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import t from "tap";

const SCRIPT = fileURLToPath(new URL("../../loadtest/restart.js", import.meta.url));
const LIMIT_MS = 15 * 60_000;

t.setTimeout(LIMIT_MS + 60_000);

t.test(
  "G129 a million items: started in under 2 s, drained in order, gone from the disk within a minute",
  async (t) => {
    const ended = await new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      execFile(process.execPath, [SCRIPT, "--out", "restart.json"], { timeout: LIMIT_MS }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
    });
    t.comment(ended.stdout);
    t.match(ended, { code: 0, stdout: /^\{"test":"restart","items":1000000,/, stderr: "" });
  },
);
