import t, { type Test } from "tap";
import { Exchange } from "../../../loadtest/support/exchange.js";
import { TestServer } from "../../helpers/start-server.js";

async function exchange(t: Test): Promise<Exchange> {
  const server = await TestServer.start();
  const client = await Exchange.connect(server.port);
  t.teardown(async () => {
    client.close();
    await server.dispose();
  });
  return client;
}

const put = Buffer.from("set q 0 0 1\r\na\r\n");
const get = Buffer.from("get q\r\n");
const stored = Buffer.from("STORED\r\n");
const value = Buffer.from("VALUE q 0 1\r\na\r\nEND\r\n");

t.test("answers that come as they should", async (t) => {
  const client = await exchange(t);
  await client.send(Buffer.concat([put, put]), Buffer.concat([stored, stored]));
  await client.send(Buffer.concat([get, get]), Buffer.concat([value, value]));
  t.equal(client.matched, 2 * value.length);
});

t.test("an answer that differs is shown, with how much was right, and is the last", async (t) => {
  const client = await exchange(t);
  await client.send(put, stored);
  const wrong = client.send(Buffer.concat([get, get]), Buffer.concat([value, value]));
  await t.rejects(wrong, { message: '"END\\r\\n" came instead of "VALUE q 0 1\\r\\na\\r\\nEND\\r\\n"' });
  t.equal(client.matched, value.length);
  await t.rejects(client.send(get, value), { message: "the connection is closed" });
});

t.test("a server that goes away, and an interruption, end the wait", async (t) => {
  const client = await exchange(t);
  await t.rejects(client.send(Buffer.from("quit\r\n"), value), { message: "the server closed the connection" });
  const other = await exchange(t);
  const waiting = other.send(Buffer.from("get q/t=60000\r\n"), value);
  other.interrupt(new Error("interrupted"));
  await t.rejects(waiting, { message: "interrupted" });
});
