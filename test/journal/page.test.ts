import fc from "fast-check";
import t from "tap";
import type { NewItem } from "../../src/item.js";
import { FreshPages } from "../../src/journal/fresh-pages.js";
import { JournalItem } from "../../src/journal/journal-item.js";
import { MAX_PAGE_BYTES, Page, readPage } from "../../src/journal/page.js";
import { newItem } from "../helpers/journal-bench.js";

const uint53 = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const anyBytes = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
const anyItem = fc.record({
  data: anyBytes,
  flags: fc.integer({ min: 0, max: 0xffffffff }),
  addedAt: uint53,
  expiresAt: uint53,
  meta: fc.oneof({ weight: 3, arbitrary: fc.constant(Buffer.alloc(0)) }, { weight: 1, arbitrary: anyBytes }),
});
type AnyItem = NewItem & { readonly meta: Buffer };
const anyItems = fc.array(anyItem, { minLength: 1, maxLength: 30 });

function pageWith(items: readonly AnyItem[], first: number): Page {
  const page = new Page();
  for (const [i, { data, flags, addedAt, expiresAt, meta }] of items.entries()) {
    page.add(new JournalItem(first + i, data, flags, addedAt, expiresAt, meta, page));
  }
  return page;
}

/** The page's record, which lies in memory that the next one is made in. */
function seal(page: Page, ordinal: number, previous: number): Buffer | null {
  const record = page.seal(ordinal, previous);
  return record === null ? null : Buffer.from(record);
}

function plain({ seq, data, flags, addedAt, expiresAt, meta }: JournalItem): object {
  return { seq, data: data.toString("hex"), flags, addedAt, expiresAt, meta: meta.toString("hex") };
}

function dismiss(page: Page, item: JournalItem): void {
  item.place = "gone";
  page.live--;
}

t.test("what a page is made of comes back out of its record, metadata that nobody knows as well", (t) => {
  fc.assert(
    fc.property(anyItems, fc.integer({ min: 0, max: 2 ** 52 }), uint53, uint53, (items, first, ordinal, previous) => {
      const page = pageWith(items, first);
      const record = seal(page, ordinal, previous) as Buffer;
      const contents = readPage(record, null);
      t.match(contents, { ordinal, previous });
      t.same(contents?.items.map(plain), page.items.map(plain));
      const last = first + items.length - 1;
      t.match(page, { first, last, total: items.length, bytes: record.length, state: "sealed" });
    }),
    { numRuns: 50 },
  );
  t.end();
});

t.test("what is gone before it is sealed is left out, and what is left keeps its place", (t) => {
  fc.assert(
    fc.property(anyItems, fc.infiniteStream(fc.boolean()), (items, gone) => {
      const page = pageWith(items, 1);
      for (const item of page.items) if (gone.next().value === true) dismiss(page, item);
      const kept = page.items.filter((item) => item.place !== "gone");
      const record = seal(page, 0, 0);
      if (kept.length === 0) {
        t.equal(record, null);
        t.equal(page.state, "dropped");
        return;
      }
      t.same(readPage(record as Buffer, null)?.items.map(plain), kept.map(plain));
      t.match(page, { first: kept[0]?.seq, last: kept.at(-1)?.seq, total: kept.length, bytes: record?.length });
    }),
    { numRuns: 50 },
  );
  t.end();
});

t.test("a record that was changed anywhere, or is too short, is no page", (t) => {
  const items = ["", "a", "bb"].map((data) => ({ ...newItem(data), meta: Buffer.from("\x01\x00\x01!") }));
  const record = seal(pageWith(items, 9), 7, 8) as Buffer;
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

t.test("pages are cut before they grow too large, and an item that is larger is a page of its own", (t) => {
  for (const size of [0, 1, 1000, MAX_PAGE_BYTES - 68, MAX_PAGE_BYTES - 67, MAX_PAGE_BYTES, 3_000_000]) {
    const fresh = new FreshPages();
    const data = Buffer.alloc(size, "x");
    const perPage = Math.max(1, Math.floor((MAX_PAGE_BYTES - 32) / (size + 36)));
    for (let n = 0; n <= perPage; n++) fresh.append(n + 1, newItem("", { data }), false);
    t.equal(fresh.first, 1);
    const pages = fresh.take();
    t.same(
      pages.map(({ items }) => items.length),
      [perPage, 1],
      `items of ${size} bytes`,
    );
    t.same(fresh.take(), []);
    const contents = readPage(seal(pages[1] as Page, 0, 0) as Buffer, null);
    t.ok(contents?.items[0]?.data.equals(data));
  }
  t.end();
});

t.test("an item's bytes are its own: whoever gave them may use their memory again", (t) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 20 }), (sizes) => {
      const fresh = new FreshPages();
      const chunk = Buffer.alloc(20_000);
      const items = sizes.map((size, n) => {
        const data = chunk.subarray(0, size).fill(n + 1);
        return fresh.append(n, newItem("", { data }), false);
      });
      chunk.fill(0xff);
      t.ok(items.every(({ data }, n) => data.length === sizes[n] && data.every((byte) => byte === n + 1)));
      t.ok(items.every(({ data }) => data.buffer !== chunk.buffer));
    }),
    { numRuns: 20 },
  );
  t.end();
});

t.test("a large item that is given away stays in its buffer", (t) => {
  const data = Buffer.alloc(100_000);
  t.equal(new FreshPages().append(1, newItem("", { data }), true).data, data);
  t.end();
});
