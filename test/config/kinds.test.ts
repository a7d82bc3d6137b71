import t from "tap";
import { clientIds, count, listOf, oneOf, orNone, portOrOff, queueName, sync } from "../../src/config/kinds.js";
import { QUEUE_SECTION } from "../../src/config/queue-schema.js";
import { entriesOf, type Setting } from "../../src/config/schema.js";
import { LISTENER_SECTION, SERVER_SECTION } from "../../src/config/server-schema.js";

t.test("every default can be read as it is shown, and no name stands twice", async (t) => {
  const sections: readonly (readonly Setting<unknown>[])[] = [
    entriesOf(SERVER_SECTION.table).map(({ setting }) => setting),
    entriesOf(LISTENER_SECTION.table).map(({ setting }) => setting),
    [...entriesOf(QUEUE_SECTION.table).map(({ setting }) => setting), ...QUEUE_SECTION.ignored],
  ];
  for (const settings of sections) {
    t.equal(new Set(settings.map(({ key }) => key)).size, settings.length);
    for (const { key, kind, initial } of settings) {
      t.match(key, /^[a-z]+(_[a-z]+)*$/);
      t.same(kind.read(JSON.parse(kind.show(initial))), initial, key);
    }
  }
});

t.test("a word of text is read as the same value would be in a file", async (t) => {
  t.equal(count.readText("12"), 12);
  t.equal(count.readText("-1"), undefined);
  t.equal(count.readText("1e3"), undefined);
  t.equal(orNone(count).readText("none"), Infinity);
  t.equal(portOrOff.readText("off"), null);
  t.equal(portOrOff.readText("70000"), undefined);
  t.same(sync.readText("5s"), { kind: "period", periodMs: 5000 });
  t.equal(sync.readText("0"), undefined, "which of always and never would it be");
  t.same(clientIds.readText("a,b"), ["a", "b"]);
  t.equal(clientIds.readText("a,,b"), undefined);
  t.equal(oneOf(["up", "down"]).readText("UP"), "up");
});

t.test("a list never has the same twice, and nothing that is no part of it", async (t) => {
  const names = listOf(queueName, "names");
  t.same(names.read(["a", "b"]), ["a", "b"]);
  t.same(names.read([]), []);
  for (const wrong of [["a", "a"], ["a", 1], ["a/b"], "a", { 0: "a" }]) t.equal(names.read(wrong), undefined);
});

t.test("a queue's name is read to its bytes and shown as it was written", async (t) => {
  const name = queueName.read("grün") ?? "";
  t.equal(name, Buffer.from("grün").toString("latin1"));
  t.equal(queueName.show(name), '"grün"');
});
