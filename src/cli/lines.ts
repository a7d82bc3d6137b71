const LF = 0x0a;

/** The lines of a stream of bytes, without their line feeds. What follows the last line feed is a line unless it is empty. */
export async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let start: Buffer[] = [];
  for await (const chunk of input) {
    let at = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, at)) {
      yield Buffer.concat([...start, chunk.subarray(at, end)]);
      start = [];
      at = end + 1;
    }
    if (at < chunk.length) start.push(chunk.subarray(at));
  }
  if (start.length > 0) yield Buffer.concat(start);
}
