import { isText } from "./ascii.js";

/** A power of two; with some tens of busy queues few of them share a place. */
const PLACES = 1024;
/** Longer texts are made anew each time, so that nobody fills the cache with kilobytes. */
const MAX_TEXT_BYTES = 128;

interface Entry<V> {
  readonly text: string;
  readonly value: V;
}

/**
 * What was made of the texts seen last, found by their bytes, so that a name that comes again and again costs neither a
 * string nor an object. It trades memory for that: one entry a place, whoever comes later takes the place. Values are
 * handed out more than once and so must not change.
 */
export class TextCache<V> {
  readonly #make: (bytes: Buffer, start: number, end: number) => V;
  readonly #entries: (Entry<V> | undefined)[] = new Array<Entry<V> | undefined>(PLACES).fill(undefined);

  /** `make` makes the value that belongs to the bytes from `start` to `end`. */
  constructor(make: (bytes: Buffer, start: number, end: number) => V) {
    this.#make = make;
  }

  /** The value that belongs to the bytes from `start` to `end`. */
  get(bytes: Buffer, start: number, end: number): V {
    if (end - start > MAX_TEXT_BYTES) return this.#make(bytes, start, end);
    const place = placeOf(bytes, start, end);
    const known = this.#entries[place];
    if (known !== undefined && isText(bytes, start, end, known.text)) return known.value;
    const value = this.#make(bytes, start, end);
    this.#entries[place] = { text: bytes.toString("latin1", start, end), value };
    return value;
  }
}

function placeOf(bytes: Buffer, start: number, end: number): number {
  let hash = 0;
  for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + bytes[at]!) | 0;
  return (hash ^ (hash >>> 10)) & (PLACES - 1);
}
