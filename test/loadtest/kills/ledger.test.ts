import t from "tap";
import { type ItemName, Ledger, nameIn, payload } from "../../../loadtest/kills/ledger.js";

const ITEM: ItemName = { queue: "q", producer: 1, counter: 7 };

/** A ledger in which ITEM is stored, and a way to deliver it. */
function bench() {
  const ledger = new Ledger(100);
  ledger.sending(ITEM, 50);
  ledger.stored(ITEM);
  const deliver = (atMs: number, isOpen = false) => ledger.delivered(ITEM, payload(ITEM, 50), { atMs, isOpen });
  return { ledger, deliver };
}

t.test("an item's bytes tell its name", async (t) => {
  t.same(nameIn(payload(ITEM, 50)), ITEM);
  t.equal(payload(ITEM, 50).length, 50);
  t.same(nameIn(payload(ITEM, 0)), ITEM);
});

t.test("an item that was stored and delivered once is in order, one that never came is lost", async (t) => {
  const { ledger, deliver } = bench();
  deliver(1);
  t.match(ledger.close(), { stored: 1, delivered: 1, lost: 0, duplicates_wrong: 0 });
  t.match(bench().ledger.close(), { stored: 1, delivered: 0, lost: 1 });
});

t.test("an item whose set was never answered may be there or not", async (t) => {
  const ledger = new Ledger(100);
  ledger.sending(ITEM, 50);
  t.match(ledger.close(), { stored: 0, delivered: 0, lost: 0 });
});

t.test("a second delivery needs a kill soon after the first answer", async (t) => {
  const wrong = (play: (world: ReturnType<typeof bench>) => void): number => {
    const world = bench();
    play(world);
    return world.ledger.close().duplicates_wrong;
  };
  t.equal(
    wrong(({ deliver }) => [deliver(1), deliver(2)]),
    1,
    "no kill at all",
  );
  const killedAfter = (ms: number) =>
    wrong(({ ledger, deliver }) => {
      deliver(1000);
      ledger.killed(1000 + ms);
      ledger.restarted();
      deliver(2000);
    });
  t.equal(killedAfter(99), 0);
  t.equal(killedAfter(101), 1);
});

t.test("an open read may come again when it was given back, not while it is held", async (t) => {
  const held = bench();
  held.deliver(1, true);
  held.deliver(2, true);
  t.equal(held.ledger.close().duplicates_wrong, 1);
  const returned = bench();
  returned.deliver(1, true).returned();
  returned.deliver(2);
  t.match(returned.ledger.close(), { duplicates_wrong: 0, duplicates_allowed: 1, lost: 0 });
  const killed = bench();
  killed.deliver(1, true);
  killed.ledger.killed(1000);
  killed.deliver(2000);
  t.match(killed.ledger.close(), { duplicates_wrong: 0, duplicates_allowed: 1, lost: 0 });
});

t.test("an open read that was given back, or cut off by a kill, and never came again is lost", async (t) => {
  const { ledger, deliver } = bench();
  deliver(1, true).returned();
  t.equal(ledger.close().lost, 1);
  const late = bench();
  late.ledger.killed(1);
  const read = late.deliver(2, true);
  read.closing();
  t.equal(late.ledger.close().lost, 1, "read after the kill: its close reached nobody");
});

t.test("a close counts from its answer; one that was not answered explains a second delivery", async (t) => {
  const after = (closedAtMs: number): number => {
    const { ledger, deliver } = bench();
    const read = deliver(1, true);
    read.closing();
    if (closedAtMs > 0) read.closed(closedAtMs);
    ledger.killed(1000);
    deliver(2000);
    return ledger.close().duplicates_wrong;
  };
  t.equal(after(0), 0);
  t.equal(after(950), 0);
  t.equal(after(850), 1);
});

t.test("what comes must be what was put", async (t) => {
  const { ledger } = bench();
  const spoilt = payload(ITEM, 50);
  spoilt[45] = 0;
  ledger.delivered(ITEM, spoilt, { atMs: 1, isOpen: false });
  const stranger = { ...ITEM, counter: 8 };
  ledger.delivered(stranger, payload(stranger, 50), { atMs: 2, isOpen: false });
  t.match(ledger.close(), { foreign: 2, lost: 1 });
});

t.test("a drained queue has each producer's items in order, and as many as it said", async (t) => {
  const { ledger } = bench();
  const names = [3, 5, 4].map((counter) => ({ ...ITEM, counter }));
  ledger.drained("q", [...names, { ...ITEM, producer: 2, counter: 1 }], 4);
  t.match(ledger.close(), { order_faults: 1, count_faults: 0 });
  ledger.drained("q", [], 1);
  t.match(ledger.close(), { order_faults: 1, count_faults: 1 });
});
