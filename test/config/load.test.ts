import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { DEFAULT_QUEUE_SETTINGS, DEFAULT_SETTINGS } from "../../src/config/defaults.js";
import { loadSettings, type ServerFlags } from "../../src/config/load.js";
import { type ServerSettings, settingsFor } from "../../src/config/settings.js";
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
    shutdown_grace = "2s"`,
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
  });
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
    [queue."w.ide"]
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
  t.same(settingsFor(settings, "w.ide"), {
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

t.test("an error names the place and says what is allowed", async (t) => {
  const cases: [toml: string, expected: RegExp][] = [
    [`[server]\nmemcache = 70000`, /server\.memcache: 70000 is not a port from 0 .* to 65535, or "off"/],
    [`[server]\nmemcache = "22133"`, /server\.memcache: "22133" is not a port/],
    [`[server]\nmax_request_bytes = "1GB"`, /server\.max_request_bytes: "1GB" is not .*at most 512MB/],
    [`[server]\nmax_request_bytes = 0`, /server\.max_request_bytes: 0 is not/],
    [`[server]\nmax_open_transactions = 0`, /max_open_transactions: 0 is not a whole number from 1 up/],
    [`[server]\nallow_flush_all = "no"`, /allow_flush_all: "no" is not true or false/],
    [`[server]\nshutdown_grace = 10`, /shutdown_grace: 10 is not a duration with its unit/],
    [
      `[default]\nsync_journal = "sometimes"`,
      /default\.sync_journal: "sometimes" is not "never", "always" or a period/,
    ],
    [`[queue.work]\nmax_item_size = "big"`, /queue\.work\.max_item_size: "big" is not .*"none"/],
    [`[queue.work]\nmax_item_size = -1`, /queue\.work\.max_item_size: -1 is not/],
    [`queue = 5`, /queue: must be a section, \[queue\.NAME\]/],
    [`[queue]\nwork = 5`, /queue\.work: must be a section/],
    [`server = []`, /server: must be a section, \[server\]/],
  ];
  for (const [toml, expected] of cases) {
    const error = await failure(t, toml);
    t.equal(error.code, "WH_CONFIG", toml);
    t.match(error.message, expected, toml);
    t.notMatch(error.message, /\n/, "one line");
  }
});

t.test("an unknown key is an error that guesses what was meant", async (t) => {
  const cases: [toml: string, expected: RegExp][] = [
    [`[server]\nmax_request_byte = 1`, /server\.max_request_byte: unknown; did you mean max_request_bytes\?/],
    [`[default]\nmaxItemSize = 1`, /default\.maxItemSize: unknown; did you mean max_item_size\?/],
    [`[queue.a]\nkeep-journal = true`, /queue\.a\.keep-journal: unknown; did you mean keep_journal\?/],
    [`[queue.a]\nfrobnicate = true`, /queue\.a\.frobnicate: unknown; known are max_items, max_size/],
    [`[defaults]\nmax_items = 1`, /defaults: unknown; did you mean default\?/],
  ];
  for (const [toml, expected] of cases) t.match((await failure(t, toml)).message, expected, toml);
});

t.test("all faults of a file are told at once", async (t) => {
  const error = await failure(t, `[server]\nmemcache = -1\nlisten = ""\n[default]\nmax_items = "x"`);
  t.match(error.message, /server\.listen: .*; server\.memcache: .*; default\.max_items: /);
});

t.test("a file that is no TOML is an error with line and column", async (t) => {
  const error = await failure(t, `[server]\nlisten = 127.0.0.1`);
  t.equal(error.code, "WH_CONFIG");
  t.match(error.message, /windhover\.toml:2:\d+: Invalid TOML document/);
  t.notMatch(error.message, /\n/);
});

t.test("a section that JavaScript would lose is refused", async (t) => {
  for (const name of ["__proto__", "constructor"]) {
    t.match((await failure(t, `[queue.${name}]\nmax_items = 1`)).message, /unsafe property/);
  }
  t.equal(settingsFor(await load(t, `[queue.prototype]\nmax_items = 1`), "prototype").maxItems, 1);
  t.equal(settingsFor(await load(t, ""), "toString").maxItems, Infinity);
});

t.test("a missing file is an error that names it", async (t) => {
  const error = await loadSettings({ file: join(t.testdir(), "absent.toml") }).catch(
    (caught: WindhoverError) => caught,
  );
  t.match(error, { code: "WH_CONFIG", message: /absent\.toml/ });
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
