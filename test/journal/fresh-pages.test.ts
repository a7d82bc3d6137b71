import t from "tap";
import { FreshPages } from "../../src/journal/fresh-pages.js";
import { MAX_PAGE_BYTES } from "../../src/journal/page.js";

function newItem(data: Buffer) {
  return { data, flags: 0, addedAt: 1, expiresAt: 0 };
}

t.test("an item's bytes are its own: what becomes of the buffer that it came in does not matter", (t) => {
  for (const size of [0, 1, 1000, 5000, 20_000]) {
    const fresh = new FreshPages();
    const chunk = Buffer.alloc(size, "a");
    const items = [1, 2, 3].map((seq) => fresh.append(seq, newItem(chunk), false));
    chunk.fill("b");
    for (const item of items) t.ok(item.data.equals(Buffer.alloc(size, "a")), `${size} bytes`);
    items[1]?.data.fill("c");
    t.ok(items[2]?.data.equals(Buffer.alloc(size, "a")), "and not its neighbour's");
  }
  t.end();
});

t.test("a large buffer that is given away is kept as it is, a small one is copied together with others", (t) => {
  const fresh = new FreshPages();
  const [small, large] = [Buffer.alloc(100, "s"), Buffer.alloc(100_000, "l")];
  t.not(fresh.append(1, newItem(small), true).data, small);
  t.equal(fresh.append(2, newItem(large), true).data, large);
  t.not(fresh.append(3, newItem(large), false).data, large);
  t.end();
});

t.test("small items of one queue share memory, little of which is left over", (t) => {
  const fresh = new FreshPages();
  const buffers = new Map<ArrayBufferLike, number>();
  for (let seq = 1; seq <= 1000; seq++) {
    const { data } = fresh.append(seq, newItem(Buffer.alloc(1024)), false);
    buffers.set(data.buffer, data.buffer.byteLength);
  }
  const held = [...buffers.values()].reduce((sum, bytes) => sum + bytes, 0);
  t.ok(held < 1000 * 1024 * 1.05, `${held} bytes for 1000 KiB`);
  t.end();
});

t.test("pages are cut before they grow too large, and taken once", (t) => {
  const fresh = new FreshPages();
  for (let seq = 1; seq <= 300; seq++) fresh.append(seq, newItem(Buffer.alloc(1024)), false);
  fresh.append(301, newItem(Buffer.alloc(MAX_PAGE_BYTES)), false);
  fresh.append(302, newItem(Buffer.alloc(1)), false);
  t.equal(fresh.first, 1);
  const pages = fresh.take();
  t.same(
    pages.map((page) => page.items.length),
    [123, 123, 54, 1, 1],
  );
  t.equal(fresh.first, undefined);
  t.same(fresh.take(), []);
  t.end();
});
