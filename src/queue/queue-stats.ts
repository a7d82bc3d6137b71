/** One queue's figures at one moment, and what it has counted since the server started. */
export interface QueueStats {
  /** Items that a fetch could take now. */
  readonly items: number;
  /** Their bytes. */
  readonly bytes: number;
  /** Items ever put. */
  readonly totalItems: number;
  /** Bytes of the queue's pages on the disk. */
  readonly logBytes: number;
  readonly expiredItems: number;
  /** Items in memory. */
  readonly memItems: number;
  readonly memBytes: number;
  /** How long the head has been in the queue, in milliseconds; 0 when it is empty. */
  readonly ageMs: number;
  readonly discarded: number;
  readonly waiters: number;
  /** Items that are set aside for clients. */
  readonly openTransactions: number;
  /** Open reads ever begun. */
  readonly transactions: number;
  /** Open reads that were given back. */
  readonly canceledTransactions: number;
  readonly totalFlushes: number;
  /** Items that the journal could not give back. */
  readonly lost: number;
  /** Items that are not due yet. */
  readonly delayed: number;
  /** Items that went to the dead-letter queue. */
  readonly deadLettered: number;
  /** How long the oldest open read has been open, in milliseconds; 0 without one. */
  readonly oldestOpenMs: number;
  /** Items that should move to another queue, which is full; they are tried again. */
  readonly expireBlocked: number;
  /** Pages whose items were moved out of them to free their space. */
  readonly journalRewrites: number;
  /** Compactions that covered the queue. */
  readonly journalRotations: number;
}

/** What a queue counts. */
export class QueueCounters {
  totalItems = 0;
  expiredItems = 0;
  discarded = 0;
  transactions = 0;
  canceledTransactions = 0;
  totalFlushes = 0;
  lost = 0;
  deadLettered = 0;
}
