import t from "tap";
import { WindhoverError } from "../../src/errors.js";
import { SessionWorld } from "../helpers/session-world.js";
import { DELETED, END, FLUSHED_ALL, OK, STORED, set, value } from "../helpers/wire.js";

t.test("delete answers DELETED, existing or not", async (t) => {
  const world = new SessionWorld();
  const client = world.client();
  client.tell(set("q", "a"));
  t.equal(client.tell("delete q\r\n"), DELETED);
  t.equal(client.tell("delete q\r\n"), DELETED);
  t.equal(client.tell("delete q 0\r\n"), DELETED);
  t.equal(client.tell("delete q noreply\r\n"), "");
  t.equal(client.tell("get q\r\n"), END);
});

t.test("delete and flush of an illegal name are CLIENT_ERROR, and the connection stays", async (t) => {
  const client = new SessionWorld().client();
  t.match(client.tell("delete ../x\r\n"), /^CLIENT_ERROR .*\r\n$/);
  t.match(client.tell("flush ../x\r\n"), /^CLIENT_ERROR .*\r\n$/);
  t.equal(client.tell("delete ../x noreply\r\n"), "");
});

t.test("flush empties a queue, flush_all all of them; open reads survive", async (t) => {
  const world = new SessionWorld();
  const client = world.client();
  for (const queue of ["a", "b"]) for (const data of ["1", "2"]) client.tell(set(queue, data));
  client.tell("get a/open\r\n");
  t.equal(client.tell("flush a\r\n"), END);
  t.equal(await client.ask("flush_all\r\n"), FLUSHED_ALL);
  t.equal(await client.ask("flush_all noreply\r\n"), "");
  client.tell("get a/abort\r\n");
  t.equal(client.tell("get a\r\n"), value("a", "1"));
  t.equal(client.tell("get b\r\n"), END);
});

t.test("flush_all that is not allowed is SERVER_ERROR and flushes nothing", async (t) => {
  const world = new SessionWorld({ allowFlushAll: false });
  const client = world.client();
  client.tell(set("q", "a"));
  t.equal(client.tell("flush_all\r\n"), "SERVER_ERROR flush_all is disabled\r\n");
  t.equal(client.tell("flush_all noreply\r\n"), "");
  t.equal(client.tell("get q\r\n"), value("q", "a"));
});

t.test("delete and flush wait for the disk where they must, and tell when it fails", async (t) => {
  const world = new SessionWorld();
  const client = world.client();
  for (const [text, expected] of [
    ["flush q\r\n", END],
    ["flush_all\r\n", FLUSHED_ALL],
    ["delete q\r\n", DELETED],
    ["delete q noreply\r\n", ""],
  ] as const) {
    for (const error of [undefined, new WindhoverError("WH_WRITE_FAILED", "disk")]) {
      world.journal.holdsRemovals = false;
      t.equal(client.tell(set("q", "a")), STORED);
      world.journal.holdsRemovals = true;
      const answer = client.wait(text);
      world.journal.release(error);
      t.equal(await answer, error === undefined || expected === "" ? expected : "SERVER_ERROR disk\r\n", text);
    }
  }
});

t.test("version and verbosity", async (t) => {
  const client = new SessionWorld().client();
  t.equal(client.tell("version\r\n"), "VERSION 1.2.3\r\n");
  t.equal(client.tell("verbosity 1\r\n"), OK);
  t.equal(client.tell("verbosity 1 noreply\r\n"), "");
});

t.test("quit closes without a word, shutdown asks the server to stop", async (t) => {
  const world = new SessionWorld();
  t.equal(world.client().tell("quit\r\n"), "<close>");
  t.equal(world.shutdowns, 0);
  t.equal(world.client().tell("shutdown\r\n"), "<close>");
  t.equal(world.shutdowns, 1);
});

t.test("what is no command is answered as the codec says; a notice goes to the log", async (t) => {
  const world = new SessionWorld();
  t.match(world.client().tell("nonsense\r\n"), /^CLIENT_ERROR .*\r\n<close>$/);
  t.match(world.client().tell("get\r\n"), /^CLIENT_ERROR .*\r\n$/);
  t.equal(world.client().tell("set q x 0 1 noreply\r\na\r\n"), "");
  t.same(world.log.complaints, []);
  t.equal(world.client().tell("\x80\x0b\0\0"), "<close>");
  t.match(world.log.complaints, [{ level: "warn", facts: { peer: "test:1" }, message: /binary protocol/ }]);
});

t.test("a bug of the server is told in the log and ends the connection", async (t) => {
  const world = new SessionWorld();
  Object.assign(world.queues, {
    find: () => {
      throw new Error("a bug");
    },
  });
  t.equal(world.client().tell("get q\r\n"), "SERVER_ERROR internal error\r\n<close>");
  t.match(world.log.complaints, [{ level: "error", facts: { command: "fetch", error: "a bug" } }]);
});
