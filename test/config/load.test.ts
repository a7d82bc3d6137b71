import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { DEFAULT_QUEUE_SETTINGS, DEFAULT_SETTINGS } from "../../src/config/defaults.js";
import type { ServerFlags } from "../../src/config/flags.js";
import { settingsFor } from "../../src/config/inheritance.js";
import { loadSettings } from "../../src/config/load.js";
import { memcacheListeners, type ServerSettings } from "../../src/config/settings.js";
import type { WindhoverError } from "../../src/errors.js";

async function load(t: Test, toml: string, flags: ServerFlags = {}): Promise<ServerSettings> {
  const file = join(t.testdir(), "windhover.toml");
  await writeFile(file, toml);
  return loadSettings({ file, flags });
}

async function failure(t: Test, toml: string, flags: ServerFlags = {}): Promise<WindhoverError> {
  const outcome = await load(t, toml, flags).catch((error: WindhoverError) => error);
  if (!(outcome instanceof Error)) throw new Error("the configuration was accepted");
  return outcome;
}

const MIB = 1024 * 1024;

t.test("without a file and flags the defaults hold", async (t) => {
  t.same(await loadSettings({}), DEFAULT_SETTINGS);
});

t.test("an empty file changes nothing", async (t) => {
  t.same(await load(t, ""), DEFAULT_SETTINGS);
});

t.test("every key of [server] is read", async (t) => {
  const settings = await load(
    t,
    `[server]
    listen = "0.0.0.0"
    memcache = 0
    journal = "/var/spool/windhover"
    max_request_bytes = "8MB"
    min_free_space = 0
    max_open_transactions = 10
    allow_flush_all = false
    shutdown_grace = "2s"
    connection_backlog = 511
    max_memory = "2GB"
    client_timeout = "1m"
    connection_limit_refuse_writes = 900
    connection_limit_refuse_reads = 1000
    expiration_timer_frequency = "none"
    status_file = "/var/lib/windhover/status"
    default_status = "ReadOnly"
    status_change_grace_period = 0
    enable_session_trace = true
    extensions = false`,
  );
  t.match(settings, {
    listen: "0.0.0.0",
    ports: { memcache: 0 },
    journalDir: "/var/spool/windhover",
    maxRequestBytes: 8 * MIB,
    minFreeBytes: 0,
    maxOpenTransactions: 10,
    allowFlushAll: false,
    shutdownGraceMs: 2000,
    connectionBacklog: 511,
    maxMemoryBytes: 2048 * MIB,
    clientTimeoutMs: 60_000,
    connectionLimitRefuseWrites: 900,
    connectionLimitRefuseReads: 1000,
    expirationTimerMs: Infinity,
    statusFile: "/var/lib/windhover/status",
    defaultStatus: "readonly",
    statusChangeGraceMs: 0,
    enableSessionTrace: true,
    extensions: false,
    notes: [/^extensions = false/],
  });
});

t.test("every key of a queue is read", async (t) => {
  const settings = await load(
    t,
    `[queue.work]
    max_items = 1
    max_size = "2kB"
    max_item_size = 3
    discard_old_when_full = true
    max_age = "4h"
    expire_to_queue = "late"
    max_expire_sweep = 5
    max_queue_age = "6d"
    max_memory_size = "7MB"
    keep_journal = false
    sync_journal = "always"
    max_journal_size = "8GB"
    fanout_only = true
    fanout_strict = true
    open_transaction_timeout = "9m"
    max_attempts = 10
    dead_letter_queue = "bad"
    keep_flags = true
    enable_trace = true
    white_list_client_id_for_dequeue = "billing"
    white_list_client_id_for_enqueue = ["shop", "till"]`,
  );
  t.same(settings.queues.get("work"), {
    maxItems: 1,
    maxBytes: 2048,
    maxItemBytes: 3,
    discardOldWhenFull: true,
    maxAgeMs: 4 * 3_600_000,
    expireToQueue: "late",
    maxExpireSweep: 5,
    maxQueueAgeMs: 6 * 86_400_000,
    maxMemoryBytes: 7 * MIB,
    keepJournal: false,
    syncJournal: { kind: "always" },
    maxJournalBytes: 8192 * MIB,
    fanoutOnly: true,
    fanoutStrict: true,
    openTransactionTimeoutMs: 540_000,
    maxAttempts: 10,
    deadLetterQueue: "bad",
    keepFlags: true,
    enableTrace: true,
    dequeueClientIds: ["billing"],
    enqueueClientIds: ["shop", "till"],
  });
  t.same(
    Object.keys(settings.queues.get("work") ?? {}).sort(),
    Object.keys(DEFAULT_QUEUE_SETTINGS).sort(),
    "all there are",
  );
});

t.test("the empty text and the empty list take back what was inherited", async (t) => {
  const toml = `[default]
    expire_to_queue = "late"
    white_list_client_id_for_dequeue = ["a"]
    [queue.work]
    expire_to_queue = ""
    white_list_client_id_for_dequeue = []`;
  t.match(settingsFor(await load(t, toml), "work"), { expireToQueue: null, dequeueClientIds: null });
});

t.test("what Kestrel's files say without effect here is noted and no fault", async (t) => {
  const settings = await load(
    t,
    `[default]
    default_journal_size = "16MB"
    min_journal_compact_delay = "1m"
    [queue.a]
    disable_aggressive_rewrites = true`,
  );
  t.same(settings.notes, [
    "default.default_journal_size has no effect here",
    "default.min_journal_compact_delay has no effect here",
    "queue.a.disable_aggressive_rewrites has no effect here",
  ]);
  t.same(settings.queues.get("a"), {});
  t.match((await failure(t, "[default]\ndefault_journal_size = true")).message, /default_journal_size: true is not/);
});

