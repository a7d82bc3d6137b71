import type { NewItem } from "../item.js";
import { JournalItem, NO_BYTES } from "./journal-item.js";
import { readMetadata } from "./metadata.js";
import { Page } from "./page.js";
import { Slabs } from "./slabs.js";

/** What was put into one queue and is not composed into a batch yet. */
export class FreshPages {
  readonly #slabs = new Slabs();
  #pages: Page[] = [];

  get pages(): readonly Page[] {
    return this.#pages;
  }

  /** Sequence number of the first item, gone or not. */
  get first(): number | undefined {
    return this.#pages[0]?.items[0]?.seq;
  }

  /** Adds an item; its bytes are copied, unless the caller gives them away and they are worth a buffer of their own. */
  append(seq: number, item: NewItem, ownsData: boolean): JournalItem {
    const page = this.#pageFor(item.data.length);
    const data = ownsData && item.data.length >= OWN_BUFFER_BYTES ? item.data : this.#slabs.keep(item.data);
    const added = new JournalItem(seq, data, item.flags, item.addedAt, item.expiresAt, item.meta ?? NO_BYTES, page);
    if (added.meta.length > 0) added.attempts = readMetadata(added.meta).handedOut ?? 0;
    page.add(added);
    return added;
  }

  /** Takes all of them out. */
  take(): readonly Page[] {
    const pages = this.#pages;
    this.#pages = [];
    return pages;
  }

  #pageFor(dataBytes: number): Page {
    const last = this.#pages.at(-1);
    if (last?.hasRoomFor(dataBytes)) return last;
    const page = new Page();
    this.#pages.push(page);
    return page;
  }
}

/** From this size on an item that came in a buffer of its own stays in it. */
const OWN_BUFFER_BYTES = 8 * 1024;
