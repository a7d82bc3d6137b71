import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import t from "tap";

const SCRIPT = fileURLToPath(new URL("../../loadtest/kills.js", import.meta.url));

t.test("a server that is killed again and again loses nothing and keeps the order", async (t) => {
  // The journal promises less than 100 ms, which test/long holds it to; here the machine may be busy with other tests.
  const words = ["--rounds", "5", "--round-ms", "600", "--fresh-ms", "2000"];
  const ended = await new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [SCRIPT, ...words], { timeout: 55_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
  t.comment(ended.stdout);
  t.match(ended, { code: 0, stdout: /^\{"test":"kills",.*"rounds":5,.*"lost":0,/ }, ended.stderr);
});
