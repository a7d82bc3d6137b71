import { PassThrough } from "node:stream";
import t, { type Test } from "tap";
import { runCommand, startCommand } from "../helpers/run-command.js";
import { startScriptedServer, tinyQueues } from "../helpers/scripted-server.js";

async function items(t: Test): Promise<{ at: string[]; stored: Buffer[] }> {
  const stored: Buffer[] = [];
  const queues = tinyQueues();
  const server = await startScriptedServer(t, (request) => {
    if (request.line.startsWith("set")) stored.push(Buffer.from(request.data));
    return queues(request);
  });
  return { at: ["--port", String(server.port)], stored };
}

t.test("the item is the argument, or all of standard input", async (t) => {
  const { at, stored } = await items(t);
  t.same(await runCommand(["put", "q", "größer", ...at]), { code: 0, stdout: "", stderr: [] });
  await runCommand(["put", "q", ...at], { input: "a\r\nb\n" });
  await runCommand(["put", "q", "-", ...at], { input: "c" });
  await runCommand(["put", "q", "-", ...at], { input: "" });
  t.same(stored.map(String), ["größer", "a\r\nb\n", "c", ""]);
});

t.test("--lines puts each line, whatever its bytes", async (t) => {
  const { at, stored } = await items(t);
  const input = new PassThrough();
  const command = startCommand(["put", "q", "--lines", ...at], { input });
  for (const piece of ["one\ntw", "o\n", "\n", "\xff\0\r\n", "la", "st"]) input.write(Buffer.from(piece, "latin1"));
  input.end();
  t.equal(await command.code, 0);
  t.same(
    stored.map((item) => item.toString("latin1")),
    ["one", "two", "", "\xff\0\r", "last"],
  );
});

t.test("--lines keeps the order of more lines than can be on their way", async (t) => {
  const { at, stored } = await items(t);
  const lines = Array.from({ length: 5000 }, (_, n) => `line ${n}`);
  const { code } = await runCommand(["put", "q", "--lines", ...at], { input: `${lines.join("\n")}\n` });
  t.equal(code, 0);
  t.same(stored.map(String), lines);
});

t.test("an item that is refused is exit code 1", async (t) => {
  const server = await startScriptedServer(t, () => "NOT_STORED\r\n");
  const ended = await runCommand(["put", "q", "data", "--port", String(server.port)]);
  t.match(ended, { code: 1, stderr: [/^windhover: the server did not store the item/] });
});

t.test("--lines stops at the first refusal and says how many items were stored", async (t) => {
  let puts = 0;
  const server = await startScriptedServer(t, () =>
    ++puts > 2 ? "SERVER_ERROR writes are blocked\r\n" : "STORED\r\n",
  );
  // The end of the input never comes: the refusal alone must end it.
  const input = new PassThrough();
  const command = startCommand(["put", "q", "--lines", "--port", String(server.port)], { input });
  input.write("1\n2\n3\n4\n");
  t.equal(await command.code, 1);
  t.match(command.stderr, [/^windhover: the server refused: SERVER_ERROR writes are blocked \(2 items were stored\)$/]);
});

t.test("--lines against a server that goes away tells how far it came", async (t) => {
  const server = await startScriptedServer(t, ({ data, socket }) => {
    if (String(data) === "3") socket.destroy();
    return "STORED\r\n";
  });
  const input = new PassThrough();
  const command = startCommand(["put", "q", "--lines", "--port", String(server.port)], { input });
  input.write("1\n2\n3\n");
  t.equal(await command.code, 1);
  t.match(command.stderr, [/^windhover: lost 127\.0\.0\.1:\d+.*\(\d items were stored\)$/]);
});

t.test("an interruption ends the reading, and what was read is stored", async (t) => {
  const { at, stored } = await items(t);
  for (const words of [
    ["put", "q", "--lines", ...at],
    ["put", "q", ...at],
  ]) {
    const input = new PassThrough();
    const command = startCommand(words, { input });
    input.write("line\n");
    setImmediate(() => command.interrupt());
    t.equal(await command.code, 1);
    t.match(command.stderr, [/^windhover: interrupted/]);
  }
  t.ok(stored.length <= 1, "half an item is not put");
});
