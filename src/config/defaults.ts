import type { QueueSettings, ServerSettings } from "./settings.js";

const MIB = 1024 * 1024;

/** What holds for every queue unless the configuration says otherwise: Kestrel's defaults. */
export const DEFAULT_QUEUE_SETTINGS: QueueSettings = {
  maxItems: Infinity,
  maxBytes: Infinity,
  maxItemBytes: Infinity,
  maxMemoryBytes: 128 * MIB,
  keepJournal: true,
  syncJournal: { kind: "never" },
};

/** What a server does when it is told nothing. It listens on the loopback address only. */
export const DEFAULT_SETTINGS: ServerSettings = {
  listen: "127.0.0.1",
  ports: { memcache: 22133 },
  journalDir: "journal/data",
  maxRequestBytes: 64 * MIB,
  minFreeBytes: 64 * MIB,
  maxOpenTransactions: 1,
  allowFlushAll: true,
  shutdownGraceMs: 10_000,
  queueDefaults: DEFAULT_QUEUE_SETTINGS,
  queues: new Map(),
};
