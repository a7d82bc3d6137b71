/** The longest queue name, in bytes. */
export const MAX_NAME_BYTES = 250;

// Kestrel forbids "." "/" and "~", which meant something in its file names; spaces and control characters end words on the wire.
const FORBIDDEN = /[\x00-\x20\x7f./~]/;

/**
 * Why `name` (one character a byte) cannot be a queue's name, or null if it can. A `+` separates a fanout's parent from
 * its child, so it stands at neither end.
 */
export function nameFault(name: string): string | null {
  if (name.length === 0) return "empty queue name";
  if (name.length > MAX_NAME_BYTES) return "queue name too long";
  if (FORBIDDEN.test(name)) return "illegal character in queue name";
  if (name.startsWith("+") || name.endsWith("+")) return "illegal + at the end of queue name";
  return null;
}

/** A name as people read it: its bytes taken as UTF-8. */
export function showName(name: string): string {
  return Buffer.from(name, "latin1").toString("utf8");
}
