import { nameFault, showName } from "../queue/queue-name.js";
import type { SyncJournal } from "./settings.js";
import { DURATION_FORMS, parseDuration, parseSize, SIZE_FORMS, showDuration, showSize } from "./units.js";

/** What a setting's value may be: how it is read from a file, from a word of text, and written. */
export interface Kind<T> {
  /** The value of what stands in a TOML file; undefined if it means nothing. */
  read(written: unknown): T | undefined;
  /** The same for a word of the environment or the command line, where a number is text as well. */
  readText(text: string): T | undefined;
  /** As it is written in a TOML file. */
  show(value: T): string;
  /** What is allowed. It completes "KEY: VALUE is not …". */
  readonly forms: string;
}

/** A kind whose text looks like what the file has, without the quotes. */
function kind<T>(forms: string, read: Kind<T>["read"], show: Kind<T>["show"]): Kind<T> {
  return { forms, read, show, readText: (text) => read(untyped(text)) };
}

function untyped(text: string): unknown {
  if (/^\d+$/.test(text)) return Number(text);
  return text === "true" || text === "false" ? text === "true" : text;
}

function readCount(written: unknown): number | undefined {
  return typeof written === "number" && Number.isSafeInteger(written) && written >= 0 ? written : undefined;
}

function readSize(written: unknown): number | undefined {
  return typeof written === "string" ? parseSize(written) : readCount(written);
}

function readDuration(written: unknown): number | undefined {
  if (written === 0) return 0;
  return typeof written === "string" ? parseDuration(written) : undefined;
}

/** true or false. */
export const flag: Kind<boolean> = kind(
  "true or false",
  (written) => (typeof written === "boolean" ? written : undefined),
  String,
);

/** A whole number. */
export const count: Kind<number> = kind("a whole number", readCount, String);

/** A number of bytes. */
export const size: Kind<number> = kind(SIZE_FORMS, readSize, showSize);

/** A time. */
export const duration: Kind<number> = kind(DURATION_FORMS, readDuration, showDuration);

/** Only the values from `least` to `most`, which `forms` tells. */
export function within(base: Kind<number>, least: number, most: number, forms: string): Kind<number> {
  const read = (written: unknown): number | undefined => {
    const value = base.read(written);
    return value !== undefined && value >= least && value <= most ? value : undefined;
  };
  return kind(forms, read, base.show);
}

/** A whole number from 1 up. */
export const countFromOne = within(count, 1, Infinity, "a whole number from 1 up");

/** A time that is not 0. */
export const period = within(duration, 1, Infinity, DURATION_FORMS);

/** A value, or a word that stands for `meaning`. */
export function orWord<T, M>(base: Kind<T>, word: string, meaning: M): Kind<T | M> {
  return kind<T | M>(
    `${base.forms}, or "${word}"`,
    (written) => (written === word ? meaning : base.read(written)),
    (value) => (value === meaning ? JSON.stringify(word) : base.show(value as T)),
  );
}

/** A value, or `none` for no limit at all. */
export function orNone(base: Kind<number>): Kind<number> {
  return orWord(base, "none", Infinity);
}

/** A port; `off` is null. */
export const portOrOff: Kind<number | null> = orWord(
  within(count, 0, 65_535, "a port from 0 (any free one) to 65535"),
  "off",
  null,
);

/** A port that is open. */
export const port: Kind<number> = within(count, 0, 65_535, "a port from 0 (any free one) to 65535");

/** A text that is not empty. */
export const text: Kind<string> = {
  ...kind("a text", (written) => (typeof written === "string" && written !== "" ? written : undefined), JSON.stringify),
  readText: (word) => (word === "" ? undefined : word),
};

/** A path; the empty one is null. */
export const pathOrNone: Kind<string | null> = orEmpty(text, "a path");

/** The name of a queue, one character a byte, where the file has UTF-8. */
export const queueName: Kind<string> = {
  ...kind(
    "the name of a queue",
    (written) => (typeof written === "string" ? readName(written) : undefined),
    showQuoted,
  ),
  readText: readName,
};

/** The name of a queue; the empty one is null. */
export const queueNameOrNone: Kind<string | null> = orEmpty(queueName, queueName.forms);

function orEmpty(base: Kind<string>, forms: string): Kind<string | null> {
  const read = (written: unknown): string | null | undefined => (written === "" ? null : base.read(written));
  return {
    forms: `${forms}, or ""`,
    read,
    readText: read,
    show: (value) => (value === null ? '""' : base.show(value)),
  };
}

function readName(written: string): string | undefined {
  const bytes = Buffer.from(written, "utf8").toString("latin1");
  return nameFault(bytes) === null ? bytes : undefined;
}

function showQuoted(name: string): string {
  return JSON.stringify(showName(name));
}

/** A list of what `base` is, in a word of text with commas between; never with the same twice. */
export function listOf(base: Kind<string>, forms: string): Kind<readonly string[]> {
  const readAll = (parts: readonly unknown[], read: (part: never) => string | undefined): string[] | undefined => {
    const values = parts.map((part) => read(part as never)).filter((value) => value !== undefined);
    return new Set(values).size === parts.length ? values : undefined;
  };
  return {
    forms,
    read: (written) => (Array.isArray(written) ? readAll(written, base.read) : undefined),
    readText: (word) =>
      readAll(
        word.split(",").map((part) => part.trim()),
        base.readText,
      ),
    show: (values) => `[${values.map(base.show).join(", ")}]`,
  };
}

const ids = listOf(text, 'a list of client ids such as ["billing"], [] for everybody');

/** Client ids; the empty list is null. A single id may stand without its brackets, as Kestrel had one. */
export const clientIds: Kind<readonly string[] | null> = {
  forms: ids.forms,
  read: (written) => orEverybody(typeof written === "string" ? ids.read([written]) : ids.read(written)),
  readText: ids.readText,
  show: (value) => ids.show(value ?? []),
};

function orEverybody(list: readonly string[] | undefined): readonly string[] | null | undefined {
  return list?.length === 0 ? null : list;
}

/** One of a few words, in any case. */
export function oneOf<W extends string>(words: readonly W[]): Kind<W> {
  const read = (written: unknown): W | undefined =>
    typeof written === "string" ? words.find((word) => word === written.toLowerCase()) : undefined;
  return kind(`one of ${words.map((word) => JSON.stringify(word)).join(", ")}`, read, JSON.stringify);
}

/** When the journal is forced to the disk. */
export const sync: Kind<SyncJournal> = kind(
  '"never", "always" or a period such as "100ms"',
  (written) => {
    if (written === "never" || written === "always") return { kind: written };
    const periodMs = period.read(written);
    return periodMs === undefined ? undefined : { kind: "period", periodMs };
  },
  (value) => (value.kind === "period" ? showDuration(value.periodMs) : JSON.stringify(value.kind)),
);
