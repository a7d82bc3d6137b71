import t, { type Test } from "tap";
import { type FinishedCommand, runCommand, startCommand } from "../helpers/run-command.js";
import { startScriptedServer, valueAnswer } from "../helpers/scripted-server.js";
import { TestServer } from "../helpers/start-server.js";
import { within } from "../helpers/within.js";

type Windhover = (words: readonly string[], options?: Parameters<typeof runCommand>[1]) => Promise<FinishedCommand>;

async function serving(t: Test): Promise<{ windhover: Windhover; at: readonly string[] }> {
  const server = await TestServer.start();
  t.teardown(() => server.dispose());
  const at = ["--port", String(server.port)];
  return { windhover: (words, options) => runCommand([...words, ...at], options), at };
}

t.test("get takes an item and prints its bytes with a newline", async (t) => {
  const { windhover } = await serving(t);
  await windhover(["put", "q", "one"]);
  await windhover(["put", "q", "two"]);
  await windhover(["put", "q"], { input: "three\n" });
  t.same(await windhover(["get", "q"]), { code: 0, stdout: "one\n", stderr: [] });
  t.same(await windhover(["get", "q", "--raw"]), { code: 0, stdout: "two", stderr: [] });
  t.same(await windhover(["get", "q", "--raw"]), { code: 0, stdout: "three\n", stderr: [] });
  t.same(await windhover(["get", "q"]), { code: 1, stdout: "", stderr: ["windhover: nothing in queue q"] });
});

t.test("get -n takes so many, or what there is", async (t) => {
  const { windhover } = await serving(t);
  await windhover(["put", "q", "--lines"], { input: "1\n2\n3\n" });
  t.match(await windhover(["get", "q", "-n", "2"]), { code: 0, stdout: "1\n2\n" });
  t.match(await windhover(["get", "q", "-n", "2"]), { code: 0, stdout: "3\n", stderr: [] });
  t.match(await windhover(["get", "q", "-n", "2"]), { code: 1, stdout: "" });
});

t.test("peek prints the head and leaves it there", async (t) => {
  const { windhover } = await serving(t);
  t.same(await windhover(["peek", "q"]), { code: 1, stdout: "", stderr: ["windhover: nothing in queue q"] });
  await windhover(["put", "q", "head"]);
  t.same(await windhover(["peek", "q"]), { code: 0, stdout: "head\n", stderr: [] });
  t.same(await windhover(["peek", "q", "--raw"]), { code: 0, stdout: "head", stderr: [] });
  t.match(await windhover(["get", "q"]), { code: 0, stdout: "head\n" });
});

t.test("get --wait gets an item that comes later", async (t) => {
  const { windhover } = await serving(t);
  const waiting = windhover(["get", "q", "--wait", "30000"]);
  await windhover(["put", "q", "late"]);
  t.match(await waiting, { code: 0, stdout: "late\n" });
  t.match(await windhover(["get", "q", "--wait", "20"]), { code: 1, stderr: ["windhover: nothing in queue q"] });
});

t.test("get --follow prints what comes until it is interrupted, which is its clean end", async (t) => {
  const { windhover, at } = await serving(t);
  for (const more of [[], ["--reliable"]]) {
    const following = startCommand(["get", "q", "--follow", ...more, ...at]);
    const printed = new Promise<void>((resolve) => {
      following.onPrint(() => {
        if (following.stdout().toString() === "1\n2\n3\n") resolve();
      });
    });
    await windhover(["put", "q", "--lines"], { input: "1\n2\n" });
    await windhover(["put", "q", "3"]);
    await within(printed, "three items being printed");
    following.interrupt();
    t.equal(await within(following.code, "the end of get --follow"), 0);
    t.same(following.stderr, []);
    t.match(await windhover(["stats", "--queue", "q"]), { stdout: /^items 0$/m }, "nothing is left or went back");
  }
});

t.test("get --follow -n ends by itself", async (t) => {
  const { windhover, at } = await serving(t);
  const following = startCommand(["get", "q", "--follow", "-n", "2", ...at]);
  await windhover(["put", "q", "--lines"], { input: "1\n2\n3\n" });
  t.equal(await within(following.code, "the end of get --follow -n 2"), 0);
  t.equal(following.stdout().toString(), "1\n2\n");
  t.match(await windhover(["get", "q"]), { stdout: "3\n" });
});

t.test("get --follow goes on after a wait that brought nothing", async (t) => {
  let fetches = 0;
  const server = await startScriptedServer(t, () =>
    ++fetches < 3 ? "END\r\n" : valueAnswer("q", Buffer.from("third")),
  );
  const ended = await runCommand(["get", "q", "--follow", "--wait", "5", "-n", "1", "--port", String(server.port)]);
  t.match(ended, { code: 0, stdout: "third\n" });
  t.same(server.lines, ["get q/t=5", "get q/t=5", "get q/t=5"]);
});

t.test("get --follow ends with a failure when the server goes away", async (t) => {
  const server = await startScriptedServer(t, ({ socket }) => {
    socket.end();
    return null;
  });
  const ended = await runCommand(["get", "q", "--follow", "--port", String(server.port)]);
  t.match(ended, { code: 1, stderr: [/^windhover: lost 127\.0\.0\.1/] });
});

t.test("an interrupted wait is a failure without --follow", async (t) => {
  const { at } = await serving(t);
  const waiting = startCommand(["get", "q", "--wait", "60000", ...at]);
  setImmediate(() => waiting.interrupt());
  t.equal(await within(waiting.code, "the end of an interrupted get"), 1);
  t.same(waiting.stderr, ["windhover: interrupted"]);
});

t.test("get --reliable confirms what it has printed, and only that", async (t) => {
  const { windhover } = await serving(t);
  await windhover(["put", "q", "precious"]);
  const unread = await windhover(["get", "q", "--reliable"], { broken: true });
  t.match(unread, { code: 1, stderr: ["windhover: standard output is closed"] });
  t.match(await windhover(["get", "q", "--reliable"]), { code: 0, stdout: "precious\n" }, "it went back");
  t.match(await windhover(["get", "q"]), { code: 1 }, "now it is gone");
});
