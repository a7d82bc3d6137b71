import type { Item, NewItem } from "../item.js";

/** When what was written must be on the disk itself, not only with the system (`sync_journal`). */
export type SyncJournal =
  | { readonly kind: "never" }
  | { readonly kind: "always" }
  | { readonly kind: "period"; readonly periodMs: number };

/** What a queue's journal tells its queue. */
export interface JournalListener {
  /** These were put and could not be written: they leave the line. */
  withdraw(items: ReadonlySet<Item>): void;
  /** So many items were found to be damaged or missing. */
  lost(count: number): void;
  /** When the first item in line was put, wall-clock ms; 0 if there is none. */
  headAddedAt(): number;
}

/** Items that were read from behind. */
export interface ReadAhead {
  readonly items: readonly Item[];
  /** Where to go on. */
  readonly next: number;
}

/**
 * The durable order of one queue's items: told of every move, it sees to it that a restart finds the same line.
 *
 * An item is in line, open (set aside for a client), back (returned to the head) or gone. The moves answer with a promise
 * where the answer to the client must wait for the disk (`sync_journal = always`), else with null.
 */
export interface QueueJournal {
  /** Items in line, in memory or not; those that are open or back are not counted. */
  readonly waiting: number;
  readonly waitingBytes: number;
  /** The lowest sequence number that may be in line. */
  readonly head: number;
  /** The sequence number that the next put will have. */
  readonly next: number;
  /** Bytes of this queue's pages on the disk. */
  readonly pageBytes: number;
  /** Pages whose items were moved out of them to free their space. */
  readonly rewrites: number;
  /** Compactions that covered this queue. */
  readonly rotations: number;
  /** Why puts are refused now, or null. */
  readonly refusal: string | null;

  setListener(listener: JournalListener): void;
  /** Puts an item at the end of the line. `resident`: the queue keeps it in memory. */
  append(item: NewItem, ownsData: boolean, resident: boolean): Item;
  /** When the put of an item that was just appended may be answered: null at once. Rejects with WH_WRITE_FAILED. */
  written(item: Item): Promise<void> | null;
  /** The first in line, or one that is back, goes for good. */
  take(item: Item): Promise<void> | null;
  /** One that was taken, or joined the line in a batch that failed, could not be handed over: it is back. */
  restore(item: Item): void;
  /** The first in line, or one that is back, is set aside for a client. */
  open(item: Item): Promise<void> | null;
  /** The first in line, or an open one, is set aside for the queue itself: a restart finds it at the head. */
  setAside(item: Item): void;
  /** A new item that joins the line only when it is due, wall-clock ms. */
  appendDelayed(item: NewItem, dueAt: number): Item;
  /** An open one is to join the end of the line when it is due; false: it exists no more. */
  delay(item: Item, dueAt: number): boolean;
  /** A delayed one is due: it joins the end of the line, as the item that is returned. */
  join(item: Item, resident: boolean): Item;
  /** An open one goes for good. */
  confirm(item: Item): Promise<void> | null;
  /** An open one returns to the head; false: it exists no more, because its own put had failed. */
  giveBack(item: Item): boolean;
  /** Items in line from sequence number `from` on, about `maxBytes` of them, never none while there are any. */
  readAhead(from: number, maxBytes: number): Promise<ReadAhead>;
  /** Looks at items in line from `from` on, `skip` of them passed over, at most `count`. They are copies, for the eye only. */
  peek(from: number, skip: number, count: number): Promise<readonly Item[]>;
  /** All that is in line is in memory: so many it really is. */
  recount(items: number, bytes: number): void;
  /** Everything in line and back goes; open ones stay. */
  flush(): Promise<void> | null;
  /** The queue is deleted. */
  retire(): Promise<void> | null;
}

/** A queue as it was found at the start. */
export interface RecoveredQueue {
  readonly name: string;
  readonly journal: QueueJournal;
  /** Items that were open or back when the journal was last written: all are back now. */
  readonly back: readonly Item[];
  /** Items that are not due yet, with the time when they are, wall-clock ms. */
  readonly delayed: readonly { readonly item: Item; readonly dueAt: number }[];
  readonly headAddedAt: number;
  /** Items that were open or back and could not be found any more. */
  readonly lost: number;
}

/** The journal of a whole server. */
export interface Journal {
  /** What was found at the start. */
  readonly recovered: readonly RecoveredQueue[];
  /** How often this journal has been opened, this time included. */
  readonly boots: number;
  /** A new queue, which is known again after a restart. */
  create(name: string): QueueJournal;
  /** Writes what is left and lets go of the directory. May be called twice. */
  close(): Promise<void>;
}

/** Settings of a journal, asked for by queue name whenever they count. */
export interface JournalSettings {
  syncJournal(queue: string): SyncJournal;
}
