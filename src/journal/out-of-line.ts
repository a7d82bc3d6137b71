import { JournalItem, NO_BYTES } from "./journal-item.js";
import { type OutKind, writeOut } from "./records.js";

/**
 * The items of one queue that left the line and are not gone: open for a client, or back at the head. Their records are
 * written with the next batch, and those of items that are gone by then never.
 */
export class OutOfLine {
  readonly #members = new Set<JournalItem>();
  readonly #delayed = new Set<JournalItem>();
  /** Their records in the store are not what they should be. */
  readonly #changed = new Set<JournalItem>();
  /** They may have a record in the store. */
  readonly #recorded = new Set<JournalItem>();
  #lowest: number | null = null;

  get size(): number {
    return this.#members.size;
  }

  /** How many of them are delayed. */
  get delayed(): number {
    return this.#delayed.size;
  }

  get members(): Iterable<JournalItem> {
    return this.#members;
  }

  /** It left the line, or changed its place outside of it. */
  changed(item: JournalItem): void {
    this.#join(item);
    this.#changed.add(item);
  }

  gone(item: JournalItem): void {
    this.#members.delete(item);
    this.#delayed.delete(item);
    if (item.recorded) this.#changed.add(item);
    else this.#changed.delete(item);
  }

  /** Gives the item a buffer of its own, so that its page can go. */
  moveOut(item: JournalItem): void {
    item.data = Buffer.from(item.data);
    item.meta = Buffer.from(item.meta);
    item.page = null;
    this.#changed.add(item);
  }

  /** A batch that carried its record failed: the record may or may not be there. */
  unsure(item: JournalItem): void {
    this.#noteRecorded(item);
    this.#changed.add(item);
  }

  /** Found in the store at the start. */
  adopt(item: JournalItem): void {
    this.#join(item);
    this.#noteRecorded(item);
  }

  /** A record that was found at the start and has no item: it is to go. */
  adoptOrphan(seq: number): void {
    const orphan = new JournalItem(seq, NO_BYTES, 0, 0, 0, NO_BYTES, null);
    orphan.place = "gone";
    this.unsure(orphan);
  }

  /** What is to be written or deleted; the caller writes it. */
  takeChanged(): JournalItem[] {
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const item of changed) {
      if (isKept(item)) this.#noteRecorded(item);
      else this.#forgetRecorded(item);
    }
    return changed;
  }

  /** The item's record, or null if there is to be none. */
  record(item: JournalItem): Buffer | null {
    if (!isKept(item)) return null;
    const kind = item.place as OutKind;
    const own = item.page === null ? item : null;
    return writeOut({ kind, attempts: item.attempts, dueAt: item.dueAt, placeInLine: item.seq, item: own });
  }

  /** The lowest sequence number of a record in the store. */
  lowest(): number | undefined {
    if (this.#recorded.size === 0) return undefined;
    if (this.#lowest === null) {
      let lowest = Number.MAX_SAFE_INTEGER;
      for (const item of this.#recorded) if (item.seq < lowest) lowest = item.seq;
      this.#lowest = lowest;
    }
    return this.#lowest;
  }

  /** The queue is flushed: what is back goes, what is open stays, without the pages. Answers which went. */
  keepOnlyOpen(): JournalItem[] {
    const dropped = [...this.#members].filter((item) => item.place !== "open");
    for (const item of dropped) this.#drop(item);
    for (const item of this.#members) if (item.page !== null) this.moveOut(item);
    return dropped;
  }

  /** The records belong to a queue id that is no more: write all of them under the new one. */
  rewriteAll(): void {
    for (const item of this.#recorded) item.recorded = false;
    this.#recorded.clear();
    this.#lowest = null;
    this.#changed.clear();
    for (const item of this.#members) this.#changed.add(item);
  }

  /** The queue is deleted: all go. Answers which those were. */
  dropAll(): JournalItem[] {
    const dropped = [...this.#members];
    for (const item of dropped) this.#drop(item);
    this.#changed.clear();
    this.#recorded.clear();
    return dropped;
  }

  #drop(item: JournalItem): void {
    item.place = "gone";
    this.#members.delete(item);
    this.#delayed.delete(item);
  }

  #join(item: JournalItem): void {
    this.#members.add(item);
    if (item.place === "delayed") this.#delayed.add(item);
    else this.#delayed.delete(item);
  }

  #noteRecorded(item: JournalItem): void {
    item.recorded = true;
    this.#recorded.add(item);
    if (this.#lowest !== null && item.seq < this.#lowest) this.#lowest = item.seq;
  }

  #forgetRecorded(item: JournalItem): void {
    item.recorded = false;
    this.#recorded.delete(item);
    if (item.seq === this.#lowest) this.#lowest = null;
  }
}

function isKept(item: JournalItem): boolean {
  return item.place !== "gone" && !item.detached;
}