t.test("an alias has the queues that it puts into", async (t) => {
  const settings = await load(t, `[alias.all]\ndestination_queues = ["a", "b+c"]`);
  t.same([...settings.aliases], [["all", { destinationQueues: ["a", "b+c"] }]]);
});

t.test("a listener is as its dialect is, and each habit may be changed alone", async (t) => {
  const settings = await load(
    t,
    `[server]
    listen = "0.0.0.0"
    memcache = 1
    [[listener]]
    port = 11211
    dialect = "memcached"
    [[listener]]
    port = 2
    listen = "127.0.0.1"
    echo_request_key = true
    [[listener]]
    port = 0
    dialect = "memcached"
    cas_on_gets = false
    allow_flush_all = true`,
  );
  const kestrel = {
    dialect: "kestrel",
    keepFlags: false,
    casOnGets: false,
    echoRequestKey: false,
    memcachedWords: false,
  };
  const memcached = {
    dialect: "memcached",
    keepFlags: true,
    casOnGets: true,
    echoRequestKey: true,
    memcachedWords: true,
  };
  t.same(memcacheListeners(settings), [
    { ...kestrel, listen: "0.0.0.0", port: 1, allowFlushAll: true },
    { ...memcached, listen: "0.0.0.0", port: 11211, allowFlushAll: false },
    { ...kestrel, listen: "127.0.0.1", port: 2, echoRequestKey: true, allowFlushAll: true },
    { ...memcached, listen: "0.0.0.0", port: 0, casOnGets: false, allowFlushAll: true },
  ]);
});

t.test("flush_all that the server forbids is forbidden on every port that does not allow it itself", async (t) => {
  const toml = `[server]\nallow_flush_all = false\n[[listener]]\nport = 1\n[[listener]]\nport = 2\nallow_flush_all = true`;
  const listeners = memcacheListeners(await load(t, toml));
  t.same(
    listeners.map(({ allowFlushAll }) => allowFlushAll),
    [false, false, true],
  );
});

t.test("the first port may be off when there is a listener", async (t) => {
  const listeners = memcacheListeners(await load(t, `[server]\nmemcache = "off"\n[[listener]]\nport = 11211`));
  t.match(listeners, [{ port: 11211 }]);
  t.equal(listeners.length, 1);
});

t.test("a queue takes each key from itself, else from [default], else from what is built in", async (t) => {
  const settings = await load(
    t,
    `[default]
    max_item_size = "1kB"
    sync_journal = "always"
    [queue.work]
    sync_journal = "100ms"
    max_items = 7
    [queue.wide]
    max_item_size = "none"
    keep_journal = false
    max_memory_size = "1MB"
    max_size = "2MB"`,
  );
  t.same(settingsFor(settings, "other"), {
    ...DEFAULT_QUEUE_SETTINGS,
    maxItemBytes: 1024,
    syncJournal: { kind: "always" },
  });
  t.same(settingsFor(settings, "work"), {
    ...DEFAULT_QUEUE_SETTINGS,
    maxItems: 7,
    maxItemBytes: 1024,
    syncJournal: { kind: "period", periodMs: 100 },
  });
  t.same(settingsFor(settings, "wide"), {
    ...DEFAULT_QUEUE_SETTINGS,
    maxItemBytes: Infinity,
    maxBytes: 2 * MIB,
    keepJournal: false,
    maxMemoryBytes: MIB,
    syncJournal: { kind: "always" },
  });
});

t.test("a queue's name is its bytes", async (t) => {
  const settings = await load(t, `[queue."grün"]\nmax_items = 1`);
  t.equal(settingsFor(settings, Buffer.from("grün").toString("latin1")).maxItems, 1);
});

t.test("a flag overrides the file", async (t) => {
  const toml = `[server]\nlisten = "0.0.0.0"\nmemcache = 1234\njournal = "a"`;
  t.match(await load(t, toml, { memcache: "0" }), { listen: "0.0.0.0", ports: { memcache: 0 }, journalDir: "a" });
  t.match(await load(t, toml, { listen: "::1", journal: "b" }), {
    listen: "::1",
    ports: { memcache: 1234 },
    journalDir: "b",
  });
});

t.test("a file that is not asked for is read if it is there", async (t) => {
  const dir = t.testdir({ "windhover.toml": "[server]\nmemcache = 7\n", "other.toml": "[server]\nmemcache = 8\n" });
  const usualFile = join(dir, "windhover.toml");
  t.equal((await loadSettings({ usualFile })).ports.memcache, 7);
  t.equal((await loadSettings({ usualFile, file: join(dir, "other.toml") })).ports.memcache, 8);
  t.same(await loadSettings({ usualFile: join(dir, "absent.toml") }), DEFAULT_SETTINGS);
  await t.rejects(loadSettings({ usualFile: dir }), { code: "WH_CONFIG", message: /cannot be read/ });
});

t.test("a wrong flag is an error of the command line", async (t) => {
  for (const memcache of ["x", "70000", "-1", "1e3", ""]) {
    t.match(await failure(t, "", { memcache }), { code: "WH_USAGE", message: /^--memcache: / }, memcache);
  }
});

t.test("a server with every port off has nothing to do", async (t) => {
  t.match(await failure(t, "", { memcache: "off" }), { code: "WH_USAGE" });
  t.match(await failure(t, `[server]\nmemcache = "off"`), { code: "WH_CONFIG", message: /nothing to serve/ });
});
