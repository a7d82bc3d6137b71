import t, { type Test } from "tap";
import { SessionWorld, type TestStream } from "../helpers/session-world.js";
import { END, set, value } from "../helpers/wire.js";

function filled(count: number, maxOpenTransactions = 10): SessionWorld {
  const world = new SessionWorld({ maxOpenTransactions });
  for (let i = 0; i < count; i++) world.client().tell(set("q", `${i}`));
  return world;
}

/** The next reply, which must be waited for. */
function promised(stream: TestStream): Promise<string | null> {
  const next = stream.next();
  if (next instanceof Promise) return next;
  throw new Error(`it came at once: ${next}`);
}

/** Takes the last END and the end of the stream. */
async function expectEnd(t: Test, stream: TestStream): Promise<void> {
  t.equal(await stream.next(), END);
  t.equal(await stream.next(), null);
}

t.test("items come as open reads, each with its END, then a last END when the time is over, case J158", async (t) => {
  const world = filled(2);
  const client = world.client();
  const stream = client.stream("monitor q 1 10\r\n");
  t.equal(stream.next(), value("q", "0"));
  t.equal(stream.next(), value("q", "1"));
  const last = stream.next();
  t.ok(client.session.waiting);
  world.clock.pass(999);
  t.ok(client.session.waiting);
  world.clock.pass(1);
  t.equal(await last, END);
  t.equal(await stream.next(), null);
  t.notOk(client.session.waiting);
  t.match(world.queues.find("q")?.stats(), { openTransactions: 2, waiters: 0 });
  t.match(world.counters, { monitors: 1, gets: 0, hits: 2, misses: 1 });
  t.equal(client.tell("confirm q 2\r\n"), END);
  t.equal(world.clock.timers, 0);
});

t.test("it stops at its count", async (t) => {
  const stream = filled(3).client().stream("monitor q 10 2\r\n");
  t.equal(stream.next(), value("q", "0"));
  t.equal(stream.next(), value("q", "1"));
  await expectEnd(t, stream);
});

t.test("it stops at the open limit, what is open already counts, case J159", async (t) => {
  const world = filled(3, 2);
  const client = world.client();
  client.tell("get q/open\r\n");
  const stream = client.stream("monitor q 10 10\r\n");
  t.equal(stream.next(), value("q", "1"));
  await expectEnd(t, stream);
  const alone = filled(2, 1).client().stream("monitor q 10\r\n");
  t.equal(alone.next(), value("q", "0"));
  await expectEnd(t, alone);
});

t.test("without time or count it ends at once, and takes nothing", async (t) => {
  const world = filled(1);
  for (const words of ["0", "-1", "10 0", "10 -3"]) await expectEnd(t, world.client().stream(`monitor q ${words}\r\n`));
  t.equal(world.queues.find("q")?.items, 1);
});

t.test("for each item it goes back to the end of the line", async (t) => {
  const world = filled(0);
  const [a, b] = [world.client(), world.client()].map((client) => client.stream("monitor q 10\r\n"));
  if (a === undefined || b === undefined) throw new Error("no streams");
  const firsts = [promised(a), promised(b)];
  for (const data of ["1", "2"]) world.client().tell(set("q", data));
  t.same(await Promise.all(firsts), [value("q", "1"), value("q", "2")]);
  const seconds = [promised(b), promised(a)];
  for (const data of ["3", "4"]) world.client().tell(set("q", data));
  t.same(await Promise.all(seconds), [value("q", "3"), value("q", "4")]);
});

t.test("the end of the client's side ends it, and nothing more is taken", async (t) => {
  const world = filled(1);
  const client = world.client();
  const stream = client.stream("monitor q 10\r\n");
  t.equal(stream.next(), value("q", "0"));
  const last = stream.next();
  client.session.endInput();
  world.client().tell(set("q", "1"));
  t.equal(await last, END);
  t.equal(stream.next(), null);
  const late = client.stream("monitor q 10\r\n");
  await expectEnd(t, late);
  t.equal(world.queues.find("q")?.items, 1);
});

t.test("a client that goes leaves the line, and its items go back, case J160", async (t) => {
  const world = filled(2);
  const client = world.client();
  const stream = client.stream("monitor q 10\r\n");
  t.equal(stream.next(), value("q", "0"));
  t.equal(stream.next(), value("q", "1"));
  const last = stream.next();
  client.session.close();
  t.equal(await last, END);
  t.match(world.queues.find("q")?.stats(), { waiters: 0, items: 2, openTransactions: 0 });
  t.equal(world.clock.timers, 0);
});

t.test("an item that is handed over in the moment in which the client goes is given back", async (t) => {
  const world = filled(0);
  const client = world.client();
  const next = client.stream("monitor q 10\r\n").next();
  world.client().tell(set("q", "a"));
  client.session.close();
  t.equal(await next, "");
  t.match(world.queues.find("q")?.stats(), { items: 1, openTransactions: 0 });
});

t.test("the end of the queue ends it", async (t) => {
  const world = filled(0);
  const stream = world.client().stream("monitor q 10\r\n");
  const last = stream.next();
  world.client().tell("delete q\r\n");
  t.equal(await last, END);
  t.equal(await stream.next(), null);
});

t.test("too much input behind it ends it", async (t) => {
  const world = filled(0);
  const client = world.client();
  const stream = client.stream("monitor q 10\r\n");
  const last = stream.next();
  t.ok(client.session.cutWaitShort());
  t.equal(await last, END);
  t.equal(await stream.next(), null);
});

t.test("an item goes out when the journal knows that it is open", async (t) => {
  const world = filled(1);
  world.journal.holdsRemovals = true;
  const next = world.client().stream("monitor q 10\r\n").next();
  t.equal(world.journal.held, 1);
  world.journal.release();
  t.equal(await next, value("q", "0"));
});

t.test("faults are answered at once", async (t) => {
  const world = new SessionWorld({ aliases: new Map([["all", { destinationQueues: ["q"] }]]) });
  t.match(world.client().tell("monitor a.b 1\r\n"), /^CLIENT_ERROR .*\r\n$/);
  t.match(world.client().tell("monitor q/open 1\r\n"), /^CLIENT_ERROR .*\r\n$/);
  t.match(world.client().tell("monitor q x\r\n"), /^CLIENT_ERROR .*\r\n$/);
  t.equal(world.client().tell("monitor all 1\r\n"), END, "an alias has no items");
  t.same(world.queues.list(), []);
});
