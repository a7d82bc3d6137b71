import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { WindhoverError } from "../errors.js";
import type { Log } from "../log.js";
import type { JournalItem } from "./journal-item.js";
import {
  FORMAT_KEY,
  idInKey,
  KEY_KINDS,
  kindRange,
  nameInKey,
  outKey,
  queueRange,
  sequenceInKey,
  stateKey,
} from "./keys.js";
import { EMPTY_STATE } from "./level-queue-journal.js";
import { readPage } from "./page.js";
import type { PageReader } from "./page-reader.js";
import { firstReadableKey, readableEntries, readableValue } from "./readable.js";
import { FORMAT, type FormatRecord, readFormat, readOut, readQueue, readState, type StateRecord } from "./records.js";
import type { KeyRange, Store, StoreEntry } from "./store.js";

const TRIP_BYTES = 1024 * 1024;

/** The format record; a store without one is new. Error: WH_JOURNAL_FORMAT for one that this version cannot read. */
export async function checkFormat(store: Store, directory: string): Promise<FormatRecord> {
  const value = await store.get(FORMAT_KEY);
  if (value === undefined) {
    if (await isEmpty(store)) return { format: FORMAT, oldestReader: FORMAT, boots: 0, nextQueueId: 1 };
    throw new WindhoverError("WH_JOURNAL_FORMAT", `${directory} holds a LevelDB that is not a journal of windhover`);
  }
  const record = readFormat(value);
  if (record === null)
    throw new WindhoverError("WH_JOURNAL_FORMAT", `the format record of the journal in ${directory} is damaged`);
  if (record.oldestReader > FORMAT) {
    const message = `the journal in ${directory} has format ${record.format}, this version reads up to ${FORMAT}: use a newer one`;
    throw new WindhoverError("WH_JOURNAL_FORMAT", message);
  }
  await refuseUnknownKinds(store, directory);
  return record;
}

async function isEmpty(store: Store): Promise<boolean> {
  return (await store.keys({ from: Buffer.alloc(0), to: Buffer.alloc(16, 0xff) }, 1)).length === 0;
}

// Records of a kind that nobody here knows would be lost bit by bit; the gaps between the known kinds must be empty.
async function refuseUnknownKinds(store: Store, directory: string): Promise<void> {
  let from = Buffer.alloc(0);
  const known = [...KEY_KINDS].sort().map(kindRange);
  for (const range of [...known, { from: Buffer.alloc(16, 0xff), to: Buffer.alloc(0) }]) {
    const stranger = await firstReadableKey(store, { from, to: range.from });
    if (stranger !== undefined) {
      const message = `the journal in ${directory} holds records of an unknown kind (${stranger.toString("latin1", 0, 2)})`;
      throw new WindhoverError("WH_JOURNAL_FORMAT", message);
    }
    from = Buffer.from(range.to);
  }
}

/** A queue as its records tell. */
export interface FoundQueue {
  readonly name: string;
  readonly id: number;
  readonly createdAt: number;
  readonly state: StateRecord;
}

/** All queues of the store: a few records for each, however many items there are. */
export async function findQueues(store: Store, log: Log): Promise<FoundQueue[]> {
  const found: FoundQueue[] = [];
  for await (const [key, value] of walk(store, kindRange("q"))) {
    const name = nameInKey(key);
    const queue = readQueue(value);
    if (queue === null) log.error({ queue: name }, "a queue's record is damaged: its items cannot be found");
    else found.push({ name, ...queue, state: await findState(store, { name, id: queue.id }, log) });
  }
  return found;
}

async function findState(
  store: Store,
  queue: { readonly name: string; readonly id: number },
  log: Log,
): Promise<StateRecord> {
  const state = readState(await readableValue(store, stateKey(queue.id)));
  if (state !== null) return state;
  log.error({ queue: queue.name }, "a queue's state record is damaged or missing: made again from its pages");
  return stateFromPages(store, queue.id);
}

/** Ids whose records were still to be removed when the last run ended. */
export async function findRetired(store: Store): Promise<number[]> {
  const ids: number[] = [];
  for await (const [key] of walk(store, kindRange("x"))) ids.push(idInKey(key));
  return ids;
}

/** What of a queue was out of line. */
export interface FoundOutOfLine {
  /** The items, in the order of their places. */
  readonly items: JournalItem[];
  /** Sequence numbers of records without an item: its page is gone. */
  readonly orphans: number[];
  /** Items that should have been found and were not. */
  readonly lost: number;
}

/** The items of a queue that were open or back. */
export async function findOutOfLine(store: Store, queue: FoundQueue, reader: PageReader): Promise<FoundOutOfLine> {
  const items: JournalItem[] = [];
  const orphans: number[] = [];
  const range = { from: outKey(queue.id, queue.state.lowestOut), to: queueRange("o", queue.id).to };
  for await (const [key, value] of walk(store, range)) {
    const record = readOut(value);
    if (record === "unknown" || (record !== "damaged" && record.kind === "removed")) {
      throw new WindhoverError(
        "WH_JOURNAL_FORMAT",
        `queue ${queue.name} has an item in a state that this version does not know`,
      );
    }
    const seq = sequenceInKey(key);
    const own = record === "damaged" ? null : record.item;
    const item = own ?? (await reader.pageOf(seq))?.item;
    if (item === undefined) orphans.push(seq);
    else {
      item.attempts = record === "damaged" ? 1 : record.attempts;
      if (record !== "damaged" && record.kind === "delayed") {
        item.place = "delayed";
        item.dueAt = record.dueAt;
      }
      items.push(item);
    }
  }
  return { items, orphans, lost: Math.max(orphans.length, queue.state.out - items.length) };
}

/** Reads what LevelDB noted while it opened the store: bytes of its log that it dropped as damaged. */
export async function droppedBytes(directory: string): Promise<number> {
  const text = await readFile(join(directory, "LOG"), "utf8").catch(() => "");
  let dropped = 0;
  for (const match of text.matchAll(/dropping (\d+) bytes/g)) dropped += Number(match[1]);
  return dropped;
}

async function* walk(store: Store, range: KeyRange): AsyncGenerator<StoreEntry> {
  let from = range.from;
  for (;;) {
    const entries = await readableEntries(store, { from, to: range.to }, TRIP_BYTES);
    yield* entries;
    const last = entries.at(-1);
    if (last === undefined) return;
    from = Buffer.concat([last[0], Buffer.alloc(1)]);
  }
}

// Reads the queue from end to end. What was taken from the first page comes once more: better than never.
async function stateFromPages(store: Store, id: number): Promise<StateRecord> {
  let state = EMPTY_STATE;
  for await (const [key, value] of walk(store, queueRange("p", id))) {
    const first = sequenceInKey(key);
    if (state === EMPTY_STATE) state = { ...EMPTY_STATE, head: first };
    state = withPage(state, first, value);
  }
  return state;
}

function withPage(state: StateRecord, first: number, record: Buffer): StateRecord {
  const contents = readPage(record, null);
  if (contents === null) return { ...state, next: first + 1 };
  const { items, ordinal } = contents;
  return {
    ...state,
    next: (items.at(-1)?.seq ?? first) + 1,
    waiting: state.waiting + items.length,
    waitingBytes: items.reduce((sum, item) => sum + item.data.length, state.waitingBytes),
    nextOrdinal: ordinal + items.length,
    lastPage: first,
    pageBytes: state.pageBytes + record.length,
  };
}
