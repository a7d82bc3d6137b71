const SIZE_UNITS: Readonly<Record<string, number>> = {
  b: 1,
  k: 1024,
  kb: 1024,
  kib: 1024,
  m: 1024 ** 2,
  mb: 1024 ** 2,
  mib: 1024 ** 2,
  g: 1024 ** 3,
  gb: 1024 ** 3,
  gib: 1024 ** 3,
};

const DURATION_UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** What a size may look like, for messages. */
export const SIZE_FORMS = 'a number of bytes or a size such as "512kB", "16MB", "1GB"';
/** What a duration may look like, for messages. */
export const DURATION_FORMS = 'a duration with its unit, such as "100ms", "30s", "5m"';

/**
 * The bytes of a size such as `16MB`, or undefined if it is none. Units are powers of 1024, as Kestrel's are; their case
 * does not matter.
 */
export function parseSize(text: string): number | undefined {
  return parseWithUnit(text, SIZE_UNITS, "b");
}

/** The milliseconds of a duration such as `30s`, or undefined if it is none. The unit is never left out, except after 0. */
export function parseDuration(text: string): number | undefined {
  return text === "0" ? 0 : parseWithUnit(text, DURATION_UNITS, "");
}

/** Whole numbers come out, from whole numbers or fractions (`1.5GB`) that make one. */
function parseWithUnit(text: string, units: Readonly<Record<string, number>>, bare: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim());
  if (match === null) return undefined;
  const [, digits = "", written = ""] = match;
  const unit = written === "" ? bare : written.toLowerCase();
  const factor = Object.hasOwn(units, unit) ? units[unit] : undefined;
  if (factor === undefined) return undefined;
  const value = Number(digits) * factor;
  return Number.isSafeInteger(value) ? value : undefined;
}

/** A size as it is written in the file: `"16MB"`, or the bare number of bytes where no unit makes it shorter. */
export function showSize(bytes: number): string {
  return showWithUnit(bytes, { GB: 1024 ** 3, MB: 1024 ** 2, kB: 1024 }) ?? String(bytes);
}

/** A duration as it is written in the file: `"30s"`. */
export function showDuration(ms: number): string {
  return showWithUnit(ms, { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 }) ?? '"0"';
}

/** With the largest unit that leaves a whole number. */
function showWithUnit(value: number, units: Readonly<Record<string, number>>): string | undefined {
  for (const [unit, factor] of Object.entries(units)) {
    if (value > 0 && value % factor === 0) return `"${value / factor}${unit}"`;
  }
  return undefined;
}
