import { createRequire } from "node:module";
import { totalmem } from "node:os";
import { type Clock, SystemClock } from "./clock.js";
import { settingsFor } from "./config/inheritance.js";
import { entriesOf } from "./config/schema.js";
import { SERVER_SECTION } from "./config/server-schema.js";
import {
  type ListenerSettings,
  memcacheListeners,
  type QueueSettings,
  type ServerSettings,
} from "./config/settings.js";
import { WindhoverError } from "./errors.js";
import { LevelJournal } from "./journal/level-journal.js";
import type { Journal } from "./journal/queue-journal.js";
import type { Log } from "./log.js";
import { FlushList } from "./net/flush-list.js";
import { IdleWatch } from "./net/idle-watch.js";
import { Listener } from "./net/listener.js";
import { memcacheCodecs } from "./protocol/memcache/memcache-codec.js";
import { nameFault, showName } from "./queue/queue-name.js";
import { Queues } from "./queue/queues.js";
import { IgnoredOptions } from "./session/ignored-options.js";
import { ParkedSessions } from "./session/parked-fetch.js";
import { Session } from "./session/session.js";
import type { SessionContext } from "./session/session-context.js";
import { ConnectionCounts } from "./stats/connection-counts.js";
import { createServerCounters } from "./stats/server-counters.js";
import { ServerStatus } from "./status/server-status.js";

/** The release of Kestrel whose protocol this server speaks. */
const KESTREL_VERSION = "2.4.7";

/** What a server is given from outside. */
export interface ServerContext {
  readonly log: Log;
  /** The time; the real one if it is left out. */
  readonly clock?: Clock;
  /** Reads the settings again, for `reload`; without it there is nothing to reload. */
  readonly loadSettings?: () => Promise<ServerSettings>;
}

/** A server that serves. */
export interface RunningServer {
  /** The ports that are open, null where one is off; `listeners` are those of the [[listener]] sections, in their order. */
  readonly ports: { readonly memcache: number | null; readonly listeners: readonly number[] };
  /**
   * Settled when everything is closed, whoever asked for it. Rejected when the journal could not be closed cleanly; it is
   * never an unhandled rejection.
   */
  readonly stopped: Promise<void>;
  /** Stops it in order, and returns `stopped`. May be called twice. */
  stop(): Promise<void>;
  /**
   * Reads the settings again and obeys what they say of queues and aliases; the server's own hold from its next start. If
   * anything is wrong it is rejected (WH_CONFIG, WH_USAGE) and nothing is changed. Nobody is disconnected.
   */
  reload(): Promise<void>;
}

/**
 * Starts a server. The ports are open, and what is in the journal is served, when the promise is fulfilled. Errors:
 * WH_JOURNAL_LOCKED, WH_JOURNAL_UNREADABLE, WH_JOURNAL_FORMAT, WH_LISTEN, WH_CONFIG; after one nothing is left open.
 */
