import type { Clock } from "../clock.js";
import type { QueueSettings } from "../config/settings.js";
import type { Log } from "../log.js";
import type { Queues } from "../queue/queues.js";
import type { ConnectionCounts } from "../stats/connection-counts.js";
import type { ServerCounters } from "../stats/server-counters.js";
import type { ServerStatus } from "../status/server-status.js";
import type { IgnoredOptions } from "./ignored-options.js";
import type { ParkedSessions } from "./parked-fetch.js";

/** What all sessions of a server share. */
export interface SessionContext {
  readonly queues: Queues;
  readonly counters: ServerCounters;
  readonly connections: ConnectionCounts;
  readonly status: ServerStatus;
  /** The sessions that wait in a fetch. */
  readonly parked: ParkedSessions;
  readonly clock: Clock;
  readonly log: Log;
  /** The server's version, as `version` tells it. */
  readonly version: string;
  /** When the server started, on the monotonic clock. */
  readonly startedAtMs: number;
  /** The memory that `reserved_memory_ratio` is reckoned by, in bytes. */
  readonly memoryBytes: number;
  /** How many reads one connection may hold open on one queue. */
  readonly maxOpenTransactions: number;
  /** A connection that is opened beside more than so many others may not fetch; Infinity never. */
  readonly connectionLimitRefuseReads: number;
  /** The same for puts. */
  readonly connectionLimitRefuseWrites: number;
  /** Whether windhover's own options are there, and told of. */
  readonly extensions: boolean;
  /** Whether the start and the end of each session is logged. */
  readonly enableSessionTrace: boolean;
  /** Whether `flush_all` is obeyed. */
  readonly allowFlushAll: boolean;
  /** What holds now for a queue, whether or not it exists. */
  readonly queueSettings: (queue: string) => QueueSettings;
  /** Reads the configuration again and obeys it, or is rejected and changes nothing. */
  readonly reload: () => Promise<void>;
  /** Options that were let through though they mean nothing. */
  readonly ignoredOptions: IgnoredOptions;
  /** Asks the server to stop, soon and in order. */
  readonly shutDown: () => void;
}
