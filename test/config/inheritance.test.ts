import t from "tap";
import { DEFAULT_QUEUE_SETTINGS } from "../../src/config/defaults.js";
import { deadLetterQueueOf, parentOf, type QueueSections, settingsFor } from "../../src/config/inheritance.js";
import type { QueueSettings } from "../../src/config/settings.js";

function sections(
  queues: Readonly<Record<string, Partial<QueueSettings>>>,
  defaults: Partial<QueueSettings> = {},
): QueueSections {
  return { queueDefaults: { ...DEFAULT_QUEUE_SETTINGS, ...defaults }, queues: new Map(Object.entries(queues)) };
}

t.test("the parent of a fanout child is what stands before the first plus", async (t) => {
  t.equal(parentOf("orders+audit"), "orders");
  t.equal(parentOf("a+b+c"), "a");
  t.equal(parentOf("orders"), null);
});

t.test(
  "each key comes from the child, else from its parent, else from the defaults (the example of Kestrel's guide)",
  async (t) => {
    const settings = sections({ q: { maxItems: 500 }, "q+fanout": { maxAgeMs: 60_000 } }, { maxMemoryBytes: 8 });
    t.match(settingsFor(settings, "q"), { maxItems: 500, maxMemoryBytes: 8, maxAgeMs: Infinity });
    t.match(settingsFor(settings, "q+fanout"), { maxItems: 500, maxMemoryBytes: 8, maxAgeMs: 60_000 });
    t.match(settingsFor(settings, "q+other"), { maxItems: 500, maxMemoryBytes: 8, maxAgeMs: Infinity });
    t.match(settingsFor(settings, "q+a+b"), { maxItems: 500 });
    t.equal(settingsFor(settings, "x"), settings.queueDefaults);
  },
);

t.test("a child of a queue that only feeds its children keeps its items", async (t) => {
  const settings = sections({ orders: { fanoutOnly: true } });
  t.equal(settingsFor(settings, "orders").fanoutOnly, true);
  t.equal(settingsFor(settings, "orders+audit").fanoutOnly, false);
  t.equal(settingsFor(sections({}, { fanoutOnly: true }), "orders+audit").fanoutOnly, false);
});

t.test("the queue that all expired items go to does not send its own to itself", async (t) => {
  const settings = sections({}, { expireToQueue: "late" });
  t.equal(settingsFor(settings, "work").expireToQueue, "late");
  t.equal(settingsFor(settings, "late").expireToQueue, null);
});

t.test("failed items go to the queue with _dead behind its name, and a child's to its parent's", async (t) => {
  const settings = sections({ orders: { maxAttempts: 3 }, mail: { maxAttempts: 3, deadLetterQueue: "bounced" } });
  t.equal(deadLetterQueueOf(settings, "orders"), "orders_dead");
  t.equal(deadLetterQueueOf(settings, "orders+audit"), "orders_dead");
  t.equal(deadLetterQueueOf(settings, "mail"), "bounced");
  t.equal(deadLetterQueueOf(settings, "x".repeat(250)), `${"x".repeat(245)}_dead`);
});

t.test("a dead-letter queue inherits neither max_age nor max_attempts", async (t) => {
  const settings = sections(
    {
      mail: { deadLetterQueue: "bounced" },
      late: { maxAttempts: 3, deadLetterQueue: null },
      spam_dead: { maxAgeMs: 7 },
    },
    { maxAgeMs: 5, maxAttempts: 4, maxItems: 6 },
  );
  const stays = { maxAgeMs: Infinity, maxAttempts: Infinity, maxItems: 6 };
  for (const name of ["orders_dead", "bounced", "late_dead", "orders_dead+copy"])
    t.match(settingsFor(settings, name), stays, name);
  t.match(settingsFor(settings, "spam_dead"), { maxAgeMs: 7, maxAttempts: Infinity }, "what is its own counts");
  t.match(settingsFor(settings, "orders_dead_dead"), { maxAttempts: 4 }, "nothing goes from one to the next");
  t.match(settingsFor(settings, "_dead"), { maxAttempts: 4 }, "the name alone is no dead-letter queue's");
});

t.test("only a queue that has failed items makes one with _dead a dead-letter queue", async (t) => {
  t.match(settingsFor(sections({}, { maxAgeMs: 5 }), "walking_dead"), { maxAgeMs: 5 });
  t.match(settingsFor(sections({ walking: { maxAttempts: 2 } }, { maxAgeMs: 5 }), "walking_dead"), {
    maxAgeMs: Infinity,
  });
  const child = sections({ "walking+x": { maxAttempts: 2 } }, { maxAgeMs: 5 });
  t.match(settingsFor(child, "walking_dead"), { maxAgeMs: Infinity });
});
