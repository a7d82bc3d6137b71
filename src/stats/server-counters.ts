/**
 * What the server has counted since it started. Plain numbers in a plain object: whoever does the work adds to them, whoever
 * shows them reads them.
 */
export interface ServerCounters {
  /** Fetches asked for (`get`); peeks are not among them. */
  gets: number;
  /** Puts asked for, refused ones included. */
  sets: number;
  /** Peeks asked for. */
  peeks: number;
  /** `monitor` asked for. Its items are among the hits, and not among the gets. */
  monitors: number;
  /** Fetches and peeks that brought an item. */
  hits: number;
  /** Fetches and peeks that brought none; one that waits counts when its wait is over. */
  misses: number;
  /** Bytes read from clients. */
  bytesRead: number;
  /** Bytes written to clients. */
  bytesWritten: number;
  /** Waiting fetches that ended early, because too much input came in behind them. */
  waitsCutShort: number;
  /** `close` and `abort` on a connection that has nothing open on that queue. */
  closesOfNothing: number;
}

export function createServerCounters(): ServerCounters {
  return {
    gets: 0,
    sets: 0,
    peeks: 0,
    monitors: 0,
    hits: 0,
    misses: 0,
    bytesRead: 0,
    bytesWritten: 0,
    waitsCutShort: 0,
    closesOfNothing: 0,
  };
}
