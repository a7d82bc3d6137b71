/**
 * Every setting of the server, with its unit in its name and nothing left out. The configuration file has the same
 * settings under Kestrel's names (`max_item_size`, `sync_journal`); `load.ts` turns one into the other.
 */
export interface ServerSettings {
  /** The address that all ports are bound to. */
  readonly listen: string;
  /** The port of each protocol: 0 picks a free one, null is off. */
  readonly ports: { readonly memcache: number | null };
  /** The directory of the journal. It is created when missing. */
  readonly journalDir: string;
  /** The largest item that is read from a client at all, in bytes; a client that announces more is hung up on. */
  readonly maxRequestBytes: number;
  /** Puts are refused while the journal's disk has less free space than this, in bytes; 0 never refuses. */
  readonly minFreeBytes: number;
  /** How many reads one connection may hold open on one queue. */
  readonly maxOpenTransactions: number;
  /** Whether `flush_all` is obeyed. */
  readonly allowFlushAll: boolean;
  /** How long a stop may take before connections are cut, in milliseconds. */
  readonly shutdownGraceMs: number;
  /** What holds for a queue that says nothing else. */
  readonly queueDefaults: QueueSettings;
  /** What single queues say, by queue name (one character a byte), and only what they say. */
  readonly queues: ReadonlyMap<string, Partial<QueueSettings>>;
}

/** The settings of one queue. */
export interface QueueSettings {
  /** The queue takes no more items once it has this many; Infinity without a limit. */
  readonly maxItems: number;
  /** The queue takes no more items once it holds this many bytes; Infinity without a limit. */
  readonly maxBytes: number;
  /** The largest item that the queue takes, in bytes; Infinity without a limit. */
  readonly maxItemBytes: number;
  /** How many bytes of the head of the queue are kept in memory; the rest waits in the journal. */
  readonly maxMemoryBytes: number;
  /** Whether the items are written to the journal; without it a restart empties the queue. */
  readonly keepJournal: boolean;
  /** When written items are forced to the disk. */
  readonly syncJournal: SyncJournal;
}

/** When the journal is forced to the disk: when the system likes, before each answer, or every so often. */
export type SyncJournal =
  | { readonly kind: "never" }
  | { readonly kind: "always" }
  | { readonly kind: "period"; readonly periodMs: number };

/** The settings of the queue `name`: key by key its own, else the defaults. */
export function settingsFor(settings: Pick<ServerSettings, "queueDefaults" | "queues">, name: string): QueueSettings {
  const own = settings.queues.get(name);
  return own === undefined ? settings.queueDefaults : { ...settings.queueDefaults, ...own };
}
