import fc from "fast-check";
import t from "tap";
import type { NewItem } from "../../src/item.js";
import type { JournalItem } from "../../src/journal/journal-item.js";
import { MAX_PAGE_BYTES, Page, readPage } from "../../src/journal/page.js";

const uint53 = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const anyItem = fc.record({
  data: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  flags: fc.integer({ min: 0, max: 0xffffffff }),
  addedAt: uint53,
  expiresAt: uint53,
});
const anyItems = fc.array(anyItem, { minLength: 1, maxLength: 30 });

/** Fills a page as the journal does. */
function fill(page: Page, items: readonly NewItem[], first: number): JournalItem[] {
  return items.map((item, i) => page.append(first + i, item));
}

function plain({ seq, data, flags, addedAt, expiresAt, meta }: JournalItem): object {
  return { seq, data: data.toString("hex"), flags, addedAt, expiresAt, meta: meta.toString("hex") };
}

t.test("what a page is made of comes back out of its record", (t) => {
  fc.assert(
    fc.property(anyItems, fc.integer({ min: 0, max: 2 ** 52 }), uint53, uint53, (items, first, ordinal, previous) => {
      const page = new Page(10_000);
      const added = fill(page, items, first);
      const record = page.seal(ordinal, previous) as Buffer;
      const contents = readPage(record, null);
      t.match(contents, { ordinal, previous });
      t.same(contents?.items.map(plain), added.map(plain));
      t.match(page, {
        first,
        last: first + items.length - 1,
        total: items.length,
        bytes: record.length,
        state: "sealed",
      });
    }),
    { numRuns: 50 },
  );
  t.end();
});

t.test("what is gone before it is sealed is left out, and what is left keeps its place", (t) => {
  fc.assert(
    fc.property(anyItems, fc.infiniteStream(fc.boolean()), (items, gone) => {
      const page = new Page(10_000);
      const added = fill(page, items, 1);
      for (const item of added) if (gone.next().value === true) dismiss(page, item);
      const kept = added.filter((item) => item.place !== "gone");
      const record = page.seal(0, 0);
      if (kept.length === 0) return t.equal(record, null);
      t.same(readPage(record as Buffer, null)?.items.map(plain), kept.map(plain));
      return t.match(page, { first: kept[0]?.seq, last: kept.at(-1)?.seq, total: kept.length });
    }),
    { numRuns: 50 },
  );
  t.end();
});

function dismiss(page: Page, item: JournalItem): void {
  item.place = "gone";
  page.live--;
}

t.test("a record that was changed anywhere, or is too short, is no page", (t) => {
  const page = new Page(10_000);
  fill(
    page,
    ["", "a", "bb"].map((data) => ({ data: Buffer.from(data), flags: 1, addedAt: 2, expiresAt: 3 })),
    9,
  );
  const record = Buffer.from(page.seal(7, 8) as Buffer);
  for (let at = 0; at < record.length; at++) {
    // Bytes 1 to 3 are for later versions.
    if (at >= 1 && at <= 3) continue;
    const damaged = Buffer.from(record);
    damaged.writeUInt8(damaged.readUInt8(at) ^ 0x40, at);
    t.equal(readPage(damaged, null), null, `byte ${at}`);
    t.equal(readPage(record.subarray(0, at), null), null, `${at} bytes`);
  }
  t.not(readPage(record, null), null);
  t.end();
});

t.test("noise is no page", (t) => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => readPage(Buffer.from(bytes), null) === null));
  t.end();
});

t.test("an item that is larger than a page is a page of its own, and takes the buffer over", (t) => {
  for (const size of [MAX_PAGE_BYTES - 68, MAX_PAGE_BYTES - 67, MAX_PAGE_BYTES, 3_000_000]) {
    const data = Buffer.alloc(size, "x");
    const page = Page.for(size, 1_000_000);
    const isLarge = !page.hasRoomFor(size);
    t.equal(isLarge, size + 68 > MAX_PAGE_BYTES);
    const newItem = { data, flags: 0, addedAt: 0, expiresAt: 0 };
    const item = isLarge ? page.hold(5, newItem) : page.append(5, newItem);
    if (isLarge) t.equal(item.data, data);
    const contents = readPage(page.seal(0, 0) as Buffer, null);
    t.ok(contents?.items[0]?.data.equals(data), `${size} bytes`);
  }
  t.end();
});

t.test("a page is as large as it is asked to be, within bounds", (t) => {
  t.equal(Page.for(10, 1000).hasRoomFor(1000 - 32 - 36), true);
  t.equal(Page.for(10, 1000).hasRoomFor(1000 - 32 - 36 + 1), false);
  t.equal(Page.for(100, 0).hasRoomFor(100), true, "never too small for its first item");
  t.equal(Page.for(0, 10_000_000).hasRoomFor(MAX_PAGE_BYTES - 67), false, "never larger than the largest");
  t.equal(Page.for(0, 333.3).hasRoomFor(0), true, "a fraction of a byte does not matter");
  t.end();
});
