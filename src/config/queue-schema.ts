import {
  clientIds,
  count,
  countFromOne,
  duration,
  flag,
  orNone,
  period,
  queueNameOrNone,
  size,
  sync,
} from "./kinds.js";
import type { Section, Setting, Table } from "./schema.js";
import type { QueueSettings } from "./settings.js";

const MIB = 1024 * 1024;

const table: Table<QueueSettings> = {
  maxItems: {
    key: "max_items",
    kestrel: "maxItems",
    kind: orNone(count),
    initial: Infinity,
    about: "The queue is full with so many items.",
  },
  maxBytes: {
    key: "max_size",
    kestrel: "maxSize",
    kind: orNone(size),
    initial: Infinity,
    about: "The queue is full with so many bytes of data; the item that fills it may go over.",
  },
  maxItemBytes: {
    key: "max_item_size",
    kestrel: "maxItemSize",
    kind: orNone(size),
    initial: Infinity,
    about: "A larger item is refused.",
  },
  discardOldWhenFull: {
    key: "discard_old_when_full",
    kestrel: "discardOldWhenFull",
    kind: flag,
    initial: false,
    about: "A full queue drops its oldest items to make room, instead of refusing the new one.",
  },
  maxAgeMs: {
    key: "max_age",
    kestrel: "maxAge",
    kind: orNone(period),
    initial: Infinity,
    about: "An item expires when it has been in the queue for so long, or earlier if its producer said so.",
    differs: "A reload also acts on items that are already there.",
  },
  expireToQueue: {
    key: "expire_to_queue",
    kestrel: "expireToQueue",
    kind: queueNameOrNone,
    initial: null,
    about: 'The queue that expired items are moved to; "" drops them.',
    differs: "The move is one write: an item is never in both queues or in neither.",
  },
  maxExpireSweep: {
    key: "max_expire_sweep",
    kestrel: "maxExpireSweep",
    kind: orNone(countFromOne),
    initial: Infinity,
    about: "How many expired items one sweep takes from the queue.",
  },
  maxQueueAgeMs: {
    key: "max_queue_age",
    kestrel: "maxQueueAge",
    kind: orNone(period),
    initial: Infinity,
    about: "An empty queue that was not used for so long is deleted.",
    differs: "Kestrel counted from the creation of the queue.",
  },
  maxMemoryBytes: {
    key: "max_memory_size",
    kestrel: "maxMemorySize",
    kind: size,
    initial: 128 * MIB,
    about: "So much of the queue's head is kept in memory; the rest waits in the journal.",
  },
  keepJournal: {
    key: "keep_journal",
    kestrel: "keepJournal",
    kind: flag,
    initial: true,
    about: "Whether items are written to the journal; without it a restart empties the queue.",
  },
  syncJournal: {
    key: "sync_journal",
    kestrel: "syncJournal",
    kind: sync,
    initial: { kind: "never" },
    about: 'When written items are forced to the disk: "never", "always" (before each answer), or every so often.',
    differs: 'Kestrel wrote 0 for "always" and Duration.MaxValue for "never".',
  },
  maxJournalBytes: {
    key: "max_journal_size",
    kestrel: "maxJournalSize",
    kind: orNone(size),
    initial: Infinity,
    about: "The queue is full when its part of the journal has so many bytes.",
    differs: "Kestrel rewrote the journal at this size (1 GB). Here space is given back without being told.",
  },
  fanoutOnly: {
    key: "fanout_only",
    kestrel: "fanoutOnly",
    kind: flag,
    initial: false,
    about: "The queue keeps nothing itself and only feeds its children. No child inherits it.",
  },
  fanoutStrict: {
    key: "fanout_strict",
    kestrel: null,
    kind: flag,
    initial: false,
    about: "A put counts only if every child takes it; otherwise a full child misses the item, as in Kestrel.",
  },
  openTransactionTimeoutMs: {
    key: "open_transaction_timeout",
    kestrel: "openTransactionTimeout",
    kind: orNone(period),
    initial: Infinity,
    about: "An open read that is not confirmed for so long goes back to the head of the queue.",
    differs: "It has a timer of its own, where Kestrel looked when the queue was used.",
  },
  maxAttempts: {
    key: "max_attempts",
    kestrel: null,
    kind: orNone(countFromOne),
    initial: Infinity,
    about: "After so many deliveries without a confirmation an item is moved to the dead-letter queue.",
  },
  deadLetterQueue: {
    key: "dead_letter_queue",
    kestrel: null,
    kind: queueNameOrNone,
    initial: null,
    about:
      "Where those items go; \"\" is the queue's name with _dead behind it, for a fanout child its parent's. Such a queue inherits neither max_age nor max_attempts.",
  },
  keepFlags: {
    key: "keep_flags",
    kestrel: null,
    kind: flag,
    initial: false,
    about: "Items come back with the flags of their set. Kestrel always answered 0.",
  },
  enableTrace: {
    key: "enable_trace",
    kestrel: "enableTrace",
    kind: flag,
    initial: false,
    about: "Every operation on the queue is logged.",
  },
  dequeueClientIds: {
    key: "white_list_client_id_for_dequeue",
    kestrel: "whiteListClientIdForDequeue",
    kind: clientIds,
    initial: null,
    about: "The client ids that may get from the queue; a client without an id may not. [] is everybody.",
    differs: "A list, where Kestrel took a single id.",
  },
  enqueueClientIds: {
    key: "white_list_client_id_for_enqueue",
    kestrel: "whiteListClientIdForEnqueue",
    kind: clientIds,
    initial: null,
    about: "The client ids that may put into the queue. A fanout child has its parent's.",
    differs: "A list, where Kestrel took a single id.",
  },
};

const ignored: readonly Setting<unknown>[] = [
  {
    key: "default_journal_size",
    kestrel: "defaultJournalSize",
    kind: size,
    initial: 16 * MIB,
    about: "No effect: the journal is given back as it is used up.",
  },
  {
    key: "min_journal_compact_delay",
    kestrel: "minJournalCompactDelay",
    kind: orNone(duration),
    initial: 60_000,
    about: "No effect: the journal compacts itself by what it would gain.",
  },
  {
    key: "disable_aggressive_rewrites",
    kestrel: "disableAggressiveRewrites",
    kind: flag,
    initial: false,
    about: "No effect: there are no rewrites of whole journals.",
  },
];

/** `[default]` and `[queue.NAME]`. */
export const QUEUE_SECTION: Section<QueueSettings> = { table, ignored };
