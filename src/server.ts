import { createRequire } from "node:module";
import { totalmem } from "node:os";
import { type Clock, SystemClock } from "./clock.js";
import { settingsFor } from "./config/inheritance.js";
import type { ServerSettings } from "./config/settings.js";
import { WindhoverError } from "./errors.js";
import { LevelJournal } from "./journal/level-journal.js";
import type { Journal } from "./journal/queue-journal.js";
import type { Log } from "./log.js";
import { FlushList } from "./net/flush-list.js";
import { Listener } from "./net/listener.js";
import { memcacheCodecs } from "./protocol/memcache/memcache-codec.js";
import { nameFault, showName } from "./queue/queue-name.js";
import { Queues } from "./queue/queues.js";
import { Session } from "./session/session.js";
import type { SessionContext } from "./session/session-context.js";
import { ConnectionCounts } from "./stats/connection-counts.js";
import { createServerCounters } from "./stats/server-counters.js";

/** The release of Kestrel whose protocol this server speaks. */
const KESTREL_VERSION = "2.4.7";

/** What a server is given from outside. */
export interface ServerContext {
  readonly log: Log;
  /** The time; the real one if it is left out. */
  readonly clock?: Clock;
}

/** A server that serves. */
export interface RunningServer {
  /** The ports that are open, null where one is off. */
  readonly ports: { readonly memcache: number | null };
  /**
   * Settled when everything is closed, whoever asked for it. Rejected when the journal could not be closed cleanly; it is
   * never an unhandled rejection.
   */
  readonly stopped: Promise<void>;
  /** Stops it in order, and returns `stopped`. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Starts a server. The ports are open, and what is in the journal is served, when the promise is fulfilled. Errors:
 * WH_JOURNAL_LOCKED, WH_JOURNAL_UNREADABLE, WH_JOURNAL_FORMAT, WH_LISTEN, WH_CONFIG; after one nothing is left open.
 */
export async function startServer(settings: ServerSettings, context: ServerContext): Promise<RunningServer> {
  checkQueueNames(settings);
  const { log, clock = new SystemClock() } = context;
  const journal = await LevelJournal.open({
    directory: settings.journalDir,
    settings: { syncJournal: (queue) => settingsFor(settings, queue).syncJournal },
    minFreeBytes: settings.minFreeBytes,
    clock,
    log,
  });
  try {
    const server = new Server({ settings, journal, log, clock });
    await server.open();
    return server;
  } catch (error) {
    await journal.close();
    throw error;
  }
}

interface ServerParts {
  readonly settings: ServerSettings;
  readonly journal: Journal;
  readonly log: Log;
  readonly clock: Clock;
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
  readonly #session: SessionContext;
  #memcache: Listener | null = null;
  #isStopping = false;
  #settle: (outcome: Promise<void>) => void = () => {};

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.#queues = new Queues(parts);
    this.#session = this.#sessionContext();
    this.stopped = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.stopped.catch(() => {});
  }

  get ports(): RunningServer["ports"] {
    return { memcache: this.#memcache?.port ?? null };
  }

  /** Opens the ports. Error: WH_LISTEN. */
  async open(): Promise<void> {
    const { settings, log } = this.#parts;
    const port = settings.ports.memcache;
    if (port !== null) this.#memcache = await this.#listen(port);
    log.info({ listen: settings.listen, ...this.ports, queues: this.#queues.list().length }, "serving");
  }

  stop(): Promise<void> {
    if (!this.#isStopping) this.#settle(this.#stop());
    this.#isStopping = true;
    return this.stopped;
  }

  #listen(port: number): Promise<Listener> {
    const { settings, log, clock } = this.#parts;
    const { counters, connections } = this.#session;
    return Listener.open({
      host: settings.listen,
      port,
      createCodec: memcacheCodecs({
        maxRequestBytes: settings.maxRequestBytes,
        maxItemBytes: (queue) => this.#queues.maxItemBytes(queue),
      }),
      createSession: (describePeer) => new Session(this.#session, describePeer),
      connections,
      context: { flushList: this.#flushList, counters, clock, log },
    });
  }

  #sessionContext(): SessionContext {
    const { settings, log, clock } = this.#parts;
    return {
      queues: this.#queues,
      counters: createServerCounters(),
      connections: new ConnectionCounts(),
      clock,
      log,
      version: spokenVersion(),
      startedAtMs: clock.monotonicMs(),
      memoryBytes: memoryBytes(),
      maxOpenTransactions: settings.maxOpenTransactions,
      allowFlushAll: settings.allowFlushAll,
      // Not within the command that asks for it: its own connection is among those that are ended.
      shutDown: () => setImmediate(() => void this.stop()),
    };
  }

  async #stop(): Promise<void> {
    const { settings, log, clock } = this.#parts;
    log.info({}, "stopping");
    const endsAtMs = clock.monotonicMs() + settings.shutdownGraceMs;
    await this.#endConnections();
    await this.#closeJournal(endsAtMs - clock.monotonicMs());
    log.info({}, "stopped");
  }

  async #endConnections(): Promise<void> {
    const { settings, clock } = this.#parts;
    const closed = this.#memcache?.close();
    this.#queues.endWaits();
    const cut = clock.after(settings.shutdownGraceMs / 2, () => this.#memcache?.destroyConnections());
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
