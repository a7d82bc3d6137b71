import fc from "fast-check";
import t from "tap";
import { readMetadata, writeMetadata } from "../../src/journal/metadata.js";

const NONE = Buffer.alloc(0);

t.test("what was written is read", (t) => {
  const time = fc.integer({ min: 0, max: 2 ** 52 });
  const record = fc.record(
    {
      source: fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((c) => String.fromCharCode(c)) }),
      attempts: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      firstAddedAt: time,
      diedAt: time,
      handedOut: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(record, record, (before, changes) => {
      t.same(readMetadata(writeMetadata(changes, writeMetadata(before, NONE))), { ...before, ...changes });
    }),
  );
  t.end();
});

t.test("an item without a history has no metadata", (t) => {
  t.same(readMetadata(NONE), {});
  t.equal(writeMetadata({}, NONE).length, 0);
  t.end();
});

t.test("tags of later versions are kept, and not understood", (t) => {
  const strange = Buffer.from([200, 0, 3, 1, 2, 3]);
  const meta = writeMetadata({ attempts: 4 }, strange);
  t.same(readMetadata(meta), { attempts: 4 });
  t.ok(meta.includes(strange));
  t.ok(writeMetadata({ attempts: 5 }, meta).includes(strange));
  t.end();
});

t.test("damaged metadata harms nobody", (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      readMetadata(Buffer.from(bytes));
      t.equal(readMetadata(writeMetadata({ attempts: 2 }, Buffer.from(bytes))).attempts, 2);
    }),
  );
  t.end();
});
