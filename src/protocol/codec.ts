import type { ByteBuffer } from "./byte-buffer.js";
import type { Command } from "./command.js";
import type { Reply } from "./reply.js";

/**
 * One connection's end of a protocol: bytes in, commands out; replies in, bytes out. It knows no socket and no queue.
 *
 * A codec is pulled: the connection feeds what has arrived and takes commands while it can serve them, so that nothing is
 * decoded ahead of what the connection may execute. What is left stays in the codec.
 */
export interface Codec {
  /** Takes a chunk over. The codec may keep slices of it until it has been consumed. */
  feed(chunk: Buffer): void;
  /** The next whole command, or null until more is fed. */
  next(): Command | null;
  /** Bytes that were fed and are not consumed yet, a body in progress included. */
  readonly bufferedBytes: number;
  /** Writes the reply to `command` into `out`. */
  encode(reply: Reply, command: Command, out: ByteBuffer): void;
}

/** Makes the codec of a new connection. */
export type CodecFactory = () => Codec;

/** What a codec must know of the server to frame its input. */
export interface CodecLimits {
  /** The largest body that is read at all, in bytes; a larger one closes the connection. */
  readonly maxRequestBytes: number;
  /** `max_item_size` of a queue in bytes, Infinity without one; a larger item's body is swallowed. */
  readonly maxItemBytes: (queue: string) => number;
  /** Whether windhover's own options exist; without them an option that means nothing is let through, as in Kestrel. */
  readonly extensions: boolean;
}
