import { randomBytes } from "node:crypto";

const ITEM_BYTES = 1024;

/** The items of one run: each can be told from all others, and from a damaged one. */
export class Items {
  readonly #run = randomBytes(8).toString("hex");

  /** The data of the item with this number. */
  make(number: number): Buffer {
    const head = Buffer.from(`${this.#run} ${number}\r\nEND\r\n`, "latin1");
    const data = Buffer.alloc(ITEM_BYTES, number & 0xff);
    head.copy(data);
    return data;
  }

  /** The number of an item of this run; `foreign` for one of somebody else, `damaged` for one that was changed. */
  recognize(data: Buffer): number | "foreign" | "damaged" {
    const [run, number = ""] = data.toString("latin1", 0, 40).split(/[ \r]/);
    if (run !== this.#run) return "foreign";
    return /^\d+$/.test(number) && this.make(Number(number)).equals(data) ? Number(number) : "damaged";
  }
}