export async function startServer(settings: ServerSettings, context: ServerContext): Promise<RunningServer> {
  checkQueueNames(settings);
  const { log, clock = new SystemClock(), loadSettings = nothingToLoad } = context;
  for (const note of settings.notes) log.warn({}, note);
  const inForce: InForce = { settings, queues: null };
  const journal = await LevelJournal.open({
    directory: settings.journalDir,
    settings: { syncJournal: (queue) => queueSettings(inForce, queue).syncJournal },
    minFreeBytes: settings.minFreeBytes,
    clock,
    log,
  });
  try {
    const { statusFile: file, defaultStatus: initial, statusChangeGraceMs: graceMs } = settings;
    const status = await ServerStatus.open({ file, initial, graceMs, clock, log });
    const server = new Server({ settings, inForce, status, journal, log, clock, loadSettings });
    await server.open();
    return server;
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/** What holds for queues and aliases; a reload replaces it. */
interface InForce {
  settings: ServerSettings;
  /** They know their own settings; null until they have been made. */
  queues: Queues | null;
}

/**
 * The journal asks at every fetch, so a queue's own answer is taken: working out what it inherits from whom costs more than
 * the fetch.
 */
function queueSettings({ queues, settings }: InForce, name: string): QueueSettings {
  return queues?.find(name)?.settings ?? settingsFor(settings, name);
}

async function nothingToLoad(): Promise<never> {
  throw new WindhoverError("WH_CONFIG", "this server was started without a configuration that could be read again");
}

interface ServerParts {
  /** What the server was started with. */
  readonly settings: ServerSettings;
  readonly inForce: InForce;
  readonly status: ServerStatus;
  readonly journal: Journal;
  readonly log: Log;
  readonly clock: Clock;
  readonly loadSettings: () => Promise<ServerSettings>;
}

/**
 * Everything that makes a server, built once and stopped in order: no new clients; who waits gets its END; what was executed
 * is answered; the journal is written and closed. Connections have half of the grace time, the journal what is left of it.
 */
class Server implements RunningServer {
  readonly stopped: Promise<void>;
  readonly #parts: ServerParts;
  readonly #queues: Queues;
  readonly #flushList = new FlushList();
  readonly #idleWatch: IdleWatch;
  readonly #session: SessionContext;
  readonly #listeners: Listener[] = [];
  #lastReload: Promise<void> = Promise.resolve();
  #isStopping = false;
  #settle: (outcome: Promise<void>) => void = () => {};

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.#queues = new Queues(parts);
    parts.inForce.queues = this.#queues;
    this.#idleWatch = new IdleWatch(parts.clock, parts.settings.clientTimeoutMs);
    this.#session = this.#sessionContext();
    parts.status.onReadsBlocked(() => this.#session.parked.endPolls());
    this.stopped = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.stopped.catch(() => {});
  }

  get ports(): RunningServer["ports"] {
    const ports = this.#listeners.map(({ port }) => port);
    if (this.#parts.settings.ports.memcache === null) return { memcache: null, listeners: ports };
    const [memcache = null, ...listeners] = ports;
    return { memcache, listeners };
  }

  /** Opens the ports. Error: WH_LISTEN. */
  async open(): Promise<void> {
    const { settings, status, log } = this.#parts;
    try {
      for (const one of memcacheListeners(settings)) this.#listeners.push(await this.#listen(one));
    } catch (error) {
      await this.#endConnections();
      throw error;
    }
    const queues = this.#queues.list().length;
    log.info({ listen: settings.listen, ...this.ports, queues, status: status.current }, "serving");
  }

  stop(): Promise<void> {
    if (!this.#isStopping) this.#settle(this.#stop());
    this.#isStopping = true;
    return this.stopped;
  }

  reload(): Promise<void> {
    const reloaded = this.#lastReload.then(() => this.#reload());
    this.#lastReload = reloaded.catch(() => {});
    return reloaded;
  }

  #listen(listener: ListenerSettings): Promise<Listener> {
    const { settings, log, clock } = this.#parts;
    const { counters, connections, extensions } = this.#session;
    const limits = {
      maxRequestBytes: settings.maxRequestBytes,
      maxItemBytes: (queue: string) => this.#queues.maxItemBytes(queue),
      extensions,
    };
    const session = { ...this.#session, allowFlushAll: listener.allowFlushAll };
    return Listener.open({
      host: listener.listen,
      port: listener.port,
      backlog: settings.connectionBacklog,
      createCodec: memcacheCodecs(limits, listener),
      createSession: (describePeer) => new Session(session, describePeer),
      connections,
      idleWatch: this.#idleWatch,
      context: { flushList: this.#flushList, counters, clock, log },
    });
  }

  #sessionContext(): SessionContext {
    const { settings, inForce, status, log, clock } = this.#parts;
    return {
      queues: this.#queues,
      counters: createServerCounters(),
      connections: new ConnectionCounts(),
      status,
      parked: new ParkedSessions(),
      clock,
      log,
      version: spokenVersion(),
      startedAtMs: clock.monotonicMs(),
      memoryBytes: settings.maxMemoryBytes ?? memoryBytes(),
      maxOpenTransactions: settings.maxOpenTransactions,
      connectionLimitRefuseReads: settings.connectionLimitRefuseReads,
      connectionLimitRefuseWrites: settings.connectionLimitRefuseWrites,
      extensions: settings.extensions,
      enableSessionTrace: settings.enableSessionTrace,
      allowFlushAll: settings.allowFlushAll,
      queueSettings: (queue) => queueSettings(inForce, queue),
      ignoredOptions: new IgnoredOptions(log),
      reload: () => this.reload(),
      // Not within the command that asks for it: its own connection is among those that are ended.
      shutDown: () => setImmediate(() => void this.stop()),
    };
  }

  // Everything is checked before anything is changed.
  async #reload(): Promise<void> {
    const { settings, inForce, log, loadSettings } = this.#parts;
    const fresh = await loadSettings();
    checkQueueNames(fresh);
    this.#queues.configure(fresh);
    inForce.settings = fresh;
    for (const note of fresh.notes) log.warn({}, note);
    const later = changedKeys(settings, fresh);
    if (later.length > 0) log.warn({ settings: later }, "settings of the server that changed hold from its next start");
    log.info({}, "the configuration was reloaded");
  }

  async #stop(): Promise<void> {
    const { settings, status, log, clock } = this.#parts;
    log.info({}, "stopping");
    const endsAtMs = clock.monotonicMs() + settings.shutdownGraceMs;
    status.shutDown();
    await this.#endConnections();
    await this.#closeJournal(endsAtMs - clock.monotonicMs());
    log.info({}, "stopped");
  }

  async #endConnections(): Promise<void> {
    const { settings, clock } = this.#parts;
    const closed = Promise.all(this.#listeners.map((listener) => listener.close()));
    this.#queues.endWaits();
    const cut = clock.after(settings.shutdownGraceMs / 2, () => {
      for (const listener of this.#listeners) listener.destroyConnections();
    });
    await closed;
    cut.clear();
  }

  #closeJournal(graceMs: number): Promise<void> {
    const { journal, clock } = this.#parts;
    return new Promise((resolve, reject) => {
      const late = clock.after(graceMs, () => {
        reject(new WindhoverError("WH_CLOSED", "the journal was not closed within the grace time"));
      });
      journal
        .close()
        .then(resolve, reject)
        .finally(() => late.clear());
    });
  }
}

/** What a reload tells and does not change. */
function changedKeys(old: ServerSettings, fresh: ServerSettings): readonly string[] {
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  const changed = entriesOf(SERVER_SECTION.table).filter(({ field }) => {
    const holdsAtOnce = field === "expirationTimerMs";
    return field !== "memcachePort" && !holdsAtOnce && !same(old[field], fresh[field]);
  });
  const keys = changed.map(({ setting }) => setting.key);
  if (old.ports.memcache !== fresh.ports.memcache) keys.push("memcache");
  if (!same(old.listeners, fresh.listeners)) keys.push("listener");
  return keys;
}

function checkQueueNames(settings: ServerSettings): void {
  for (const name of settings.queues.keys()) {
    const fault = nameFault(name);
    if (fault !== null) throw new WindhoverError("WH_CONFIG", `queue.${showName(name)}: ${fault}`);
  }
}

/**
 * What clients are told. They ask for the version of the protocol: libmemcached takes a major version of 0 for a failure,
 * and whoever looks for Kestrel finds the one that this server stands in for.
 */
function spokenVersion(): string {
  const own = createRequire(import.meta.url)("windhover/package.json") as { readonly version: string };
  return `${KESTREL_VERSION}+windhover-${own.version}`;
}

/** The memory of the machine, or what its container may use of it. */
function memoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
