import t from "tap";
import { SessionWorld } from "../helpers/session-world.js";
import { END, set, value } from "../helpers/wire.js";

const ERROR = /^ERROR .*\r\n$/;

function filled(count: number, options: ConstructorParameters<typeof SessionWorld>[0] = {}): SessionWorld {
  const world = new SessionWorld(options);
  for (let i = 0; i < count; i++) world.client().tell(set("q", `${i}`));
  return world;
}

t.test("several reads may be open on one queue, up to the limit", async (t) => {
  const world = filled(4, { maxOpenTransactions: 3 });
  const client = world.client();
  for (const data of ["0", "1", "2"]) t.equal(client.tell("get q/open\r\n"), value("q", data));
  t.match(client.tell("get q/open\r\n"), /^ERROR .*\r\n<close>$/);
  t.match(client.tell("get q\r\n"), /^ERROR .*\r\n<close>$/);
  t.equal(client.tell("get q/peek\r\n"), value("q", "3"));
  t.equal(client.tell("get q/close/open\r\n"), value("q", "3"), "the oldest makes room");
  client.session.close();
  for (const data of ["1", "2", "3"]) t.equal(world.client().tell("get q\r\n"), value("q", data));
});

t.test("confirm takes the oldest, all of them or none, case B60", async (t) => {
  const world = filled(3, { maxOpenTransactions: 3 });
  const client = world.client();
  client.tell("get q/open\r\n");
  client.tell("get q/open\r\n");
  t.match(client.tell("confirm q 3\r\n"), ERROR);
  t.match(client.tell("confirm q 0\r\n"), ERROR);
  t.match(client.tell("confirm q -5\r\n"), ERROR);
  t.match(client.tell("confirm q x\r\n"), /^CLIENT_ERROR .*\r\n$/);
  t.match(world.queues.find("q")?.stats(), { openTransactions: 2 });
  t.equal(client.tell("confirm q 2\r\n"), END);
  t.match(world.queues.find("q")?.stats(), { openTransactions: 0, items: 1 });
  t.match(client.tell("confirm q 1\r\n"), ERROR);
});

t.test("confirm on a queue that is not there, or cannot be", async (t) => {
  const world = new SessionWorld();
  t.match(world.client().tell("confirm nosuch 1\r\n"), ERROR);
  t.match(world.client().tell("confirm a.b 1\r\n"), /^CLIENT_ERROR .*\r\n$/);
  t.same(world.queues.list(), []);
});

t.test("a confirmation is answered when the journal was told, whether or not that went well", async (t) => {
  const world = filled(2, { maxOpenTransactions: 2 });
  const client = world.client();
  client.tell("get q/open\r\n");
  client.tell("get q/open\r\n");
  world.journal.holdsRemovals = true;
  const answer = client.wait("confirm q 2\r\n");
  t.equal(world.journal.held, 2);
  world.journal.release(new Error("the disk"));
  t.equal(await answer, END);
});

t.test("a read that timed out keeps its place: the close meant for it confirms nothing else", async (t) => {
  const queues = new Map([["q", { openTransactionTimeoutMs: 1000 }]]);
  const world = filled(2, { maxOpenTransactions: 2, queues });
  const client = world.client();
  client.tell("get q/open\r\n");
  world.clock.pass(600);
  t.equal(client.tell("get q/open\r\n"), value("q", "1"));
  world.clock.pass(600);
  t.match(world.queues.find("q")?.stats(), { openTransactions: 1, items: 1 });
  t.equal(client.tell("get q/close\r\n"), END);
  t.match(world.queues.find("q")?.stats(), { openTransactions: 1, items: 1 });
  t.equal(client.tell("get q/close\r\n"), END);
  t.match(world.queues.find("q")?.stats(), { openTransactions: 0, items: 1 });
});

t.test("a read that timed out counts for no limit, and forbids no plain get", async (t) => {
  const world = filled(1, { queues: new Map([["q", { openTransactionTimeoutMs: 1000 }]]) });
  const client = world.client();
  client.tell("get q/open\r\n");
  world.clock.pass(1000);
  t.equal(client.tell("get q/open\r\n"), value("q", "0"));
  world.clock.pass(1000);
  t.equal(client.tell("get q\r\n"), value("q", "0"));
});

t.test("a close or abort of nothing is counted, case B70", async (t) => {
  const world = filled(1);
  const client = world.client();
  client.tell("get q/open\r\n");
  const other = world.client();
  t.equal(other.tell("get q/close\r\n"), END);
  t.equal(other.tell("get q/abort\r\n"), END);
  t.equal(world.counters.closesOfNothing, 2);
  client.tell("get q/close\r\n");
  t.equal(world.counters.closesOfNothing, 2);
});
