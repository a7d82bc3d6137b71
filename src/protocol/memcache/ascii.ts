export const CR = 0x0d;
export const LF = 0x0a;
export const SPACE = 0x20;

const MINUS = 0x2d;
const DIGIT_0 = 0x30;
const UPPER_A = 0x41;
const UPPER_Z = 0x5a;
const TO_LOWER = 0x20;

/** Whether the bytes from `start` to `end` are `text`, one character a byte. */
export function isText(bytes: Uint8Array, start: number, end: number, text: string): boolean {
  if (end - start !== text.length) return false;
  for (let i = 0; i < text.length; i++) {
    if (bytes[start + i] !== text.charCodeAt(i)) return false;
  }
  return true;
}

/** Whether the bytes from `start` to `end` are `lowerCase`, which is in lower case, in any mixture of cases. */
export function isTextInAnyCase(bytes: Uint8Array, start: number, end: number, lowerCase: string): boolean {
  if (end - start !== lowerCase.length) return false;
  for (let i = 0; i < lowerCase.length; i++) {
    const byte = bytes[start + i]!;
    const lower = byte >= UPPER_A && byte <= UPPER_Z ? byte | TO_LOWER : byte;
    if (lower !== lowerCase.charCodeAt(i)) return false;
  }
  return true;
}

/**
 * The number in the bytes from `start` to `end`: decimal digits with an optional minus, anything else is NaN. Unlike
 * JavaScript's own ways to read a number it takes no `1e3`, `0x10`, `5abc`, `1.5` or `+5`, nor an empty word. Beyond 2^53
 * it is no longer exact, and at last Infinity: callers compare it with a limit.
 */
export function parseDecimal(bytes: Uint8Array, start: number, end: number): number {
  const negative = start < end && bytes[start] === MINUS;
  const first = negative ? start + 1 : start;
  if (first >= end) return Number.NaN;
  let value = 0;
  for (let at = first; at < end; at++) {
    const digit = bytes[at]! - DIGIT_0;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return negative ? 0 - value : value;
}
