import t from "tap";
import { WindhoverError } from "../../src/errors.js";
import { SessionWorld } from "../helpers/session-world.js";
import { END, NOT_STORED, STORED, set, value } from "../helpers/wire.js";

t.test("a put is STORED at once when the journal need not be waited for", async (t) => {
  const world = new SessionWorld();
  const client = world.client();
  t.equal(client.tell(set("q", "abc")), STORED);
  t.equal(client.tell("get q\r\n"), value("q", "abc"));
  t.equal(world.counters.sets, 1);
});

t.test("a put is STORED when the journal has it", async (t) => {
  const world = new SessionWorld();
  world.journal.holdsPuts = true;
  const stored = world.client().wait(set("q", "abc"));
  t.equal(world.journal.held, 1);
  world.journal.release();
  t.equal(await stored, STORED);
});

t.test(
  "a put that the journal could not write is SERVER_ERROR with the reason, and the connection stays",
  async (t) => {
    const world = new SessionWorld();
    world.journal.holdsPuts = true;
    const answer = world.client().wait(set("q", "abc"));
    world.journal.release(new WindhoverError("WH_WRITE_FAILED", "the disk is full"));
    t.equal(await answer, "SERVER_ERROR the disk is full\r\n");
  },
);

t.test("a put is refused with SERVER_ERROR while writes are blocked, and the connection stays", async (t) => {
  const world = new SessionWorld();
  world.journal.refusal = "the journal cannot be written";
  t.equal(world.client().tell(set("q", "a")), "SERVER_ERROR writes are blocked: the journal cannot be written\r\n");
});

t.test("a full queue and an item that is too large are NOT_STORED", async (t) => {
  const world = new SessionWorld({
    queues: new Map([
      ["few", { maxItems: 1 }],
      ["small", { maxItemBytes: 3 }],
    ]),
  });
  const client = world.client();
  t.equal(client.tell(set("few", "a")), STORED);
  t.equal(client.tell(set("few", "b")), NOT_STORED);
  t.equal(client.tell(set("small", "abc")), STORED);
  t.equal(client.tell(set("small", "abcd")), NOT_STORED);
  t.equal(client.tell(set("small", "abcd", " noreply")), "");
  t.equal(world.counters.sets, 5);
});

t.test("noreply is silent, also on refusal and failure, and still waits for the journal", async (t) => {
  const world = new SessionWorld({ queues: new Map([["few", { maxItems: 1 }]]) });
  const client = world.client();
  t.equal(client.tell(set("few", "a", " noreply")), "");
  t.equal(client.tell(set("few", "b", " noreply")), "");
  t.equal(client.tell(set("a.b", "b", " noreply")), "");
  world.journal.holdsPuts = true;
  const lost = client.wait(set("q", "a", " noreply"));
  world.journal.release(new WindhoverError("WH_WRITE_FAILED", "no"));
  t.equal(await lost, "");
  world.journal.holdsPuts = false;
  world.journal.refusal = "no";
  t.equal(client.tell(set("q", "a", " noreply")), "");
});

t.test("an illegal name is CLIENT_ERROR, creates nothing and does not count", async (t) => {
  const world = new SessionWorld({ queues: new Map([["a.b", { maxItemBytes: 1 }]]) });
  const client = world.client();
  for (const name of ["a.b", "a~b", "a/b", "+a", "a+", "x".repeat(251), "\x7f"]) {
    t.match(client.tell(set(name, "abc")), /^CLIENT_ERROR .*\r\n$/, name);
  }
  t.same(world.queues.list(), []);
  t.equal(world.counters.sets, 0);
});

t.test("expiry: never, in so many seconds, at a moment, already over", async (t) => {
  const world = new SessionWorld();
  const client = world.client();
  const put = (queue: string, expiry: number): void => {
    t.equal(client.tell(`set ${queue} 0 ${expiry} 1\r\nx\r\n`), STORED);
  };
  const now = Math.floor(world.clock.wallMs() / 1000);
  put("never", 0);
  put("in", 10);
  put("at", now + 20);
  put("over", -1);
  put("past", 1_000_000);
  t.equal(client.tell("get over\r\n"), END);
  t.equal(client.tell("get past\r\n"), END);
  world.clock.pass(9_999);
  t.equal(client.tell("get in/peek\r\n"), value("in", "x"));
  world.clock.pass(1);
  t.equal(client.tell("get in\r\n"), END);
  t.equal(client.tell("get at/peek\r\n"), value("at", "x"));
  world.clock.pass(10_000);
  t.equal(client.tell("get at\r\n"), END);
  t.equal(client.tell("get never\r\n"), value("never", "x"));
});
