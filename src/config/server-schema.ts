import {
  count,
  countFromOne,
  duration,
  flag,
  listOf,
  oneOf,
  orNone,
  orWord,
  pathOrNone,
  period,
  port,
  portOrOff,
  queueName,
  size,
  text,
  within,
} from "./kinds.js";
import type { Section, Table } from "./schema.js";
import { type AliasSettings, KESTREL_DIALECT, type ListenerSettings, type ServerSettings } from "./settings.js";
import { SIZE_FORMS } from "./units.js";

const MIB = 1024 * 1024;

/** What stands in `[server]`: the settings of the server without its sections, and with its ports one by one. */
export interface ServerValues
  extends Omit<ServerSettings, "ports" | "listeners" | "queueDefaults" | "queues" | "aliases" | "notes"> {
  readonly memcachePort: number | null;
}

const serverTable: Table<ServerValues> = {
  listen: {
    key: "listen",
    kestrel: "listenAddress",
    kind: text,
    initial: "127.0.0.1",
    about: 'The address that the ports are bound to; "0.0.0.0" for all.',
    differs: "Kestrel listened on all addresses.",
    flag: "listen",
  },
  memcachePort: {
    key: "memcache",
    kestrel: "memcacheListenPort",
    kind: portOrOff,
    initial: 22133,
    about: 'The memcache port; 0 picks a free one, "off" opens none.',
    flag: "memcache",
  },
  connectionBacklog: {
    key: "connection_backlog",
    kestrel: "connectionBacklog",
    kind: orWord(countFromOne, "default", null),
    initial: null,
    about: "How many connections may wait to be accepted, at each port.",
  },
  journalDir: {
    key: "journal",
    kestrel: "queuePath",
    kind: text,
    initial: "journal/data",
    about: "The directory of the journal. It is created when missing.",
    differs: "Kestrel wrote to /tmp, a file for each queue.",
    flag: "journal",
  },
  minFreeBytes: {
    key: "min_free_space",
    kestrel: null,
    kind: size,
    initial: 64 * MIB,
    about: "Puts are refused while the journal's disk has less free space; 0 never refuses.",
  },
  maxMemoryBytes: {
    key: "max_memory",
    kestrel: null,
    kind: orWord(size, "machine", null),
    initial: null,
    about: "What reserved_memory_ratio is reckoned by: the memory that the queues may fill together.",
  },
  maxRequestBytes: {
    key: "max_request_bytes",
    kestrel: null,
    kind: within(size, 1, 512 * MIB, `${SIZE_FORMS}, at most 512MB`),
    initial: 64 * MIB,
    about: "The largest item that is read from a client at all; one that announces more is hung up on.",
  },
  maxOpenTransactions: {
    key: "max_open_transactions",
    kestrel: "maxOpenTransactions",
    kind: countFromOne,
    initial: 1,
    about: "How many reads one connection may hold open on one queue.",
  },
  clientTimeoutMs: {
    key: "client_timeout",
    kestrel: "clientTimeout",
    kind: orNone(period),
    initial: Infinity,
    about: "A client that has sent nothing for so long is hung up on.",
    differs: "A client that waits in a fetch counts as busy.",
  },
  connectionLimitRefuseWrites: {
    key: "connection_limit_refuse_writes",
    kestrel: "connectionLimitRefuseWrites",
    kind: orNone(count),
    initial: Infinity,
    about: "With more connections than this, puts are refused.",
  },
  connectionLimitRefuseReads: {
    key: "connection_limit_refuse_reads",
    kestrel: "connectionLimitRefuseReads",
    kind: orNone(count),
    initial: Infinity,
    about: "With more connections than this, gets are refused.",
  },
  expirationTimerMs: {
    key: "expiration_timer_frequency",
    kestrel: "expirationTimerFrequency",
    kind: orNone(period),
    initial: 1000,
    about: 'How often expired items and unused queues are looked for; "none" leaves it to the clients.',
    differs: "Kestrel had no timer unless it was told so; its production.scala said one second.",
  },
  statusFile: {
    key: "status_file",
    kestrel: "statusFile",
    kind: pathOrNone,
    initial: null,
    about: 'Where the server\'s status is kept over a restart; "" keeps it nowhere.',
    differs: "Kestrel used /tmp/.kestrel-status.",
  },
  defaultStatus: {
    key: "default_status",
    kestrel: "defaultStatus",
    kind: oneOf(["up", "readonly", "quiescent", "writeavoid"] as const),
    initial: "up",
    about: "The status of a server that knows no earlier one.",
  },
  statusChangeGraceMs: {
    key: "status_change_grace_period",
    kestrel: "statusChangeGracePeriod",
    kind: duration,
    initial: 0,
    about: "How long a change to a stricter status waits before it refuses anything.",
  },
  shutdownGraceMs: {
    key: "shutdown_grace",
    kestrel: null,
    kind: duration,
    initial: 10_000,
    about: "How long a stop may take; clients have half of it to read their last answers.",
  },
  enableSessionTrace: {
    key: "enable_session_trace",
    kestrel: "enableSessionTrace",
    kind: flag,
    initial: false,
    about: "The start and the end of every session is logged.",
  },
  extensions: {
    key: "extensions",
    kestrel: null,
    kind: flag,
    initial: true,
    about:
      "Windhover's own commands and options. Without them an unknown option of get is ignored, as Kestrel did, and the get takes an item.",
  },
  allowFlushAll: {
    key: "allow_flush_all",
    kestrel: null,
    kind: flag,
    initial: true,
    about: "false refuses flush_all: client libraries have wiped queues with it.",
  },
};

