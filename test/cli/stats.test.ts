import t from "tap";
import { statsOf } from "../../src/cli/stats.js";
import { runCommand } from "../helpers/run-command.js";
import { startScriptedServer } from "../helpers/scripted-server.js";

const LINES = [
  "uptime 5",
  "version 0.1.0",
  "queue_a_items 1",
  "queue_a_total_items 2",
  "queue_a_open_transactions 0",
  "queue_a_b_items 3",
  "queue_a_b_total_items 4",
  "queue_a_b_open_transactions 1",
];

t.test("stats prints a name and a value a line", async (t) => {
  const server = await startScriptedServer(t, () => `${LINES.map((line) => `STAT ${line}\r\n`).join("")}END\r\n`);
  const at = ["--port", String(server.port)];
  t.same(await runCommand(["stats", ...at]), { code: 0, stdout: `${LINES.join("\n")}\n`, stderr: [] });
  t.match(await runCommand(["stats", "--queue", "a_b", ...at]), {
    code: 0,
    stdout: "items 3\ntotal_items 4\nopen_transactions 1\n",
  });
  t.same(await runCommand(["stats", "--queue", "c", ...at]), {
    code: 1,
    stdout: "",
    stderr: ["windhover: no queue c"],
  });
});

t.test("a queue's statistics are not mixed with those of a queue whose name begins with its name", async (t) => {
  const all = new Map(LINES.map((line) => line.split(" ") as [string, string]));
  t.same(
    [...statsOf("a", all)],
    [
      ["items", "1"],
      ["total_items", "2"],
      ["open_transactions", "0"],
    ],
  );
  t.equal(statsOf("a_b", all).size, 3);
  t.equal(statsOf("b", all).size, 0);
});
