import t from "tap";
import { SessionWorld } from "../helpers/session-world.js";
import { END, set, value } from "../helpers/wire.js";

/** Whether a promise is settled by what has happened so far. */
async function settled(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol("open");
  await new Promise(setImmediate);
  return (await Promise.race([promise, Promise.resolve(open)])) !== open;
}

t.test("a fetch waits for its time, not shorter, and counts as a miss at the end", async (t) => {
  const world = new SessionWorld();
  const client = world.client();
  const answer = client.wait("get q/t=500\r\n");
  t.equal(client.session.waiting, true);
  world.clock.pass(499);
  t.notOk(await settled(answer));
  t.match(world.counters, { gets: 1, misses: 0 });
  world.clock.pass(1);
  t.equal(await answer, END);
  t.equal(client.session.waiting, false);
  t.match(world.counters, { gets: 1, misses: 1, hits: 0 });
  t.equal(world.clock.timers, 0);
});

t.test("an item that comes ends the wait", async (t) => {
  const world = new SessionWorld();
  for (const key of ["q", "q/open", "q/peek"]) {
    const answer = world.client().wait(`get ${key}/t=500\r\n`);
    world.client().tell(set("q", "a"));
    t.equal(await answer, value("q", "a"), key);
    world.client().tell("flush q\r\n");
  }
  t.match(world.counters, { hits: 3, misses: 0 });
  t.equal(world.clock.timers, 0);
});

t.test("a client that is gone leaves the list at once and takes nothing, case C73 and C76", async (t) => {
  const world = new SessionWorld();
  const first = world.client();
  const gone = first.wait("get q/open/t=3599000\r\n");
  const second = world.client().wait("get q/t=3000\r\n");
  first.session.close();
  t.match(world.queues.find("q")?.stats(), { waiters: 1 });
  world.client().tell(set("q", "a"));
  t.equal(await gone, END);
  t.equal(await second, value("q", "a"));
  t.equal(world.clock.timers, 0);
});

t.test("an item that is handed over in the moment in which the client goes is given back", async (t) => {
  for (const key of ["q", "q/open"]) {
    const world = new SessionWorld();
    const client = world.client();
    const answer = client.wait(`get ${key}/t=1000\r\n`);
    world.client().tell(set("q", "a"));
    client.session.close();
    t.equal(await answer, "");
    t.equal(world.client().tell("get q\r\n"), value("q", "a"), key);
  }
});

t.test("a client that has ended its side is kept waiting no more, and takes nothing", async (t) => {
  const world = new SessionWorld();
  const client = world.client();
  const answer = client.wait("get q/t=1000\r\n");
  client.session.endInput();
  world.client().tell(set("q", "a"));
  t.equal(await answer, END);
  t.equal(client.tell("get q/t=1000\r\n"), value("q", "a"), "what is there it still gets");
  t.equal(client.tell("get q/t=1000\r\n"), END, "but not by waiting");
});

t.test("a wait can be ended early", async (t) => {
  const world = new SessionWorld();
  const client = world.client();
  t.equal(client.session.cutWaitShort(), false);
  const answer = client.wait("get q/t=1000\r\n");
  t.equal(client.session.cutWaitShort(), true);
  t.equal(await answer, END);
});

t.test("a client that does not read is passed over; when it reads again it is served", async (t) => {
  const world = new SessionWorld();
  const deaf = world.client();
  const answer = deaf.wait("get q/t=1000\r\n");
  deaf.session.mute(true);
  const other = world.client().wait("get q/t=1000\r\n");
  world.client().tell(set("q", "a"));
  t.equal(await other, value("q", "a"));
  world.client().tell(set("q", "b"));
  t.notOk(await settled(answer));
  deaf.session.mute(false);
  t.equal(await answer, value("q", "b"));
});

t.test("one that was passed over goes on waiting until its own deadline", async (t) => {
  const world = new SessionWorld();
  const client = world.client();
  const answer = client.wait("get q/t=1000\r\n");
  client.session.mute(true);
  world.client().tell(set("q", "a"));
  world.clock.pass(1000);
  t.equal(await answer, END);
  client.session.mute(false);
  t.equal(world.queues.find("q")?.items, 1);
});

t.test("delete ends the waits of a queue, case C81", async (t) => {
  const world = new SessionWorld();
  const answer = world.client().wait("get q/t=10000\r\n");
  const other = world.client();
  other.tell("delete q\r\n");
  other.tell(set("q", "new"));
  t.equal(await answer, END);
  t.equal(other.tell("get q\r\n"), value("q", "new"));
});

t.test("a stop ends all waits, and later ones at once", async (t) => {
  const world = new SessionWorld();
  const waits = ["q", "q/open", "p/peek"].map((key) => world.client().wait(`get ${key}/t=10000\r\n`));
  world.queues.endWaits();
  for (const wait of waits) t.equal(await wait, END);
  t.equal(await world.client().ask("get q/t=10000\r\n"), END);
  t.equal(await world.client().ask("get new/t=10000\r\n"), END);
});

t.test(
  "a get waits for items that are being read from the disk, also when the client has ended its side",
  async (t) => {
    for (const key of ["q", "q/t=5000"]) {
      const world = new SessionWorld();
      const client = world.client();
      const queue = world.queues.open("q");
      const { fetchNow, wait } = queue;
      const waits: number[] = [];
      Object.assign(queue, {
        fetchNow: () => "loading",
        wait: (...[mode, waitMs, patron]: Parameters<typeof wait>) => {
          waits.push(waitMs);
          return wait.call(queue, mode, 5000, patron);
        },
      });
      Object.defineProperty(queue, "items", { value: 1 });
      const answer = client.wait(`get ${key}\r\n`);
      t.equal(client.session.cutWaitShort(), false);
      client.session.endInput();
      Object.assign(queue, { fetchNow });
      world.client().tell(set("q", "a"));
      t.equal(await answer, value("q", "a"));
      t.same(waits, [key === "q" ? 0 : 5000]);
    }
  },
);

t.test(
  "a client that neither reads nor sends any more is not kept waiting for an item that it could not take",
  async (t) => {
    const world = new SessionWorld();
    const client = world.client();
    const answer = client.wait("get q/t=60000\r\n");
    client.session.mute(true);
    world.client().tell(set("q", "a"));
    client.session.endInput();
    t.equal(await answer, END);
    t.equal(world.queues.find("q")?.items, 1);
  },
);
