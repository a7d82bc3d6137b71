import fc from "fast-check";
import t from "tap";
import { JournalItem } from "../../src/journal/journal-item.js";
import {
  type OutKind,
  readFormat,
  readOut,
  readQueue,
  readState,
  writeFormat,
  writeOut,
  writeQueue,
  writeState,
} from "../../src/journal/records.js";
import { withBitTurned } from "../helpers/damage.js";

const uint53 = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const uint32 = fc.integer({ min: 0, max: 0xffffffff });

const anyState = fc.record({
  head: uint53,
  next: uint53,
  lowestOut: uint53,
  waiting: uint53,
  waitingBytes: uint53,
  delayed: uint53,
  out: uint53,
  nextOrdinal: uint53,
  lastPage: uint53,
  pageBytes: uint53,
  headAddedAt: uint53,
});

t.test("every small record comes back as it was written, also when a later version has added to it", (t) => {
  const more = (record: Buffer): Buffer => Buffer.concat([record, Buffer.from("later")]);
  fc.assert(
    fc.property(fc.record({ format: uint32, oldestReader: uint32, boots: uint53, nextQueueId: uint32 }), (record) => {
      t.same(readFormat(writeFormat(record)), record);
      t.same(readFormat(more(writeFormat(record))), record);
    }),
  );
  fc.assert(
    fc.property(fc.record({ id: uint32, createdAt: uint53 }), (record) => {
      t.same(readQueue(writeQueue(record)), record);
      t.same(readQueue(more(writeQueue(record))), record);
    }),
  );
  fc.assert(fc.property(anyState, (record) => void t.same(readState(writeState(record)), record)));
  t.end();
});

t.test("a record of an item out of line comes back as it was written, with its item or without", (t) => {
  const anyOut = fc.record({
    kind: fc.constantFrom<OutKind>("open", "back", "delayed", "removed"),
    attempts: uint32,
    dueAt: uint53,
    placeInLine: uint53,
    item: fc.option(fc.uint8Array({ maxLength: 100 })),
  });
  fc.assert(
    fc.property(anyOut, ({ item, ...record }) => {
      const own =
        item === null
          ? null
          : new JournalItem(2 ** 40, Buffer.from(item), 1, 2, 3, Buffer.from("\x09\x00\x00\x00\x01!"), null);
      const read = readOut(writeOut({ ...record, item: own }));
      t.match(read, record);
      if (typeof read === "string") return t.fail(read);
      if (own === null) return t.equal(read.item, null);
      t.match(read.item, { seq: 2 ** 40, flags: 1, addedAt: 2, expiresAt: 3, page: null });
      return t.ok(read.item?.data.equals(own.data) && read.item.meta.equals(own.meta));
    }),
  );
  t.end();
});

t.test("a damaged record is known as one", (t) => {
  const state = writeState({ ...fc.sample(anyState, 1)[0]! });
  const out = writeOut({ kind: "open", attempts: 1, dueAt: 0, placeInLine: 1, item: null });
  for (let at = 4; at < state.length; at++) t.equal(readState(withBitTurned(state, at)), null, `byte ${at} of a state`);
  for (let at = 4; at < out.length; at++)
    t.equal(readOut(withBitTurned(out, at)), "damaged", `byte ${at} of an item out of line`);
  t.equal(readState(state.subarray(0, 90)), null);
  t.equal(readOut(out.subarray(0, 31)), "damaged");
  t.equal(readQueue(Buffer.alloc(15, 1)), null);
  t.equal(readFormat(Buffer.alloc(19)), null);
  t.end();
});

t.test("an item out of line in a state of a later version is known as one", (t) => {
  const item = null;
  const record = writeOut({ kind: "later" as OutKind, attempts: 1, dueAt: 0, placeInLine: 1, item });
  t.equal(readOut(record), "unknown");
  t.end();
});
