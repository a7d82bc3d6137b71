import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import t from "tap";
import { RawClient } from "../helpers/raw-client.js";
import { until, within } from "../helpers/within.js";

t.test("too few descriptors refuse clients and end nothing, case H144", async (t) => {
  t.testdir();
  const main = new URL("../../src/main.js", import.meta.url).pathname;
  const words = `serve --memcache 0 --ready-json --journal "${t.testdirName}/journal"`;
  const server = spawn("sh", ["-c", `ulimit -n 64; exec "${process.execPath}" "${main}" ${words}`]);
  const ended = once(server, "exit");
  t.teardown(async () => {
    server.kill();
    await within(ended, "the end of the server");
  });
  server.stderr.resume();
  const [line] = (await within(once(createInterface({ input: server.stdout }), "line"), "the ready line")) as [string];
  const port = (JSON.parse(line) as { readonly memcache: number }).memcache;

  const served = await RawClient.connect(port);
  await served.send("version\r\n");
  await served.expectLine(/^VERSION /);

  const crowd: Socket[] = [];
  for (let i = 0; i < 100; i++) crowd.push(connect({ port, host: "127.0.0.1" }).on("error", () => {}));
  await within(Promise.any(crowd.map((socket) => once(socket, "close"))), "a client that is refused");

  await served.send("set q 0 0 1\r\na\r\nget q\r\n");
  await served.expect("STORED\r\nVALUE q 0 1\r\na\r\nEND\r\n");
  for (const socket of crowd) socket.destroy();

  await until("a later client being served", () => isServed(port));
  served.destroy();
});

async function isServed(port: number): Promise<boolean> {
  const client = await RawClient.connect(port);
  try {
    client.push("version\r\n");
    await client.expectLine(/^VERSION /);
    return true;
  } catch {
    return false;
  } finally {
    client.destroy();
  }
}
