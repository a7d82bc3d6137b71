import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { settingsFor } from "../../src/config/inheritance.js";
import { loadSettings } from "../../src/config/load.js";
import type { ServerSettings } from "../../src/config/settings.js";
import type { WindhoverError } from "../../src/errors.js";

async function load(t: Test, toml: string): Promise<ServerSettings> {
  const file = join(t.testdir(), "windhover.toml");
  await writeFile(file, toml);
  return loadSettings({ file });
}

async function failure(t: Test, toml: string): Promise<WindhoverError> {
  const outcome = await load(t, toml).catch((error: WindhoverError) => error);
  if (!(outcome instanceof Error)) throw new Error("the configuration was accepted");
  return outcome;
}

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
    [`[queue."a.b"]`, /queue\.a\.b: illegal character in queue name/],
    [`[queue."+a"]`, /queue\.\+a: illegal \+/],
    [`[queue."a+b"]\nfanout_only = true`, /queue\.a\+b\.fanout_only: a fanout child has no children/],
    [`[queue.a]\nexpire_to_queue = "a/b"`, /queue\.a\.expire_to_queue: "a\/b" is not the name of a queue, or ""/],
    [`[queue.a]\nexpire_to_queue = "a"`, /queue\.a\.expire_to_queue: is the queue itself/],
    [`[queue.a]\ndead_letter_queue = "a"`, /queue\.a\.dead_letter_queue: is the queue itself/],
    [
      `[default]\ndead_letter_queue = "a"\n[queue.a]\nmax_attempts = 3`,
      /queue\.a\.dead_letter_queue: is the queue itself/,
    ],
    [`[queue.a]\nmax_attempts = 0`, /max_attempts: 0 is not a whole number from 1 up, or "none"/],
    [`[queue.a]\nmax_age = "0s"`, /max_age: "0s" is not a duration/],
    [`[queue.a]\nmax_items = nan`, /max_items: NaN is not a whole number/],
    [`[queue.a]\nwhite_list_client_id_for_enqueue = ["a", "a"]`, /is not a list of client ids/],
    [`[queue.a]\nwhite_list_client_id_for_enqueue = [1]`, /is not a list of client ids/],
    [`[server]\ndefault_status = "down"`, /default_status: "down" is not one of "up", "readonly"/],
    [`[alias.a]`, /alias\.a\.destination_queues: is missing/],
    [`[alias.a]\ndestination_queues = ["b", "c/d"]`, /alias\.a\.destination_queues: .*is not a list of queue names/],
    [`[alias."a/b"]\ndestination_queues = ["b"]`, /alias\.a\/b: illegal character/],
    [`[queue.a]\n[alias.a]\ndestination_queues = ["b"]`, /alias\.a: is a queue already, \[queue\.a\]/],
    [`[alias.a]\ndestination_queues = ["b", "a"]`, /alias\.a\.destination_queues: a is an alias itself/],
    [
      `[default]\nexpire_to_queue = "a"\n[alias.a]\ndestination_queues = ["b"]`,
      /default\.expire_to_queue: a is an alias/,
    ],
    [`[[listener]]\ndialect = "memcached"`, /listener\.1\.port: is missing/],
    [`[[listener]]\nport = 1\ndialect = "redis"`, /listener\.1\.dialect: "redis" is not one of "kestrel", "memcached"/],
    [`[[listener]]\nport = 22133`, /listener\.1\.port: 22133 is the port of server\.memcache already/],
    [`[[listener]]\nport = 1\n[[listener]]\nport = 1`, /listener\.2\.port: 1 is the port of listener\.1\.port already/],
    [`[listener]\nport = 1`, /listener: must be a list of sections, \[\[listener\]\]/],
    [`listener = [5]`, /listener\.1: must be a section, \[\[listener\]\]/],
    [`alias = 5`, /alias: must be a section, \[alias\.NAME\]/],
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
    [`[server]\nqueuePath = "a"`, /server\.queuePath: unknown; did you mean journal\?/],
    [`[server]\nlisten_address = "a"`, /server\.listen_address: unknown; did you mean listen\?/],
    [
      `[default]\nwhiteListClientIdForDequeue = "a"`,
      /whiteListClientIdForDequeue: unknown; did you mean white_list_client_id_for_dequeue\?/,
    ],
    [`[[listener]]\nport = 1\ndialekt = "x"`, /listener\.1\.dialekt: unknown; did you mean dialect\?/],
    [`[alias.a]\ndestination_queue = ["x"]`, /alias\.a\.destination_queue: unknown; did you mean destination_queues\?/],
    [`[defaults]\nmax_items = 1`, /defaults: unknown; did you mean default\?/],
  ];
  for (const [toml, expected] of cases) t.match((await failure(t, toml)).message, expected, toml);
});

t.test("all faults of a file are told at once", async (t) => {
  const error = await failure(t, `[server]\nmemcache = -1\nlisten = ""\n[default]\nmax_items = "x"`);
  t.match(error.message, /server\.memcache: .*; server\.listen: .*; default\.max_items: /);
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
