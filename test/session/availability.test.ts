import t from "tap";
import { SessionWorld } from "../helpers/session-world.js";
import { END, STORED, set, value } from "../helpers/wire.js";

const REFUSED = /^SERVER_ERROR .*\r\n<close>$/;

const WRITES = [
  set("q", "x"),
  "delete q\r\n",
  "flush q\r\n",
  "flush_all\r\n",
  "flush_expired q\r\n",
  "flush_all_expired\r\n",
];
const READS = [
  "get q\r\n",
  "get q/t=100\r\n",
  "get q/open\r\n",
  "get q/peek\r\n",
  "get q/peek/n=5\r\n",
  "monitor q 1\r\n",
];
const ALWAYS = ["stats\r\n", "version\r\n", "status\r\n", "dump_stats\r\n", "get q/close\r\n", "get q/abort\r\n"];

const refusedOf = (world: SessionWorld, texts: readonly string[]): string[] =>
  texts.filter((text) => REFUSED.test(world.client().tell(text)));

t.test("a read-only server refuses what changes queues, and closes, case H146", async (t) => {
  const world = new SessionWorld();
  world.client().tell(set("q", "a"));
  await world.status.set("ReadOnly");
  t.same(refusedOf(world, WRITES), WRITES);
  t.same(refusedOf(world, ALWAYS), []);
  t.equal(world.client().tell("get q\r\n"), value("q", "a"));
  t.same(refusedOf(world, [set("q", "x".repeat(100))]).length, 1);
});

t.test("a quiescent server refuses reads as well, but close, abort and confirm of earlier ones work", async (t) => {
  const world = new SessionWorld({ maxOpenTransactions: 4 });
  for (const data of ["a", "b", "c", "d"]) world.client().tell(set("q", data));
  const client = world.client();
  for (let i = 0; i < 3; i++) client.tell("get q/open\r\n");
  const [, id = ""] = /^VALUE q 0 1 (\d+)/.exec(client.tell("get q/open/id\r\n")) ?? [];
  await world.status.set("Quiescent");
  t.same(refusedOf(world, READS), READS);
  t.same(refusedOf(world, WRITES), WRITES);
  t.same(refusedOf(world, ALWAYS), []);
  t.equal(client.tell("get q/close\r\n"), END);
  t.equal(client.tell("confirm q 1\r\n"), END);
  t.equal(client.tell("get q/abort\r\n"), END);
  t.equal(client.tell(`get q/close=${id}\r\n`), END);
  t.match(client.tell("get q/close/open\r\n"), REFUSED);
  t.match(world.queues.find("q")?.stats(), { items: 1, openTransactions: 0 });
});

t.test("who waits when the server becomes quiescent is sent home", async (t) => {
  const world = new SessionWorld();
  const waiting = world.client();
  const answer = waiting.wait("get q/t=60000\r\n");
  const stream = world.client().stream("monitor q 60\r\n");
  const last = stream.next();
  await world.status.set("Quiescent");
  t.equal(await answer, END);
  t.equal(await last, END);
  t.equal(await stream.next(), null);
  t.equal(world.clock.timers, 0);
});

t.test("status is told in capitals and set in any case", async (t) => {
  const world = new SessionWorld();
  const client = world.client();
  t.equal(client.tell("status\r\n"), "UP\r\n");
  for (const name of ["readonly", "QUIESCENT", "WriteAvoid", "up"]) {
    t.equal(await client.wait(`status ${name}\r\n`), END);
    t.equal(client.tell("status\r\n"), `${name.toUpperCase()}\r\n`);
  }
});

t.test("a status that nobody may ask for is CLIENT_ERROR, and closes", async (t) => {
  const world = new SessionWorld();
  for (const name of ["down", "Down", "nonsense", "toString"]) {
    t.match(world.client().tell(`status ${name}\r\n`), /^CLIENT_ERROR .*\r\n<close>$/, name);
  }
  t.equal(world.client().tell("status\r\n"), "UP\r\n");
});

t.test("a status that cannot be kept is SERVER_ERROR, and closes", async (t) => {
  const world = new SessionWorld();
  Object.assign(world.status, { set: () => Promise.reject(new Error("the disk is full")) });
  t.match(await world.client().wait("status readonly\r\n"), /^SERVER_ERROR .*the disk is full\r\n<close>$/);
});

t.test("what is refused to a client that said noreply still closes", async (t) => {
  const world = new SessionWorld();
  await world.status.set("ReadOnly");
  t.equal(world.client().tell(set("q", "a", " noreply")), "<close>");
  t.equal(world.client().tell("delete q noreply\r\n"), "<close>");
});

t.test("beyond the limits a connection may not put, or not get, case H144", async (t) => {
  const world = new SessionWorld({ connectionLimitRefuseWrites: 1, connectionLimitRefuseReads: 2 });
  const clients = [{}, {}, {}].map((connection) => {
    world.connections.opened(connection);
    return world.client();
  });
  const [first, second, third] = clients;
  t.equal(first?.tell(set("q", "a")), STORED);
  t.match(second?.tell(set("q", "b")), REFUSED);
  t.equal(second?.tell("get q/open\r\n"), value("q", "a"));
  t.match(third?.tell("get q\r\n"), REFUSED);
  t.match(third?.tell("version\r\n"), /^VERSION/);
  t.equal(first?.tell("get q\r\n"), END, "who was there before is served on");
});

t.test("a queue with a list of clients refuses those without an id", async (t) => {
  const world = new SessionWorld({
    queues: new Map([
      ["in", { enqueueClientIds: ["billing"] }],
      ["out", { dequeueClientIds: ["billing"] }],
    ]),
  });
  t.match(world.client().tell(set("in", "a")), REFUSED);
  t.match(world.client().tell(set("in+child", "a")), REFUSED);
  t.equal(world.client().tell("get in\r\n"), END);
  t.match(world.client().tell(set("in", "a")), REFUSED);
  t.equal(world.client().tell(set("out", "a")), STORED);
  for (const text of ["get out\r\n", "get out/open\r\n", "get out/peek\r\n", "monitor out 1\r\n"]) {
    t.match(world.client().tell(text), REFUSED, text);
  }
});

t.test("operations on a traced queue are logged, those on others are not", async (t) => {
  const world = new SessionWorld({ queues: new Map([["q", { enableTrace: true }]]) });
  const client = world.client();
  for (const text of [set("q", "abc"), "get q/open\r\n", "get q/close\r\n", "flush q\r\n", "delete q\r\n"])
    client.tell(text);
  for (const text of [set("p", "abc"), "get p\r\n", "delete p\r\n"]) client.tell(text);
  t.match(
    world.log.lines.map(({ facts }) => facts),
    [
      { queue: "q", peer: "test:1", operation: "set", amount: 3 },
      { operation: "open", amount: 3 },
      { operation: "close", amount: 1 },
      { operation: "flush" },
      { operation: "delete" },
    ],
  );
  t.equal(world.log.lines.length, 5);
});

t.test("the start and the end of sessions are logged if somebody asked for it", async (t) => {
  const world = new SessionWorld({ enableSessionTrace: true, maxOpenTransactions: 5 });
  const client = world.client();
  client.tell(set("q", "a"));
  client.tell("get q/open\r\n");
  client.session.close();
  client.session.close();
  t.match(world.log.lines, [
    { message: "a session began", facts: { peer: "test:1" } },
    { message: "a session ended", facts: { peer: "test:1", givenBack: 1 } },
  ]);
  t.equal(world.log.lines.length, 2);
});
