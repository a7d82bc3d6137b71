/**
 * Every setting of the server, with its unit in its name and nothing left out. The configuration file has the same
 * settings under Kestrel's names (`max_item_size`, `sync_journal`); `server-schema.ts` and `queue-schema.ts` say which is which.
 *
 * A limit or time that is not set ("none") is Infinity: compare with it freely, but never give it to a timer.
 */
export interface ServerSettings {
  /** The address that all ports are bound to. */
  readonly listen: string;
  /** The port of each protocol: 0 picks a free one, null is off. The memcache port speaks Kestrel's dialect. */
  readonly ports: { readonly memcache: number | null };
  /** More memcache ports, each with a dialect of its own; `memcacheListeners` has them together with the first one. */
  readonly listeners: readonly ListenerSettings[];
  /** The directory of the journal. It is created when missing. */
  readonly journalDir: string;
  /** How often expired items and queues are looked for, in milliseconds; Infinity never. */
  readonly expirationTimerMs: number;
  /** A client that has sent nothing for so long is hung up on, in milliseconds; one that waits in a fetch is busy. Infinity never. */
  readonly clientTimeoutMs: number;
  /** How many reads one connection may hold open on one queue. */
  readonly maxOpenTransactions: number;
  /** How many connections the system may hold before they are accepted, for each port; null leaves it to Node. */
  readonly connectionBacklog: number | null;
  /** With more connections than this, puts are refused; Infinity never. */
  readonly connectionLimitRefuseWrites: number;
  /** With more connections than this, gets are refused; Infinity never. */
  readonly connectionLimitRefuseReads: number;
  /** Whether the start and end of every session is logged. */
  readonly enableSessionTrace: boolean;
  /** Where the status is kept over a restart; null keeps it nowhere. */
  readonly statusFile: string | null;
  /** The status of a server that knows no earlier one. */
  readonly defaultStatus: StatusName;
  /** How long a change to a stricter status waits before it refuses anything, in milliseconds. */
  readonly statusChangeGraceMs: number;
  /** How long a stop may take before connections are cut, in milliseconds. */
  readonly shutdownGraceMs: number;
  /** The memory that `reserved_memory_ratio` is reckoned by, in bytes; null is what the machine has. */
  readonly maxMemoryBytes: number | null;
  /** Puts are refused while the journal's disk has less free space than this, in bytes; 0 never refuses. */
  readonly minFreeBytes: number;
  /** The largest item that is read from a client at all, in bytes; a client that announces more is hung up on. */
  readonly maxRequestBytes: number;
  /** Whether windhover's own commands and options exist. Without them an unknown option is ignored, as Kestrel did. */
  readonly extensions: boolean;
  /** Whether `flush_all` is obeyed on the first memcache port. */
  readonly allowFlushAll: boolean;
  /** What holds for a queue that says nothing else. */
  readonly queueDefaults: QueueSettings;
  /** What single queues say, by queue name (one character a byte), and only what they say. Fanout children are among them. */
  readonly queues: ReadonlyMap<string, Partial<QueueSettings>>;
  /** The queues that each alias puts into, by the alias' name. No alias is among them. */
  readonly aliases: ReadonlyMap<string, AliasSettings>;
  /** What the operator should hear once at the start, a sentence each. */
  readonly notes: readonly string[];
}

/** What a server may be told to be. */
export type StatusName = "up" | "readonly" | "quiescent" | "writeavoid";

/** How a memcache port speaks: as Kestrel did, or as a plain memcached client expects. */
export type Dialect = "kestrel" | "memcached";

/** One memcache port, and what its dialect comes to when its own switches are counted in. */
export interface ListenerSettings {
  /** The address it is bound to. */
  readonly listen: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly dialect: Dialect;
  /** Items come with the flags that they were put with, whatever their queue's `keepFlags` says. */
  readonly keepFlags: boolean;
  /** `gets` answers with a fifth word, the CAS token. */
  readonly casOnGets: boolean;
  /** The reply names the key as it was asked for, options and all (`VALUE jobs/open 0 5`). */
  readonly echoRequestKey: boolean;
  /** memcached's words: `flush_all` answers `OK`, `delete` of a queue that does not exist `NOT_FOUND`. */
  readonly memcachedWords: boolean;
  /** Whether `flush_all` is obeyed. */
  readonly allowFlushAll: boolean;
}

