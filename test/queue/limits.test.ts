import t from "tap";
import { DEFAULT_QUEUE_SETTINGS } from "../../src/config/defaults.js";
import { putRefusal } from "../../src/queue/limits.js";

const settings = { ...DEFAULT_QUEUE_SETTINGS, maxItems: 2, maxBytes: 100, maxItemBytes: 60 };

t.test("H139 a queue is full when it had as many items or bytes before the put: the last one may go over", (t) => {
  t.equal(putRefusal(settings, 60, { items: 1, bytes: 99 }), null);
  t.equal(putRefusal(settings, 1, { items: 2, bytes: 0 }), "full");
  t.equal(putRefusal(settings, 1, { items: 0, bytes: 100 }), "full");
  t.end();
});

t.test("an item's own size is looked at first", (t) => {
  t.equal(putRefusal(settings, 61, { items: 2, bytes: 100 }), "too-large");
  t.equal(putRefusal(settings, 60, { items: 0, bytes: 0 }), null);
  t.end();
});

t.test("without limits everything fits", (t) => {
  t.equal(putRefusal(DEFAULT_QUEUE_SETTINGS, 2 ** 40, { items: 2 ** 50, bytes: 2 ** 52 }), null);
  t.end();
});
