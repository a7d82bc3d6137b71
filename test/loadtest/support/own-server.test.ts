import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import t from "tap";
import { OwnServer } from "../../../loadtest/support/own-server.js";
import { RawClient } from "../../helpers/raw-client.js";
import { within } from "../../helpers/within.js";

function directories(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith("windhover-load-"));
}

t.test("it serves until it is stopped, and leaves nothing behind", async (t) => {
  const before = directories();
  const server = await OwnServer.start();
  const [directory] = directories().filter((name) => !before.includes(name));
  const client = await RawClient.connect(server.port);
  await client.send("version\r\n");
  await client.expectLine(/^VERSION/);
  client.destroy();
  await server.stop();
  t.ok(directory);
  t.notOk(directories().includes(directory ?? ""));
});

t.test("its end before that is told", async (t) => {
  const server = await OwnServer.start();
  const told = new Promise<string>((resolve) => server.onUnexpectedEnd(resolve));
  const client = await RawClient.connect(server.port);
  await client.send("shutdown\r\n");
  t.equal(await within(told, "the news"), "the server ended by itself with exit code 0");
  client.destroy();
  await server.stop();
});
