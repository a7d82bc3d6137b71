import fc from "fast-check";
import t from "tap";
import {
  idInKey,
  KEY_KINDS,
  keyKind,
  kindRange,
  nameInKey,
  outKey,
  pageKey,
  queueKey,
  queueRange,
  retiredKey,
  sequenceInKey,
  stateKey,
} from "../../src/journal/keys.js";

const sequences = [
  0,
  1,
  254,
  255,
  256,
  257,
  65_535,
  65_536,
  2 ** 31,
  2 ** 32 - 1,
  2 ** 32,
  2 ** 32 + 1,
  2 ** 40 + 255,
  2 ** 53 - 1,
];
const ids = [0, 1, 255, 256, 65_535, 65_536, 2 ** 31, 2 ** 32 - 1];

t.test("keys sort as their numbers do, across every border of bytes", (t) => {
  for (const make of [pageKey, outKey]) {
    const keys = ids.flatMap((id) => sequences.map((sequence) => make(id, sequence)));
    t.same([...keys].sort(Buffer.compare), keys);
  }
  for (const make of [stateKey, retiredKey]) t.same(ids.map(make).sort(Buffer.compare), ids.map(make));
  t.end();
});

t.test("numbers of 53 bits come back out of keys as they went in", (t) => {
  const uint53 = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
  const uint32 = fc.integer({ min: 0, max: 0xffffffff });
  fc.assert(
    fc.property(uint32, uint53, uint53, (id, a, b) => {
      const key = pageKey(id, a);
      return (
        idInKey(key) === id &&
        sequenceInKey(key) === a &&
        Math.sign(Buffer.compare(key, pageKey(id, b))) === Math.sign(a - b)
      );
    }),
  );
  for (const id of ids) t.equal(idInKey(stateKey(id)), id);
  t.end();
});

t.test("a name comes back out of its key byte by byte", (t) => {
  const name = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join("");
  t.equal(nameInKey(queueKey(name)), name);
  t.equal(queueKey(name).length, 258);
  t.end();
});

t.test("a queue's range holds its keys and no others", (t) => {
  for (const id of ids) {
    const { from, to } = queueRange("p", id);
    const isIn = (key: Buffer): boolean => Buffer.compare(key, from) >= 0 && Buffer.compare(key, to) < 0;
    t.ok(sequences.every((sequence) => isIn(pageKey(id, sequence))));
    t.notOk(
      ids.filter((other) => other !== id).some((other) => sequences.some((sequence) => isIn(pageKey(other, sequence)))),
    );
    t.notOk(isIn(outKey(id, 1)));
  }
  t.end();
});

t.test("every kind has its range, and what is of no kind is known", (t) => {
  const keys = {
    m: Buffer.from("m|format"),
    q: queueKey("\xff"),
    s: stateKey(0xffffffff),
    x: retiredKey(0),
    p: pageKey(1, 1),
    o: outKey(1, 1),
    d: Buffer.from("d|"),
  };
  for (const kind of KEY_KINDS) {
    const { from, to } = kindRange(kind);
    t.equal(keyKind(keys[kind]), kind);
    t.ok(Buffer.compare(keys[kind], from) >= 0 && Buffer.compare(keys[kind], to) < 0);
  }
  for (const stranger of ["", "p", "z|1", "pp|", "P|1"]) t.equal(keyKind(Buffer.from(stranger)), undefined);
  t.end();
});
