import t from "tap";
import { SessionWorld } from "../helpers/session-world.js";
import { END, STORED, set, value } from "../helpers/wire.js";

t.test("a fetch takes the head; hits, misses and peeks are counted", async (t) => {
  const world = new SessionWorld();
  const client = world.client();
  t.equal(client.tell(set("q", "a")), STORED);
  t.equal(client.tell("get q/peek\r\n"), value("q", "a"));
  t.equal(client.tell("get q\r\n"), value("q", "a"));
  t.equal(client.tell("get q\r\n"), END);
  t.equal(client.tell("get q/peek\r\n"), END);
  t.match(world.counters, { gets: 2, peeks: 2, hits: 2, misses: 2 });
});

t.test("get, peek and set create a queue; close, abort, flush, delete and stats do not", async (t) => {
  const world = new SessionWorld();
  const client = world.client();
  for (const text of ["get a/close\r\n", "get a/close/t=500\r\n", "get a/abort\r\n", "flush a\r\n"]) {
    t.equal(client.tell(text), END, text);
  }
  t.equal(client.tell("delete a\r\n"), "DELETED\r\n");
  client.tell("stats\r\n");
  t.same(world.queues.list(), []);
  client.tell("get b\r\n");
  client.tell("get c/peek\r\n");
  client.tell("get d/close/open\r\n");
  t.same(
    world.queues.list().map(({ name }) => name),
    ["b", "c", "d"],
  );
});

t.test("an illegal name is CLIENT_ERROR for every kind of get, and the connection stays", async (t) => {
  const world = new SessionWorld();
  for (const key of ["a.b", "a.b/open", "a.b/close", "a.b/abort", "a.b/peek", "a.b/t=100", "a.b/close/open"]) {
    t.match(world.client().tell(`get ${key}\r\n`), /^CLIENT_ERROR .*\r\n$/, key);
  }
  t.same(world.queues.list(), []);
});

t.test("open sets an item aside until close", async (t) => {
  const world = new SessionWorld();
  const client = world.client();
  client.tell(set("q", "a"));
  t.equal(client.tell("get q/open\r\n"), value("q", "a"));
  t.match(world.queues.find("q")?.stats(), { items: 0, openTransactions: 1 });
  t.equal(client.tell("get q/close\r\n"), END);
  t.match(world.queues.find("q")?.stats(), { items: 0, openTransactions: 0 });
  client.session.close();
  t.equal(world.queues.find("q")?.items, 0);
});

t.test("close alone is END at once and fetches nothing, whatever else it says", async (t) => {
  const world = new SessionWorld();
  const client = world.client();
  client.tell(set("q", "a"));
  client.tell(set("q", "b"));
  client.tell("get q/open\r\n");
  t.equal(client.tell("get q/close/t=1000\r\n"), END);
  t.equal(client.tell("get q/close\r\n"), END, "with nothing open");
  t.match(world.queues.find("q")?.stats(), { items: 1, openTransactions: 0 });
  t.equal(world.counters.gets, 1);
});

t.test("close and open in one go, in any order, close first", async (t) => {
  const world = new SessionWorld();
  const client = world.client();
  for (const data of ["a", "b", "c"]) client.tell(set("q", data));
  t.equal(client.tell("get q/close/open\r\n"), value("q", "a"), "with nothing open");
  t.equal(client.tell("get q/open/close\r\n"), value("q", "b"));
  t.equal(client.tell("get q/t=100/close/open\r\n"), value("q", "c"));
  t.equal(client.tell("get q/close/open\r\n"), END);
  t.match(world.queues.find("q")?.stats(), { items: 0, openTransactions: 0 });
});

t.test("close/open that waits closes before it waits", async (t) => {
  const world = new SessionWorld();
  const client = world.client();
  client.tell(set("q", "a"));
  client.tell("get q/open\r\n");
  const next = client.wait("get q/close/open/t=1000\r\n");
  t.equal(world.queues.find("q")?.stats().openTransactions, 0);
  world.client().tell(set("q", "b"));
  t.equal(await next, value("q", "b"));
});

t.test("abort gives the oldest back to the head", async (t) => {
  const world = new SessionWorld();
  const client = world.client();
  for (const data of ["a", "b"]) client.tell(set("q", data));
  client.tell("get q/open\r\n");
  t.equal(client.tell("get q/abort/t=100\r\n"), END);
  t.equal(client.tell("get q/abort\r\n"), END, "with nothing open");
  t.equal(client.tell("get q\r\n"), value("q", "a"));
  t.equal(client.tell("get q\r\n"), value("q", "b"));
});

t.test("a second open read on the queue is ERROR and the end of the connection", async (t) => {
  const world = new SessionWorld();
  const client = world.client();
  for (const data of ["a", "b"]) client.tell(set("q", data));
  client.tell("get q/open\r\n");
  t.match(client.tell("get q/open\r\n"), /^ERROR .*\r\n<close>$/);
  t.equal(world.queues.find("q")?.items, 1, "nothing was taken");
});

