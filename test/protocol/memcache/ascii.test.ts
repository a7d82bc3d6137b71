import t from "tap";
import { isText, isTextInAnyCase, parseDecimal } from "../../../src/protocol/memcache/ascii.js";

const decimal = (text: string): number => parseDecimal(Buffer.from(text), 0, text.length);

t.test("decimal digits are a number, with or without a minus", async (t) => {
  for (const text of ["0", "7", "007", "-1", "-2147483648", "4294967295", "9007199254740991"]) {
    t.equal(decimal(text), Number(text), text);
  }
});

t.test("minus zero is zero", async (t) => t.ok(Object.is(decimal("-0"), 0)));

t.test("nothing else is a number (case A17)", async (t) => {
  for (const text of [
    "",
    "-",
    "--1",
    "1e3",
    "0x10",
    "5abc",
    "1.5",
    "+5",
    "1 ",
    " 1",
    "1_000",
    "NaN",
    "Infinity",
    "\u0661",
  ]) {
    t.ok(Number.isNaN(decimal(text)), JSON.stringify(text));
  }
});

t.test("a number beyond all limits stays one, so that it can be compared with a limit (case A16)", async (t) => {
  t.ok(decimal("9999999999999999999") > Number.MAX_SAFE_INTEGER);
  t.equal(decimal("9".repeat(400)), Number.POSITIVE_INFINITY);
});

t.test("only the bytes between start and end are read", async (t) => {
  t.equal(parseDecimal(Buffer.from("12345"), 1, 3), 23);
  t.ok(Number.isNaN(parseDecimal(Buffer.from("12-5"), 2, 2)));
  t.ok(isText(Buffer.from("xopeny"), 1, 5, "open"));
  t.notOk(isText(Buffer.from("xopeny"), 1, 6, "open"));
});

t.test("a word in any case is one, its neighbours in the table are not", async (t) => {
  const matches = (text: string): boolean => isTextInAnyCase(Buffer.from(text, "latin1"), 0, text.length, "flush_all");
  for (const text of ["flush_all", "FLUSH_ALL", "Flush_All"]) t.ok(matches(text), text);
  for (const text of ["flush\x7fall", "flush?all", "flush-all", "flush_al", "flush_alll", "FLU\x13H_ALL", ""])
    t.notOk(matches(text), text);
});
