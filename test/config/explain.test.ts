import t, { type Test } from "tap";
import { type Configuration, loadConfiguration, type Sources } from "../../src/config/configuration.js";
import { explain, explainQueue } from "../../src/config/explain.js";
import { loadSettings } from "../../src/config/load.js";

const TOML = `
[server]
listen = "0.0.0.0"
min_free_space = "1GB"
[[listener]]
port = 11211
dialect = "memcached"
[default]
max_items = 10
max_age = "1h"
max_attempts = 5
[queue.orders]
max_item_size = "1MB"
fanout_only = true
[queue."orders+audit"]
max_items = "none"
[queue."grün"]
sync_journal = "100ms"
white_list_client_id_for_dequeue = ["a", "b"]
[alias.all]
destination_queues = ["orders", "grün"]
`;

async function configuration(t: Test, sources: Sources = {}): Promise<Configuration> {
  const dir = t.testdir({ "windhover.toml": TOML });
  return loadConfiguration({ file: `${dir}/windhover.toml`, ...sources });
}

function lineOf(shown: string, key: string): string | undefined {
  return shown
    .split("\n")
    .find((line) => line.startsWith(`${key} = `))
    ?.replace(/ +#/, " #");
}

t.test("each setting is shown with where it comes from", async (t) => {
  const shown = explain(
    await configuration(t, {
      environment: { WINDHOVER_SERVER_MIN_FREE_SPACE: "2GB", WINDHOVER_DEFAULT_MAX_ITEMS: "20" },
      flags: { memcache: "1" },
    }),
  );
  t.equal(lineOf(shown, "listen"), 'listen = "0.0.0.0" # file [server]');
  t.equal(lineOf(shown, "memcache"), "memcache = 1 # flag --memcache");
  t.equal(lineOf(shown, "journal"), 'journal = "journal/data" # default');
  t.equal(lineOf(shown, "min_free_space"), 'min_free_space = "2GB" # environment WINDHOVER_SERVER_MIN_FREE_SPACE');
  t.equal(lineOf(shown, "max_items"), "max_items = 20 # environment WINDHOVER_DEFAULT_MAX_ITEMS");
  t.equal(lineOf(shown, "max_age"), 'max_age = "1h" # file [default]');
  t.match(shown, '[queue."orders+audit"]\nmax_items = "none"\n\n');
  t.match(shown, '[queue."grün"]\nsync_journal = "100ms"\nwhite_list_client_id_for_dequeue = ["a", "b"]\n');
});

t.test("what is shown is a file that says the same", async (t) => {
  const before = await configuration(t);
  const dir = t.testdir({ "windhover.toml": explain(before) });
  t.same(await loadSettings({ file: `${dir}/windhover.toml` }), before.settings);
});

t.test("a queue is shown as it comes out of its sections", async (t) => {
  const shown = explainQueue(await configuration(t), "orders+audit");
  t.match(shown, /^\[queue\."orders\+audit"\]\n/);
  t.equal(lineOf(shown, "max_items"), 'max_items = "none" # file [queue."orders+audit"]');
  t.equal(lineOf(shown, "max_item_size"), 'max_item_size = "1MB" # file [queue.orders]');
  t.equal(lineOf(shown, "max_age"), 'max_age = "1h" # file [default]');
  t.equal(lineOf(shown, "keep_journal"), "keep_journal = true # default");
  t.equal(lineOf(shown, "fanout_only"), "fanout_only = false # a fanout child keeps its items");
});

t.test("a queue is shown with the rules that hold for its kind", async (t) => {
  const shown = explainQueue(await configuration(t), "orders_dead");
  t.equal(lineOf(shown, "max_age"), 'max_age = "none" # a dead-letter queue does not inherit it');
  t.equal(lineOf(shown, "max_items"), "max_items = 10 # file [default]");
});

t.test("an alias is shown with its queues", async (t) => {
  t.equal(explainQueue(await configuration(t), "all"), '[alias.all]\ndestination_queues = ["orders", "grün"]\n');
});
