import { PassThrough } from "node:stream";
import t from "tap";
import { ProgressLine } from "../../../loadtest/support/progress-line.js";

function line(isTTY: boolean): { progress: ProgressLine; written: () => string } {
  const stream = new PassThrough();
  const progress = new ProgressLine(Object.assign(stream, { isTTY }) as unknown as NodeJS.WriteStream);
  return { progress, written: () => String(stream.read() ?? "") };
}

t.test("on a terminal the line is written over, and gone at the end", async (t) => {
  const { progress, written } = line(true);
  progress.show("1 of 2");
  progress.show("2 of 2");
  progress.say("a line");
  progress.show("done");
  progress.clear();
  progress.clear();
  t.equal(written(), "\r\x1b[2K1 of 2\r\x1b[2K2 of 2\r\x1b[2Ka line\n\r\x1b[2Kdone\r\x1b[2K");
});

t.test("elsewhere only what stays is written", async (t) => {
  const { progress, written } = line(false);
  progress.show("1 of 2");
  progress.say("a line");
  progress.clear();
  t.equal(written(), "a line\n");
});
