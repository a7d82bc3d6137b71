import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import type { Report } from "../../loadtest/many-clients/run.js";
import { TestServer } from "../helpers/start-server.js";

const SCRIPT = fileURLToPath(new URL("../../loadtest/many-clients.js", import.meta.url));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function manyClients(...words: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [SCRIPT, ...words], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

function reportOf(t: Test, { stdout }: Ended): Report & { readonly repeat: string } {
  t.equal(stdout.split("\n").length, 2, "one line of JSON");
  return JSON.parse(stdout) as Report & { readonly repeat: string };
}

t.test("every item reaches exactly one of the waiting clients, on a server of the test's own", async (t) => {
  const ended = await manyClients("-n", "50", "-s", "1", "-c", "10");
  t.match(ended, { code: 0, stderr: "" });
  const report = reportOf(t, ended);
  t.match(report, {
    test: "many-clients",
    items: 50,
    clients: 10,
    put: 50,
    received: 50,
    duplicates: 0,
    lost: 0,
    kills: 0,
    gaveUp: null,
    repeat: "npm run load:many-clients -- -n 50 -s 1 -c 10",
  });
  const { handoffMs, handoffAfter20Ms } = report;
  t.ok(handoffMs !== null && handoffMs.p50 > 0 && handoffMs.p50 <= handoffMs.p99 && handoffMs.p99 <= handoffMs.max);
  t.ok(handoffAfter20Ms !== null && handoffMs !== null && handoffAfter20Ms.max <= handoffMs.max);
});

t.test("with clients that are killed no item is lost", async (t) => {
  const report = reportOf(t, await manyClients("-n", "60", "-s", "0", "-c", "20", "-k", "40"));
  t.match(report, { reliable: true, received: 60, lost: 0, damaged: 0, gaveUp: null });
  t.ok(report.kills > 0);
});

t.test("a given server is used, flushed unless -F, and left running", async (t) => {
  const server = await TestServer.start();
  t.teardown(() => server.dispose());
  const at = ["-h", "127.0.0.1", "-p", String(server.port), "-n", "5", "-s", "0", "-c", "2", "-q", "lyrics"];
  t.match(reportOf(t, await manyClients(...at)), { received: 5, foreign: 0 });
  t.match(reportOf(t, await manyClients(...at, "-F", "-x")), { received: 5, foreign: 0 });
});

t.test("-M tells the queue's figures on stderr", async (t) => {
  const ended = await manyClients("-n", "5", "-s", "0", "-c", "2", "-M");
  t.equal(ended.code, 0);
  t.match(ended.stderr, /^spam: items=\d+ total_items=\d+ bytes=\d+ mem_items=\d+/);
});

t.test("a server that is not there is a failure with one line", async (t) => {
  const ended = await manyClients("-p", "1", "-n", "5", "-c", "2");
  t.match(ended, { code: 1, stderr: /^many-clients: cannot reach localhost:1: [^\n]*\n$/ });
  t.match(reportOf(t, ended), { received: 0, lost: 5, gaveUp: /^cannot reach/ });
});

t.test("wrong options are exit code 2, and help is none", async (t) => {
  t.match(await manyClients("-n", "many"), { code: 2, stdout: "", stderr: /^many-clients: -n takes a whole number/ });
  t.match(await manyClients("-z"), { code: 2, stdout: "", stderr: /^many-clients: .*-z/ });
  t.match(await manyClients("--help"), { code: 0, stdout: /^usage: npm run load:many-clients/, stderr: "" });
});
