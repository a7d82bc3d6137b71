import t, { type Test } from "tap";
import { type Options, parseOptions } from "../../../loadtest/many-clients/options.js";
import { type Report, runManyClients } from "../../../loadtest/many-clients/run.js";
import { type Script, startScriptedServer, tinyQueues, valueAnswer } from "../../helpers/scripted-server.js";

async function run(t: Test, script: Script, words: string, stop = new AbortController()): Promise<Report> {
  const server = await startScriptedServer(t, script);
  const options = parseOptions(words.split(" ")) as Options;
  return runManyClients(options, { host: "127.0.0.1", port: server.port }, stop.signal);
}

/** The small queue server, with other answers where `change` gives one. */
function tinyQueuesBut(change: Script): Script {
  const queues = tinyQueues();
  return (request) => change(request) ?? queues(request);
}

t.test("the queue is flushed first, unless -F", async (t) => {
  const lines: string[] = [];
  const script = tinyQueuesBut(({ line }) => {
    lines.push(line);
    return null;
  });
  t.match(await run(t, script, "-n 3 -s 0 -c 1"), { received: 3, lost: 0, gaveUp: null });
  t.equal(lines[0], "flush spam");
  lines.length = 0;
  t.match(await run(t, script, "-n 3 -s 0 -c 1 -F"), { received: 3, lost: 0, gaveUp: null });
  t.notOk(lines.includes("flush spam"));
});

t.test("each client waits at most a second, reads reliably with -x, and confirms its last item", async (t) => {
  const lines: string[] = [];
  const script = tinyQueuesBut(({ line }) => {
    if (line.startsWith("get")) lines.push(line);
    return null;
  });
  await run(t, script, "-n 1 -s 0 -c 1");
  t.ok(lines.every((line) => Number(/^get spam\/t=(\d+)$/.exec(line)?.[1]) <= 1000));
  const plain = tinyQueues();
  lines.length = 0;
  await run(
    t,
    ({ line, ...rest }) => {
      if (line.startsWith("get")) lines.push(line);
      return plain({ line: line.replace("/close/open", ""), ...rest });
    },
    "-n 1 -s 0 -c 1 -x",
  );
  t.match(lines[0], /^get spam\/t=\d+\/close\/open$/);
  t.equal(lines.at(-1), "get spam/close");
});

t.test("an item that comes twice is counted", async (t) => {
  const puts: Buffer[] = [];
  let fetches = 0;
  const script: Script = ({ line, data }) => {
    if (line.startsWith("set")) puts.push(Buffer.from(data));
    if (line.startsWith("set")) return "STORED\r\n";
    const item = line.startsWith("get") ? puts[Math.floor(fetches / 2)] : undefined;
    if (item === undefined) return "END\r\n";
    fetches++;
    return valueAnswer("spam", item);
  };
  t.match(await run(t, script, "-n 3 -s 5 -c 1"), { received: 3, lost: 0, duplicates: 2 });
});

t.test("items that were changed, or are not of this run, are none of its items", async (t) => {
  const strange = [Buffer.from("somebody else's"), Buffer.alloc(0)];
  let changed = false;
  const queues = tinyQueues();
  const script: Script = (request) => {
    const item = request.line.startsWith("get") ? strange.shift() : undefined;
    if (item !== undefined) return valueAnswer("spam", item);
    const answer = queues(request);
    if (changed || !Buffer.isBuffer(answer)) return answer;
    changed = true;
    answer.write("changed", answer.length - 20);
    return answer;
  };
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error("enough")), 300);
  t.match(await run(t, script, "-n 3 -s 0 -c 1", stop), {
    received: 2,
    lost: 1,
    foreign: 2,
    damaged: 1,
    gaveUp: "enough",
  });
});

t.test("a server that refuses ends the run", async (t) => {
  const refusing = tinyQueuesBut(({ line }) => (line.startsWith("get") ? "ERROR too many open reads\r\n" : null));
  t.match(await run(t, refusing, "-n 3 -s 0 -c 2"), { gaveUp: /answered a fetch with "ERROR too many open reads"/ });
  const full = tinyQueuesBut(({ line }) => (line.startsWith("set") ? "NOT_STORED\r\n" : null));
  t.match(await run(t, full, "-n 3 -s 0 -c 2"), { put: 0, lost: 3, gaveUp: /did not store/ });
});

t.test("clients that lose their connection come back", async (t) => {
  let dropped = false;
  const script = tinyQueuesBut(({ line, socket }) => {
    if (dropped || !line.startsWith("get")) return null;
    dropped = true;
    socket.destroy();
    return null;
  });
  t.match(await run(t, script, "-n 5 -s 1 -c 2"), { received: 5, disconnects: 1, gaveUp: null });
});

t.test("half of the killed clients die before the answer, half at it", async (t) => {
  const queues = tinyQueues();
  const script: Script = ({ line, ...rest }) => queues({ line: line.replace("/close/open", ""), ...rest });
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error("enough")), 200);
  const report = await run(t, script, "-n 1 -s 0 -c 4 -k 100", stop);
  t.match(report, { received: 0, lost: 1, gaveUp: "enough" });
  t.ok(report.kills > 4);
});
