import t, { type Test } from "tap";
import type { Item } from "../../src/item.js";
import type { QueueJournal } from "../../src/journal/queue-journal.js";
import { newItem, put } from "../helpers/journal-bench.js";

/** Makes an empty queue's journal that goes away with the test. */
export type MakeQueueJournal = (t: Test) => Promise<QueueJournal>;

/** What every journal of a queue promises, whether it keeps anything or not. */
export function queueJournalCases(name: string, make: MakeQueueJournal): void {
  const it = (title: string, play: (journal: QueueJournal, t: Test) => Promise<void> | void): void => {
    void t.test(`${name}: ${title}`, async (t) => play(await make(t), t));
  };

  it("an empty one has nothing and takes puts", async (journal, t) => {
    t.match(journal, { waiting: 0, waitingBytes: 0, refusal: null });
    t.equal(journal.head, journal.next);
    t.same((await journal.readAhead(journal.head, 1000)).items, []);
  });

  it("items that are put are in line in their order, each with a sequence number of its own", async (journal, t) => {
    const first = journal.next;
    const items = ["a", "bb", "", "dddd"].map((data) => put(journal, data).item);
    t.ok(items.every((item, i) => i === 0 || item.seq > (items[i - 1] as Item).seq));
    t.equal(items[0]?.seq, first);
    t.ok(journal.next > (items[3] as Item).seq);
    t.match(journal, { waiting: 4, waitingBytes: 7, head: first });
  });

  it("an item keeps what it came with", async (journal, t) => {
    const { item } = put(journal, "data", { flags: 0xffffffff, addedAt: 1_700_000_000_123, expiresAt: 2 ** 52 });
    t.match(item, { flags: 0xffffffff, addedAt: 1_700_000_000_123, expiresAt: 2 ** 52, attempts: 0 });
    t.equal(item.data.toString(), "data");
  });

  it("bytes that the giver does not give away are copied", async (journal, t) => {
    for (const size of [5, 300_000]) {
      const data = Buffer.alloc(size, "a");
      const item = journal.append(newItem("", { data }), false, true);
      await (journal.written(item) ?? null);
      data.fill("b");
      t.equal(item.data[0], 0x61, `${size} bytes`);
      t.equal(item.data[size - 1], 0x61);
    }
  });

  it("a put is answered", async (journal, t) => {
    await t.resolves(Promise.all([put(journal, "a").written, put(journal, "b").written]));
  });

  it("a put is answered when its item was taken before it was written", async (journal, t) => {
    const item = journal.append(newItem("a"), true, true);
    await journal.take(item);
    await t.resolves(journal.written(item) ?? Promise.resolve());
  });

  it("what is taken is no longer counted", async (journal, t) => {
    const [a, b] = [put(journal, "aa").item, put(journal, "b").item];
    await journal.take(a);
    t.match(journal, { waiting: 1, waitingBytes: 1, head: b.seq });
    await journal.take(b);
    t.match(journal, { waiting: 0, waitingBytes: 0 });
    t.equal(journal.head, journal.next);
  });

  it("what is open is not in line, and its attempt is counted", async (journal, t) => {
    const { item } = put(journal, "aa");
    await journal.open(item);
    t.match(journal, { waiting: 0, waitingBytes: 0 });
    t.equal(item.attempts, 1);
    await journal.confirm(item);
    t.match(journal, { waiting: 0, waitingBytes: 0 });
  });

  it("what is given back can be opened again, and is given back once", async (journal, t) => {
    const { item } = put(journal, "a");
    await journal.open(item);
    t.equal(journal.giveBack(item), true);
    t.equal(journal.giveBack(item), false);
    t.equal(journal.waiting, 0, "what is back is not in line");
    await journal.open(item);
    t.equal(item.attempts, 2);
    t.equal(journal.giveBack(item), true);
    await journal.take(item);
    t.equal(journal.giveBack(item), false);
  });

  it("what is confirmed is gone, and confirming it again does nothing", async (journal, t) => {
    const { item } = put(journal, "a");
    await journal.open(item);
    await journal.confirm(item);
    await journal.confirm(item);
    t.equal(journal.giveBack(item), false);
    t.match(journal, { waiting: 0, waitingBytes: 0 });
  });

  it("a confirm of what was given back leaves it where it is", async (journal, t) => {
    const { item } = put(journal, "a");
    await journal.open(item);
    journal.giveBack(item);
    await journal.confirm(item);
    await journal.open(item);
    t.equal(journal.giveBack(item), true);
  });

  it("what was taken and could not be handed over is back", async (journal, t) => {
    const { item, written } = put(journal, "a");
    await journal.take(item);
    journal.restore(item);
    await written;
    await journal.open(item);
    t.equal(journal.giveBack(item), true);
    t.equal(journal.waiting, 0);
  });

  it("a flush removes the line and what is back, not what is open", async (journal, t) => {
    const [open, back] = [put(journal, "open").item, put(journal, "back").item];
    await journal.open(open);
    await journal.open(back);
    journal.giveBack(back);
    put(journal, "in line");
    const next = journal.next;
    await journal.flush();
    t.match(journal, { waiting: 0, waitingBytes: 0, next, head: next });
    t.equal(journal.giveBack(back), false);
    t.equal(journal.giveBack(open), true);
    t.ok(put(journal, "after").item.seq >= next, "sequence numbers go on");
    t.equal(journal.waiting, 1);
  });

  it("a second flush finds nothing and hurts nothing", async (journal, t) => {
    put(journal, "a");
    await Promise.all([journal.flush(), journal.flush()]);
    await journal.flush();
    t.equal(journal.waiting, 0);
    await t.resolves(put(journal, "b").written);
  });

  it("after its queue was deleted nothing comes back", async (journal, t) => {
    const [open, back] = [put(journal, "open"), put(journal, "back")];
    await journal.open(open.item);
    await journal.open(back.item);
    journal.giveBack(back.item);
    const inLine = put(journal, "in line");
    await journal.retire();
    await t.resolves(Promise.all([open.written, back.written, inLine.written]), "their puts are answered");
    t.match(journal, { waiting: 0, waitingBytes: 0 });
    t.equal(journal.giveBack(open.item), false);
    await journal.confirm(open.item);
  });

  it("counts can be put right", (journal, t) => {
    put(journal, "a");
    put(journal, "b");
    journal.recount(1, 1);
    t.match(journal, { waiting: 1, waitingBytes: 1 });
  });

  it("items that were not kept in memory are read in order, a part at a time, and never none while there are any", async (journal, t) => {
    const all = Array.from({ length: 50 }, (_, n) => `${n} ${"x".repeat(100)}`);
    const from = journal.next;
    const written = all.map((data) => {
      const item = journal.append(newItem(data), true, false);
      return journal.written(item);
    });
    await Promise.all(written);
    const read: string[] = [];
    let cursor = from;
    for (let trips = 0; trips < 100 && read.length < all.length; trips++) {
      const { items, next } = await journal.readAhead(cursor, 500);
      t.ok(items.length > 0, `${read.length} of ${all.length} read`);
      for (const item of items) read.push(item.data.toString());
      cursor = next;
    }
    t.same(read, all);
    const rest = await journal.readAhead(cursor, 500);
    t.same(rest.items, []);
    t.equal(rest.next, journal.next);
  });

  it("what the queue sets aside is not in line, and can be taken once", async (journal, t) => {
    const [a, b] = [put(journal, "aa").item, put(journal, "b").item];
    journal.setAside(a);
    t.match(journal, { waiting: 1, waitingBytes: 1, head: b.seq });
    t.equal(a.attempts, 0);
    t.equal(journal.giveBack(a), false, "it is no open read");
    await journal.take(a);
    await journal.open(b);
    journal.setAside(b);
    t.equal(journal.giveBack(b), false);
    t.equal(journal.waiting, 0);
    await journal.flush();
  });

  it("a delayed item is not in line until it joins its end", async (journal, t) => {
    const item = journal.appendDelayed(newItem("aa", { flags: 3 }), 1000);
    await journal.written(item);
    t.match(journal, { waiting: 0, waitingBytes: 0 });
    const { item: before } = put(journal, "b");
    const joined = journal.join(item, true);
    t.ok(joined.seq > before.seq);
    t.match(joined, { flags: 3, attempts: 0 });
    t.equal(joined.data.toString(), "aa");
    t.match(journal, { waiting: 2, waitingBytes: 3 });
    await journal.written(joined);
  });

  it("an open one can be delayed, keeps its attempts, and is delayed once", async (journal, t) => {
    const { item } = put(journal, "a");
    await journal.open(item);
    t.equal(journal.delay(item, 1000), true);
    t.equal(journal.delay(item, 1000), false);
    t.equal(journal.giveBack(item), false);
    await journal.confirm(item);
    const joined = journal.join(item, true);
    t.equal(joined.attempts, 1);
    t.equal(journal.waiting, 1);
    await journal.open(joined);
    t.equal(joined.attempts, 2);
  });

  it("a flush removes what is delayed or set aside, and answers its put", async (journal, t) => {
    const delayed = journal.appendDelayed(newItem("a"), 1000);
    const written = journal.written(delayed) ?? Promise.resolve();
    journal.setAside(put(journal, "b").item);
    await journal.flush();
    await t.resolves(written);
    t.equal(journal.waiting, 0);
  });

  it("a look at the line passes over as many as it is told, and leaves all where it is", async (journal, t) => {
    const from = journal.next;
    const written = ["a", "b", "c", "d", "e"].map((data) => {
      const item = journal.append(newItem(data), true, false);
      return journal.written(item);
    });
    const look = async (skip: number, count: number, start = from): Promise<string> =>
      (await journal.peek(start, skip, count)).map(({ data }) => data.toString()).join("");
    t.equal(await look(1, 2), "bc", "before they are written");
    await Promise.all(written);
    t.equal(await look(0, 9), "abcde");
    t.equal(await look(1, 2), "bc");
    t.equal(await look(1, 2, from + 2), "de");
    t.equal(await look(5, 2), "");
    t.equal(await look(0, 0), "");
    t.equal(journal.waiting, 5);
  });
}