/** What an alias stands for. */
export interface AliasSettings {
  /** Every put goes to all of these; never empty. */
  readonly destinationQueues: readonly string[];
}

/** The settings of one queue. */
export interface QueueSettings {
  /** The queue takes no more items once it has this many; Infinity without a limit. */
  readonly maxItems: number;
  /** The queue takes no more items once it holds this many bytes; Infinity without a limit. */
  readonly maxBytes: number;
  /** The largest item that the queue takes, in bytes; Infinity without a limit. */
  readonly maxItemBytes: number;
  /** An item expires when it has been in the queue for so long, in milliseconds; Infinity never. */
  readonly maxAgeMs: number;
  /** How many bytes of the head of the queue are kept in memory; the rest waits in the journal. */
  readonly maxMemoryBytes: number;
  /** Whether the items are written to the journal; without it a restart empties the queue. */
  readonly keepJournal: boolean;
  /** When written items are forced to the disk. */
  readonly syncJournal: SyncJournal;
  /** The queue takes no more items once its journal has this many bytes; Infinity without a limit. */
  readonly maxJournalBytes: number;
  /** A full queue drops its oldest items to make room, instead of refusing the new one. */
  readonly discardOldWhenFull: boolean;
  /** Where expired items go; null drops them. */
  readonly expireToQueue: string | null;
  /** How many expired items one sweep takes from the queue; Infinity all. */
  readonly maxExpireSweep: number;
  /** The queue keeps nothing and only feeds its children. Always false for a child. */
  readonly fanoutOnly: boolean;
  /** A put counts only if every child takes it. */
  readonly fanoutStrict: boolean;
  /** An empty queue that nobody has used for so long is deleted, in milliseconds; Infinity never. */
  readonly maxQueueAgeMs: number;
  /** An open read goes back to the queue after so long, in milliseconds; Infinity never. */
  readonly openTransactionTimeoutMs: number;
  /** After so many deliveries that were not confirmed an item goes to the dead-letter queue; Infinity never. */
  readonly maxAttempts: number;
  /** Where those items go; null is the queue that `deadLetterQueueOf` names. */
  readonly deadLetterQueue: string | null;
  /** Items come back with the flags that they were put with; otherwise with 0, as Kestrel answered. */
  readonly keepFlags: boolean;
  /** Whether each operation on the queue is logged. */
  readonly enableTrace: boolean;
  /** The client ids that may get from the queue, and nobody without one; null is everybody. */
  readonly dequeueClientIds: readonly string[] | null;
  /** The client ids that may put into the queue; null is everybody. A child's own list is disregarded, its parent's counts. */
  readonly enqueueClientIds: readonly string[] | null;
}

/** When the journal is forced to the disk: when the system likes, before each answer, or every so often. */
export type SyncJournal =
  | { readonly kind: "never" }
  | { readonly kind: "always" }
  | { readonly kind: "period"; readonly periodMs: number };

/** The memcache ports to open, the first one first. */
export function memcacheListeners(settings: ServerSettings): readonly ListenerSettings[] {
  const { memcache: port } = settings.ports;
  if (port === null) return settings.listeners;
  const { listen, allowFlushAll } = settings;
  return [{ ...KESTREL_DIALECT, listen, port, allowFlushAll }, ...settings.listeners];
}

/** What the dialect `kestrel` comes to. */
export const KESTREL_DIALECT = {
  dialect: "kestrel",
  keepFlags: false,
  casOnGets: false,
  echoRequestKey: false,
  memcachedWords: false,
  allowFlushAll: true,
} as const satisfies Partial<ListenerSettings>;

/** What the dialect `memcached` comes to. */
export const MEMCACHED_DIALECT = {
  dialect: "memcached",
  keepFlags: true,
  casOnGets: true,
  echoRequestKey: true,
  memcachedWords: true,
  allowFlushAll: false,
} as const satisfies Partial<ListenerSettings>;
