import fc from "fast-check";
import t from "tap";
import type { Item } from "../../src/item.js";
import { ReturnedItems } from "../../src/queue/returned-items.js";

const item = (seq: number): Item => ({
  seq,
  data: Buffer.alloc(seq % 7),
  flags: 0,
  addedAt: 0,
  expiresAt: 0,
  attempts: 0,
  meta: Buffer.alloc(0),
});

t.test("items are served in the order of their old places, in whichever order they come back", (t) => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 1000 }), { maxLength: 50 }), (seqs) => {
      const returned = new ReturnedItems();
      for (const seq of seqs) returned.add(item(seq));
      t.equal(returned.length, seqs.length);
      t.equal(
        returned.bytes,
        seqs.reduce((sum, seq) => sum + (seq % 7), 0),
      );
      for (const seq of [...seqs].sort((a, b) => a - b)) {
        t.equal(returned.head?.seq, seq);
        t.equal(returned.shift()?.seq, seq);
      }
      t.match(returned, { length: 0, bytes: 0, head: undefined });
      t.equal(returned.shift(), undefined);
    }),
  );
  t.end();
});

t.test("items can be taken out, one by one or all", (t) => {
  const returned = new ReturnedItems();
  const [a, b, c] = [item(3), item(4), item(5)];
  for (const added of [c, a, b]) returned.add(added);
  returned.remove(new Set([b, item(9)]));
  t.match(returned, { length: 2, bytes: 8, head: a });
  returned.clear();
  t.match(returned, { length: 0, bytes: 0, head: undefined });
  t.end();
});