/** `[server]`. */
export const SERVER_SECTION: Section<ServerValues> = { table: serverTable, ignored: [] };

const listenerTable: Table<ListenerSettings> = {
  port: {
    key: "port",
    kestrel: null,
    kind: port,
    initial: 0,
    about: "One more memcache port; 0 picks a free one. Each [[listener]] has one.",
  },
  listen: {
    key: "listen",
    kestrel: null,
    kind: text,
    initial: "127.0.0.1",
    about: "The address that it is bound to, if not the server's.",
  },
  dialect: {
    key: "dialect",
    kestrel: null,
    kind: oneOf(["kestrel", "memcached"] as const),
    initial: KESTREL_DIALECT.dialect,
    about:
      'How it speaks: "kestrel", or "memcached" for plain memcached clients. The keys below change one habit each.',
  },
  keepFlags: {
    key: "keep_flags",
    kestrel: null,
    kind: flag,
    initial: KESTREL_DIALECT.keepFlags,
    about: "Items come back with the flags of their set, whatever their queue says. memcached: true.",
  },
  casOnGets: {
    key: "cas_on_gets",
    kestrel: null,
    kind: flag,
    initial: KESTREL_DIALECT.casOnGets,
    about: "gets answers with a CAS token. memcached: true.",
  },
  echoRequestKey: {
    key: "echo_request_key",
    kestrel: null,
    kind: flag,
    initial: KESTREL_DIALECT.echoRequestKey,
    about: "The reply names the key as it was asked for, with its options. memcached: true.",
  },
  memcachedWords: {
    key: "memcached_words",
    kestrel: null,
    kind: flag,
    initial: KESTREL_DIALECT.memcachedWords,
    about: "flush_all answers OK, delete of a missing queue NOT_FOUND. memcached: true.",
  },
  allowFlushAll: {
    key: "allow_flush_all",
    kestrel: null,
    kind: flag,
    initial: KESTREL_DIALECT.allowFlushAll,
    about: "Whether flush_all is obeyed on this port, if not as the server says. memcached: false.",
  },
};

/** `[[listener]]`. */
export const LISTENER_SECTION: Section<ListenerSettings> = { table: listenerTable, ignored: [] };

const aliasTable: Table<AliasSettings> = {
  destinationQueues: {
    key: "destination_queues",
    kestrel: "destinationQueues",
    kind: listOf(queueName, 'a list of queue names such as ["orders", "audit"]'),
    initial: [],
    about: "What is put into the alias goes to each of these queues.",
  },
};

/** `[alias.NAME]`. */
export const ALIAS_SECTION: Section<AliasSettings> = { table: aliasTable, ignored: [] };
