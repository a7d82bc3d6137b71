import { isDeepStrictEqual } from "node:util";
import type { Test } from "tap";
import type { CodecFactory } from "../../src/protocol/codec.js";
import { cut, decode, decodeLate, singleBytes } from "../helpers/decoding.js";

/** An input whose commands must not depend on where it is cut. */
export interface CutCase {
  readonly title: string;
  readonly bytes: Buffer;
}

/**
 * Holds a codec to what every codec promises: the same commands wherever its input is cut. Each input is cut once at
 * every byte, then into single bytes; each way both with the commands taken between the chunks and with all chunks fed
 * before the first command is taken.
 */
export function testCodecCuts(t: Test, newCodec: CodecFactory, inputs: readonly CutCase[]): void {
  for (const { title, bytes } of inputs) {
    t.test(`${title}: the same commands wherever it is cut`, async (t) => {
      const whole = newCodec();
      const expected = decode(whole, bytes);
      const left = whole.bufferedBytes;
      const differing = [...everyCut(bytes), singleBytes(bytes)].filter((chunks) => {
        const codec = newCodec();
        const same = isDeepStrictEqual(decode(codec, ...chunks), expected) && codec.bufferedBytes === left;
        return !same || !isDeepStrictEqual(decodeLate(newCodec(), chunks), expected);
      });
      t.same(differing.map(String), [], "the cuts that change something");
    });
  }
}

function everyCut(bytes: Buffer): Buffer[][] {
  return Array.from({ length: bytes.length + 1 }, (_, place) => cut(bytes, [place]));
}
