import fc from "fast-check";
import t from "tap";
import type { Item } from "../../src/item.js";
import { ITEM_OVERHEAD_BYTES, ItemList } from "../../src/queue/item-list.js";

let seq = 0;
const item = (bytes = 1): Item => ({
  seq: seq++,
  data: Buffer.alloc(bytes),
  flags: 0,
  addedAt: 0,
  expiresAt: 0,
  attempts: 0,
  meta: Buffer.alloc(0),
});

t.test("items come out in the order in which they went in, however the list grows", (t) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -8, max: 10 }), { maxLength: 60 }), (steps) => {
      const list = new ItemList();
      const model: Item[] = [];
      for (const step of steps) {
        for (let n = 0; n < step; n++) {
          const added = item(n);
          list.push(added);
          model.push(added);
        }
        for (let n = step; n < 0; n++) t.equal(list.shift(), model.shift());
        const bytes = model.reduce((sum, { data }) => sum + data.length, 0);
        t.match(list, { length: model.length, bytes, memoryBytes: bytes + model.length * ITEM_OVERHEAD_BYTES });
        t.equal(list.head, model[0]);
        t.ok([...list].every((kept, i) => kept === model[i]));
      }
    }),
    { numRuns: 30 },
  );
  t.end();
});

t.test("an empty list has no head and gives nothing", (t) => {
  const list = new ItemList();
  t.equal(list.head, undefined);
  t.equal(list.shift(), undefined);
  t.match(list, { length: 0, bytes: 0, memoryBytes: 0 });
  t.end();
});

t.test("items can be taken out of the middle, and the others keep their order", (t) => {
  const list = new ItemList();
  const items = Array.from({ length: 40 }, () => item(2));
  for (const added of items) list.push(added);
  for (let n = 0; n < 5; n++) list.shift();
  list.remove(new Set(items.filter((_, n) => n % 2 === 0)));
  t.same(
    [...list],
    items.filter((_, n) => n >= 5 && n % 2 === 1),
  );
  t.match(list, { length: 18, bytes: 36 });
  list.remove(new Set([item()]));
  t.equal(list.length, 18);
  list.clear();
  t.match(list, { length: 0, bytes: 0, head: undefined });
  list.push(items[0] as Item);
  t.equal(list.shift(), items[0]);
  t.end();
});