t.test("a plain get beside an open read is ERROR and the end; a peek is allowed; other queues are free", async (t) => {
  const world = new SessionWorld();
  const client = world.client();
  for (const data of ["a", "b"]) client.tell(set("q", data));
  client.tell(set("other", "x"));
  client.tell("get q/open\r\n");
  t.equal(client.tell("get q/peek\r\n"), value("q", "b"));
  t.equal(client.tell("get other/open\r\n"), value("other", "x"));
  t.match(client.tell("get q\r\n"), /^ERROR .*\r\n<close>$/);
  t.match(client.tell("get q/t=1000\r\n"), /^ERROR .*\r\n<close>$/);
});

t.test("with a higher limit reads are closed and aborted oldest first", async (t) => {
  const world = new SessionWorld({ maxOpenTransactions: 3 });
  const client = world.client();
  for (const data of ["a", "b", "c", "d"]) client.tell(set("q", data));
  for (const data of ["a", "b", "c"]) t.equal(client.tell("get q/open\r\n"), value("q", data));
  client.tell("get q/close\r\n");
  client.tell("get q/abort\r\n");
  t.equal(client.tell("get q/open\r\n"), value("q", "b"), "a is gone, b is back");
  t.match(client.tell("get q/open\r\n"), value("q", "d"));
  t.match(client.tell("get q/open\r\n"), /^ERROR .*\r\n<close>$/);
});

t.test("a queue that was deleted under an open read stays deleted, case B61 and B62", async (t) => {
  for (const end of ["get q/close\r\n", "get q/abort\r\n", "hang up"]) {
    const world = new SessionWorld();
    const client = world.client();
    client.tell(set("q", "a"));
    client.tell("get q/open\r\n");
    world.client().tell("delete q\r\n");
    if (end === "hang up") client.session.close();
    else t.equal(client.tell(end), END);
    t.same(world.queues.list(), [], end);
  }
});

t.test("an open read does not come back to a new queue of the same name", async (t) => {
  const world = new SessionWorld();
  const client = world.client();
  const other = world.client();
  client.tell(set("q", "old"));
  client.tell("get q/open\r\n");
  other.tell("delete q\r\n");
  other.tell(set("q", "new"));
  client.session.close();
  t.equal(other.tell("get q\r\n"), value("q", "new"));
  t.equal(other.tell("get q\r\n"), END);
});

t.test("a client that goes away gives back all its reads, in their old order, case B64", async (t) => {
  const world = new SessionWorld({ maxOpenTransactions: 9 });
  const client = world.client();
  for (const data of ["a", "b", "c"]) client.tell(set("q", data));
  client.tell(set("p", "x"));
  for (let i = 0; i < 3; i++) client.tell("get q/open\r\n");
  client.tell("get p/open\r\n");
  client.session.close();
  client.session.close();
  const other = world.client();
  for (const data of ["a", "b", "c"]) t.equal(other.tell("get q\r\n"), value("q", data));
  t.equal(other.tell("get p\r\n"), value("p", "x"));
  t.equal(client.tell("get q\r\n"), "<close>", "a session that is closed does nothing");
});

t.test("with sync_journal = always the answer waits for the disk", async (t) => {
  const world = new SessionWorld();
  world.journal.holdsRemovals = true;
  const client = world.client();
  for (const data of ["a", "b", "c"]) client.tell(set("q", data));
  for (const [text, expected] of [
    ["get q\r\n", value("q", "a")],
    ["get q/open\r\n", value("q", "b")],
    ["get q/close\r\n", END],
    ["get q/close/open\r\n", value("q", "c")],
    ["get q/close/open\r\n", END],
  ] as const) {
    const answer = client.wait(text);
    world.journal.release();
    t.equal(await answer, expected, text);
  }
});

t.test("a removal that did not reach the disk is answered all the same: twice is better than never", async (t) => {
  const world = new SessionWorld();
  world.journal.holdsRemovals = true;
  const client = world.client();
  for (const data of ["a", "b"]) client.tell(set("q", data));
  for (const [text, expected] of [
    ["get q\r\n", value("q", "a")],
    ["get q/open\r\n", value("q", "b")],
    ["get q/close\r\n", END],
  ] as const) {
    const answer = client.wait(text);
    world.journal.release(new Error("disk"));
    t.equal(await answer, expected, text);
  }
});

t.test("an item whose client is gone before the disk knows goes back to the head", async (t) => {
  for (const key of ["q", "q/open"]) {
    const world = new SessionWorld();
    world.journal.holdsRemovals = true;
    const client = world.client();
    client.tell(set("q", "a"));
    client.tell(set("q", "b"));
    const answer = client.wait(`get ${key}\r\n`);
    client.session.close();
    world.journal.holdsRemovals = false;
    world.journal.release();
    t.equal(await answer, "", key);
    t.equal(world.client().tell("get q\r\n"), value("q", "a"), key);
    t.equal(world.client().tell("get q\r\n"), value("q", "b"), key);
  }
});
