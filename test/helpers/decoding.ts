import type { Codec } from "../../src/protocol/codec.js";
import type { Command } from "../../src/protocol/command.js";

/** A command as a test compares it: its data as text, one character a byte, wherever the codec keeps it. */
export type Seen = Readonly<Record<string, unknown>>;

/** Copies a command, whose data is valid only until the codec is used again. */
export function seen(command: Command): Seen {
  if (command.kind !== "put") return command as unknown as Seen;
  const { ownsData: _, ...rest } = command;
  return { ...rest, data: command.data.toString("latin1") };
}

/** Takes what can be taken now. */
export function pull(codec: Codec): Seen[] {
  const commands: Seen[] = [];
  for (let command = codec.next(); command !== null; command = codec.next()) commands.push(seen(command));
  return commands;
}

/** Feeds the chunks one after the other, taking the commands in between. */
export function decodeEach(codec: Codec, chunks: readonly (Buffer | string)[]): Seen[] {
  return chunks.flatMap((chunk) => {
    codec.feed(typeof chunk === "string" ? Buffer.from(chunk, "latin1") : Buffer.from(chunk));
    return pull(codec);
  });
}

/** The same, for a few chunks. */
export function decode(codec: Codec, ...chunks: readonly (Buffer | string)[]): Seen[] {
  return decodeEach(codec, chunks);
}

/** Feeds all chunks before it takes the first command, as they gather behind a fetch that waits. */
export function decodeLate(codec: Codec, chunks: readonly Buffer[]): Seen[] {
  for (const chunk of chunks) codec.feed(Buffer.from(chunk));
  return pull(codec);
}

/** `bytes` cut at the given places. */
export function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places, bytes.length].sort((a, b) => a - b);
  return ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end));
}

/** `bytes` in chunks of one byte. */
export function singleBytes(bytes: Buffer): Buffer[] {
  return Array.from(bytes, (byte) => Buffer.from([byte]));
}
