import type { ByteBuffer } from "../byte-buffer.js";
import type { Codec, CodecFactory, CodecLimits } from "../codec.js";
import type { Command } from "../command.js";
import type { Reply } from "../reply.js";
import { Decoder } from "./decoder.js";
import { encodeReply } from "./encoder.js";
import { LineParser } from "./line-parser.js";

/** Memcache's text protocol, as Kestrel speaks it. */
class MemcacheCodec implements Codec {
  readonly #decoder: Decoder;

  constructor(parser: LineParser) {
    this.#decoder = new Decoder(parser);
  }

  feed(chunk: Buffer): void {
    this.#decoder.feed(chunk);
  }

  next(): Command | null {
    return this.#decoder.next();
  }

  get bufferedBytes(): number {
    return this.#decoder.bufferedBytes;
  }

  encode(reply: Reply, _command: Command, out: ByteBuffer): void {
    encodeReply(reply, out);
  }
}

/** The codecs of one listener. They share what they remember of names and keys, so that a connection costs little. */
export function memcacheCodecs(limits: CodecLimits): CodecFactory {
  const parser = new LineParser(limits);
  return () => new MemcacheCodec(parser);
}
