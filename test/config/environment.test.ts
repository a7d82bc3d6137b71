import t from "tap";
import { type Environment, readEnvironment } from "../../src/config/environment.js";
import { settingsFor } from "../../src/config/inheritance.js";
import { loadSettings } from "../../src/config/load.js";
import type { WindhoverError } from "../../src/errors.js";

function failure(environment: Environment): WindhoverError {
  try {
    readEnvironment(environment);
  } catch (error) {
    return error as WindhoverError;
  }
  throw new Error("the environment was accepted");
}

t.test("each setting of [server] and [default] has its variable", async (t) => {
  const { server, queueDefaults, notes } = readEnvironment({
    WINDHOVER_SERVER_LISTEN: "0.0.0.0",
    WINDHOVER_SERVER_MEMCACHE: "off",
    WINDHOVER_SERVER_JOURNAL: "12",
    WINDHOVER_SERVER_ALLOW_FLUSH_ALL: "false",
    WINDHOVER_SERVER_SHUTDOWN_GRACE: "0",
    WINDHOVER_SERVER_STATUS_FILE: "/run/status",
    WINDHOVER_SERVER_DEFAULT_STATUS: "READONLY",
    WINDHOVER_DEFAULT_MAX_ITEMS: "1000",
    WINDHOVER_DEFAULT_MAX_SIZE: "none",
    WINDHOVER_DEFAULT_MAX_MEMORY_SIZE: "64MB",
    WINDHOVER_DEFAULT_SYNC_JOURNAL: "100ms",
    WINDHOVER_DEFAULT_EXPIRE_TO_QUEUE: "late",
    WINDHOVER_DEFAULT_WHITE_LIST_CLIENT_ID_FOR_ENQUEUE: "shop, till",
  });
  t.same(server, {
    listen: "0.0.0.0",
    memcachePort: null,
    journalDir: "12",
    allowFlushAll: false,
    shutdownGraceMs: 0,
    statusFile: "/run/status",
    defaultStatus: "readonly",
  });
  t.same(queueDefaults, {
    maxItems: 1000,
    maxBytes: Infinity,
    maxMemoryBytes: 64 * 1024 * 1024,
    syncJournal: { kind: "period", periodMs: 100 },
    expireToQueue: "late",
    enqueueClientIds: ["shop", "till"],
  });
  t.same(notes, []);
});

t.test("other variables, empty ones and those of Kubernetes say nothing", async (t) => {
  const nothing = readEnvironment({
    WINDHOVER_HOME: "/opt/windhover",
    WINDHOVER_SERVER_LISTEN: "",
    WINDHOVER_SERVER_SERVICE_HOST: "10.0.0.1",
    WINDHOVER_SERVER_SERVICE_PORT: "22133",
    WINDHOVER_SERVER_PORT: "tcp://10.0.0.1:22133",
    WINDHOVER_SERVER_PORT_22133_TCP_ADDR: "10.0.0.1",
  });
  t.same(nothing, { server: {}, queueDefaults: {}, notes: [] });
});

t.test("what is wrong is told by the variable's name, all of it at once", async (t) => {
  const error = failure({
    WINDHOVER_SERVER_MEMCACH: "1",
    WINDHOVER_SERVER_MAX_REQUEST_BYTES: "1GB",
    WINDHOVER_DEFAULT_KEEP_JOURNAL: "yes",
  });
  t.equal(error.code, "WH_CONFIG");
  t.match(error.message, /^environment: /);
  t.match(error.message, /WINDHOVER_SERVER_MEMCACH: unknown; did you mean WINDHOVER_SERVER_MEMCACHE\?/);
  t.match(error.message, /WINDHOVER_SERVER_MAX_REQUEST_BYTES: "1GB" is not .*at most 512MB/);
  t.match(error.message, /WINDHOVER_DEFAULT_KEEP_JOURNAL: "yes" is not true or false/);
});

t.test("a variable without effect is noted", async (t) => {
  const { notes } = readEnvironment({ WINDHOVER_DEFAULT_DEFAULT_JOURNAL_SIZE: "16MB" });
  t.same(notes, ["WINDHOVER_DEFAULT_DEFAULT_JOURNAL_SIZE has no effect here"]);
});

t.test(
  "the environment is stronger than the file, a flag than both, and a queue's own section than all defaults",
  async (t) => {
    const dir = t.testdir({
      "windhover.toml": `[server]\nlisten = "a"\njournal = "a"\nmemcache = 1\n[default]\nmax_items = 1\n[queue.q]\nmax_items = 3`,
    });
    const settings = await loadSettings({
      file: `${dir}/windhover.toml`,
      environment: { WINDHOVER_SERVER_LISTEN: "b", WINDHOVER_SERVER_JOURNAL: "b", WINDHOVER_DEFAULT_MAX_ITEMS: "2" },
      flags: { journal: "c" },
    });
    t.match(settings, { listen: "b", journalDir: "c", ports: { memcache: 1 } });
    t.equal(settingsFor(settings, "other").maxItems, 2);
    t.equal(settingsFor(settings, "q").maxItems, 3);
  },
);
