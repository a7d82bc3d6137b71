import type { Item, NewItem } from "../item.js";
import type { JournalListener, QueueJournal, ReadAhead } from "./queue-journal.js";

class MemoryItem implements Item {
  attempts = 0;
  place: "line" | "open" | "back" | "delayed" | "gone" = "line";

  constructor(
    readonly seq: number,
    public data: Buffer,
    readonly flags: number,
    readonly addedAt: number,
    readonly expiresAt: number,
    readonly meta: Buffer,
  ) {}
}

/** The journal of a queue that keeps none (`keep_journal = false`): all of it is in memory, and gone with the process. */
export class NoJournal implements QueueJournal {
  #next = 1;
  #head = 1;
  #waiting = 0;
  #waitingBytes = 0;
  readonly #line = new Set<MemoryItem>();
  readonly #out = new Set<MemoryItem>();
  readonly pageBytes = 0;
  readonly rewrites = 0;
  readonly rotations = 0;
  readonly refusal = null;

  get waiting(): number {
    return this.#waiting;
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  get head(): number {
    return this.#head;
  }

  get next(): number {
    return this.#next;
  }

  setListener(_listener: JournalListener): void {}

  append(item: NewItem, ownsData: boolean, _resident: boolean): Item {
    const data = ownsData ? item.data : Buffer.from(item.data);
    const added = this.#made(item, data);
    this.#line.add(added);
    this.#waiting++;
    this.#waitingBytes += data.length;
    return added;
  }

  #made(item: NewItem, data: Buffer): MemoryItem {
    return new MemoryItem(this.#next++, data, item.flags, item.addedAt, item.expiresAt, item.meta ?? Buffer.alloc(0));
  }

  setAside(item: Item): void {
    this.#leave(item as MemoryItem, "open");
    this.#setOut(item as MemoryItem, "back");
  }

  appendDelayed(item: NewItem, _dueAt: number): Item {
    const added = this.#made(item, Buffer.from(item.data));
    this.#setOut(added, "delayed");
    return added;
  }

  delay(item: Item, _dueAt: number): boolean {
    if ((item as MemoryItem).place !== "open") return false;
    this.#setOut(item as MemoryItem, "delayed");
    return true;
  }

  join(item: Item, resident: boolean): Item {
    this.confirm(item);
    const joined = this.append(item, true, resident);
    joined.attempts = item.attempts;
    return joined;
  }

  async peek(from: number, skip: number, count: number): Promise<readonly Item[]> {
    return [...this.#line].filter(({ seq }) => seq >= from).slice(skip, skip + count);
  }

  written(_item: Item): null {
    return null;
  }

  take(item: Item): null {
    this.#leave(item as MemoryItem, "gone");
    return null;
  }

  restore(item: Item): void {
    this.#setOut(item as MemoryItem, "back");
  }

  open(item: Item): null {
    const own = item as MemoryItem;
    this.#leave(own, "open");
    own.attempts++;
    this.#setOut(own, "open");
    return null;
  }

  confirm(item: Item): null {
    const own = item as MemoryItem;
    own.place = "gone";
    this.#out.delete(own);
    return null;
  }

  giveBack(item: Item): boolean {
    const own = item as MemoryItem;
    if (own.place !== "open") return false;
    this.#setOut(own, "back");
    return true;
  }

  async readAhead(from: number, _maxBytes: number): Promise<ReadAhead> {
    // Nothing ever lies behind, so what is asked for is in line already.
    return { items: [...this.#line].filter((item) => item.seq >= from), next: this.#next };
  }

  recount(items: number, bytes: number): void {
    this.#waiting = items;
    this.#waitingBytes = bytes;
  }

  flush(): null {
    for (const item of this.#line) item.place = "gone";
    for (const item of this.#out) if (item.place !== "open") this.confirm(item);
    this.#line.clear();
    this.#head = this.#next;
    this.#waiting = 0;
    this.#waitingBytes = 0;
    return null;
  }

  retire(): null {
    this.flush();
    for (const item of this.#out) item.place = "gone";
    this.#out.clear();
    return null;
  }

  #leave(item: MemoryItem, to: "open" | "gone"): void {
    if (item.place === "line") {
      this.#line.delete(item);
      this.#head = item.seq + 1;
      this.#waiting--;
      this.#waitingBytes -= item.data.length;
    }
    item.place = to;
    this.#out.delete(item);
  }

  #setOut(item: MemoryItem, place: "open" | "back" | "delayed"): void {
    item.place = place;
    this.#out.add(item);
  }
}
