import type { Clock } from "../clock.js";
import type { Log } from "../log.js";
import type { Queues } from "../queue/queues.js";
import type { ConnectionCounts } from "../stats/connection-counts.js";
import type { ServerCounters } from "../stats/server-counters.js";

/** What all sessions of a server share. */
export interface SessionContext {
  readonly queues: Queues;
  readonly counters: ServerCounters;
  readonly connections: ConnectionCounts;
  readonly clock: Clock;
  readonly log: Log;
  /** The server's version, as `version` tells it. */
  readonly version: string;
  /** When the server started, on the monotonic clock. */
  readonly startedAtMs: number;
  /** The memory of the machine or of its container, in bytes. */
  readonly memoryBytes: number;
  /** How many reads one connection may hold open on one queue. */
  readonly maxOpenTransactions: number;
  /** Whether `flush_all` is obeyed. */
  readonly allowFlushAll: boolean;
  /** Asks the server to stop, soon and in order. */
  readonly shutDown: () => void;
}
