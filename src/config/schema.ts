import type { Kind } from "./kinds.js";

/** One setting, and everything that there is to know about it: parsing, checks, defaults and documents come from here. */
export interface Setting<T> {
  /** Its name in the file. */
  readonly key: string;
  /** Its name in Kestrel's configuration; null if Kestrel had no such setting. */
  readonly kestrel: string | null;
  readonly kind: Kind<T>;
  /** What holds if nobody says anything. */
  readonly initial: T;
  /** What it does, for the person who writes the file. */
  readonly about: string;
  /** What is not as in Kestrel. */
  readonly differs?: string;
  /** The option of `windhover serve` that overrides it. */
  readonly flag?: "listen" | "memcache" | "journal";
}

/** The settings of one section, by the field that each fills. */
export type Table<V> = { readonly [F in keyof V]-?: Setting<V[F]> };

/** A setting with the field that it fills. */
export interface Entry<V> {
  readonly field: keyof V;
  readonly setting: Setting<unknown>;
}

/** A section of the file. */
export interface Section<V> {
  readonly table: Table<V>;
  /** What Kestrel's files say and what has no effect here. */
  readonly ignored: readonly Setting<unknown>[];
}

/** The settings of a table in the order in which they are shown. */
export function entriesOf<V>(table: Table<V>): readonly Entry<V>[] {
  return (Object.keys(table) as (keyof V)[]).map((field) => ({ field, setting: table[field] as Setting<unknown> }));
}

/** What holds if nobody says anything. */
export function initialValues<V>(table: Table<V>): V {
  return Object.fromEntries(entriesOf(table).map(({ field, setting }) => [field, setting.initial])) as V;
}
