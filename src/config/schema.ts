import * as v from "valibot";
import type { SyncJournal } from "./settings.js";
import { DURATION_FORMS, parseDuration, parseSize, SIZE_FORMS } from "./units.js";

/*
 * What the configuration file may say. Every message completes "KEY: VALUE is not …", so it names what is allowed. A key
 * stands here only once it has an effect.
 */

/** The largest `max_request_bytes`. */
const MAX_REQUEST_CEILING = 512 * 1024 * 1024;

/** A value that `read` understands; undefined is its way to say that it does not. */
function reading<T>(read: (written: unknown) => T | undefined, forms: string): v.GenericSchema<unknown, T> {
  return v.pipe(
    v.unknown(),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const value = read(dataset.value);
      if (value !== undefined) return value;
      addIssue({ message: forms });
      return NEVER;
    }),
  );
}

function readCount(written: unknown): number | undefined {
  return typeof written === "number" && Number.isSafeInteger(written) && written >= 0 ? written : undefined;
}

function readSize(written: unknown): number | undefined {
  return typeof written === "string" ? parseSize(written) : readCount(written);
}

function readDuration(written: unknown): number | undefined {
  return typeof written === "string" ? parseDuration(written) : undefined;
}

/** A port as a number; `off` is null. */
export function readPort(written: unknown): number | null | undefined {
  if (written === "off") return null;
  const port = readCount(written);
  return port !== undefined && port <= 65_535 ? port : undefined;
}

function readSync(written: unknown): SyncJournal | undefined {
  if (written === "never" || written === "always") return { kind: written };
  const periodMs = readDuration(written);
  return periodMs === undefined || periodMs === 0 ? undefined : { kind: "period", periodMs };
}

function orNone(read: (written: unknown) => number | undefined): (written: unknown) => number | undefined {
  return (written) => (written === "none" ? Infinity : read(written));
}

const flag = reading((written) => (typeof written === "boolean" ? written : undefined), "true or false");
const text = reading((written) => (typeof written === "string" && written !== "" ? written : undefined), "a text");
const size = reading(readSize, SIZE_FORMS);
const duration = reading(readDuration, DURATION_FORMS);
/** What a port may be, for messages. */
export const PORT_FORMS = 'a port from 0 (any free one) to 65535, or "off"';

/** The keys of `[default]` and `[queue.NAME]`. */
export const QueueSection = v.strictObject({
  max_items: v.optional(reading(orNone(readCount), 'a number of items, or "none"')),
  max_size: v.optional(reading(orNone(readSize), `${SIZE_FORMS}, or "none"`)),
  max_item_size: v.optional(reading(orNone(readSize), `${SIZE_FORMS}, or "none"`)),
  max_memory_size: v.optional(size),
  keep_journal: v.optional(flag),
  sync_journal: v.optional(reading(readSync, '"never", "always" or a period such as "100ms"')),
});
export type QueueSection = v.InferOutput<typeof QueueSection>;

/** The keys of `[server]`. */
export const ServerSection = v.strictObject({
  listen: v.optional(text),
  memcache: v.optional(reading(readPort, PORT_FORMS)),
  journal: v.optional(text),
  max_request_bytes: v.optional(reading(upTo(readSize, 1, MAX_REQUEST_CEILING), `${SIZE_FORMS}, at most 512MB`)),
  min_free_space: v.optional(size),
  max_open_transactions: v.optional(reading(upTo(readCount, 1, Infinity), "a whole number from 1 up")),
  allow_flush_all: v.optional(flag),
  shutdown_grace: v.optional(duration),
});
export type ServerSection = v.InferOutput<typeof ServerSection>;

function upTo(read: (written: unknown) => number | undefined, least: number, most: number): typeof read {
  return (written) => {
    const value = read(written);
    return value !== undefined && value >= least && value <= most ? value : undefined;
  };
}
