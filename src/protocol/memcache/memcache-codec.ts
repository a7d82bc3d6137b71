import type { ByteBuffer } from "../byte-buffer.js";
import type { Codec, CodecFactory, CodecLimits } from "../codec.js";
import type { Command } from "../command.js";
import type { Reply } from "../reply.js";
import { Decoder } from "./decoder.js";
import { Encoder, type Speech } from "./encoder.js";
import { LineParser } from "./line-parser.js";

/** Memcache's text protocol, as Kestrel speaks it or as memcached does. */
class MemcacheCodec implements Codec {
  readonly #decoder: Decoder;
  readonly #encoder: Encoder;

  constructor(parser: LineParser, encoder: Encoder) {
    this.#decoder = new Decoder(parser);
    this.#encoder = encoder;
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

  encode(reply: Reply, command: Command, out: ByteBuffer): void {
    this.#encoder.encode(reply, command, out);
  }
}

/** The codecs of one listener. They share what they remember of names and keys, so that a connection costs little. */
export function memcacheCodecs(limits: CodecLimits, speech: Speech): CodecFactory {
  const parser = new LineParser(limits);
  const encoder = new Encoder(speech);
  return () => new MemcacheCodec(parser, encoder);
}
