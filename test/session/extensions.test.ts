import t from "tap";
import { SessionWorld, type TestClient } from "../helpers/session-world.js";
import { END, STORED, set, value } from "../helpers/wire.js";

function filled(count: number, options: ConstructorParameters<typeof SessionWorld>[0] = {}): SessionWorld {
  const world = new SessionWorld({ maxOpenTransactions: 5, ...options });
  for (let i = 0; i < count; i++) world.client().tell(set("q", `${i}`));
  return world;
}

/** The answer to a batch: its items, one END. */
function values(...data: string[]): string {
  return data.map((one) => `VALUE q 0 ${one.length}\r\n${one}\r\n`).join("") + END;
}

/** Opens the head and tells its delivery id. */
function openWithId(client: TestClient): string {
  const [, id] = /^VALUE q 0 \d+ (\d+)\r\n/.exec(client.tell("get q/open/id\r\n")) ?? [];
  if (id === undefined) throw new Error("no delivery id");
  return id;
}

t.test("a batch opens several items with one END, as many as there are and may be open", async (t) => {
  const world = filled(7);
  const client = world.client();
  t.equal(client.tell("get q/open/n=2\r\n"), values("0", "1"));
  t.equal(client.tell("get q/open/n=10\r\n"), values("2", "3", "4"), "five may be open");
  t.match(client.tell("get q/open/n=1\r\n"), /^ERROR .*\r\n<close>$/);
  t.equal(client.tell("confirm q 5\r\n"), END);
  t.equal(client.tell("get q/open/n=4\r\n"), values("5", "6"));
  t.equal(client.tell("get q/open/n=4\r\n"), END);
  t.match(world.counters, { gets: 5 - 1, hits: 3, misses: 1 });
});

t.test("a batch ends where it would become too large", async (t) => {
  const world = new SessionWorld({ maxOpenTransactions: 10 });
  const large = "x".repeat(700_000);
  for (let i = 0; i < 3; i++) world.client().tell(set("q", large));
  t.equal(world.client().tell("get q/open/n=10\r\n"), values(large, large));
});

t.test("a batch waits for its first item only", async (t) => {
  const world = filled(0);
  const client = world.client();
  const answer = client.wait("get q/open/n=3/t=1000\r\n");
  world.client().tell(set("q", "a"));
  t.equal(await answer, values("a"));
  const nothing = client.wait("get q/open/n=3/t=1000\r\n");
  world.clock.pass(1000);
  t.equal(await nothing, END);
});

t.test("a batch goes out when all its items are known to the journal", async (t) => {
  const world = filled(2);
  world.journal.holdsRemovals = true;
  const answer = world.client().wait("get q/open/n=2/id\r\n");
  t.equal(world.journal.held, 2);
  world.journal.release();
  t.match(await answer, /^VALUE q 0 1 \d+\r\n0\r\nVALUE q 0 1 \d+\r\n1\r\nEND\r\n$/);
});

t.test("reads are closed by their ids, out of order", async (t) => {
  const world = filled(3);
  const client = world.client();
  const ids = [openWithId(client), openWithId(client), openWithId(client)];
  t.equal(new Set(ids).size, 3);
  t.equal(client.tell(`get q/close=${ids[1]}\r\n`), END);
  t.equal(client.tell(`get q/close=${ids[1]}\r\n`), END, "it is closed already");
  t.equal(client.tell(`get q/abort=${ids[2]}/abort=${ids[0]}\r\n`), END);
  t.match(world.queues.find("q")?.stats(), { openTransactions: 0, items: 2 });
  t.equal(world.client().tell("get q\r\n"), value("q", "0"));
  t.equal(world.client().tell("get q\r\n"), value("q", "2"));
});

t.test("an id is good on the connection that got it, and not for another run of the server", async (t) => {
  const world = filled(1);
  const client = world.client();
  const id = openWithId(client);
  world.client().tell(`get q/close=${id}\r\n`);
  client.tell("get q/close=1\r\n");
  t.match(world.queues.find("q")?.stats(), { openTransactions: 1 });
  t.equal(client.tell(`get q/close=${id}/open/t=0\r\n`), END);
  t.match(world.queues.find("q")?.stats(), { openTransactions: 0, items: 0 });
});

t.test("an abort with a delay lets the others pass", async (t) => {
  const world = filled(2);
  const client = world.client();
  client.tell("get q/open\r\n");
  t.equal(client.tell("get q/abort/delay=5000\r\n"), END);
  t.equal(client.tell("get q/open\r\n"), value("q", "1"));
  t.equal(client.tell("get q/close/open\r\n"), END);
  world.clock.pass(5000);
  t.equal(client.tell("get q/open\r\n"), value("q", "0"));
});

t.test("an item may be put with a delay", async (t) => {
  const world = filled(0);
  const client = world.client();
  t.equal(client.tell("set q/delay=5000 0 0 1\r\na\r\n"), STORED);
  t.equal(client.tell("get q\r\n"), END);
  world.clock.pass(5000);
  t.equal(client.tell("get q\r\n"), value("q", "a"));
  t.match(client.tell("set q/delay=x 0 0 1\r\na\r\n"), /^CLIENT_ERROR bad delay\r\n$/);
  t.match(client.tell("set q/open 0 0 1\r\na\r\n"), /^CLIENT_ERROR .*\r\n$/);
});

t.test("a peek looks at several items, or behind the head, and takes none", async (t) => {
  const world = filled(3);
  const client = world.client();
  t.equal(await client.wait("get q/peek/n=2\r\n"), values("0", "1"));
  t.equal(await client.wait("get q/peek/n=20\r\n"), values("0", "1", "2"));
  t.equal(await client.wait("get q/peek/at=2\r\n"), values("2"));
  t.equal(await client.wait("get q/peek/at=0\r\n"), values("0"));
  t.equal(await client.wait("get q/peek/at=3\r\n"), END);
  t.match(world.counters, { peeks: 5, hits: 4, misses: 1, gets: 0 });
  t.match(world.queues.find("q")?.stats(), { items: 3, openTransactions: 0 });
});

t.test("what comes behind a peek waits until it is answered", async (t) => {
  const world = filled(1);
  const client = world.client();
  const answer = client.wait("get q/peek/n=2\r\n");
  t.ok(client.session.waiting);
  t.notOk(client.session.cutWaitShort());
  t.equal(await answer, values("0"));
  t.notOk(client.session.waiting);
});

t.test("stats list the extensions, unless they are off", async (t) => {
  t.match(
    new SessionWorld().client().tell("stats\r\n"),
    /^STAT capabilities open\/n,open\/id,close=id,abort=id,abort\/delay,set\/delay,peek\/n,peek\/at\r$/m,
  );
  t.notMatch(new SessionWorld({ extensions: false }).client().tell("stats\r\n"), /capabilities/);
});

t.test("without extensions an unknown option is ignored, as in Kestrel, and the operator is told once", async (t) => {
  const world = filled(3, { extensions: false });
  const client = world.client();
  t.equal(client.tell("get q/close=17\r\n"), value("q", "0"));
  t.equal(client.tell("get q/clsoe\r\n"), value("q", "1"));
  t.equal(client.tell("get q/open/n=10/id\r\n"), value("q", "2"));
  t.match(world.log.complaints, [{ level: "warn", facts: { option: "close=17", peer: "test:1" } }]);
  t.equal(world.log.complaints.length, 1);
  t.match(client.tell("set q/delay=5 0 0 1\r\na\r\n"), /^CLIENT_ERROR .*\r\n$/);
});
