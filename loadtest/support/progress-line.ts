const CLEAR_LINE = "\r\x1b[2K";

/** One line that is written over and over on stderr, if that is a terminal. */
export class ProgressLine {
  readonly #stream: NodeJS.WriteStream;
  #shown = false;

  constructor(stream: NodeJS.WriteStream = process.stderr) {
    this.#stream = stream;
  }

  /** Shows `text` in the place of what was there. */
  show(text: string): void {
    if (!this.#stream.isTTY) return;
    this.#stream.write(`${CLEAR_LINE}${text}`);
    this.#shown = true;
  }

  /** Writes a line that stays; the progress is shown again by the next `show`. */
  say(line: string): void {
    this.clear();
    this.#stream.write(`${line}\n`);
  }

  /** Leaves nothing behind. */
  clear(): void {
    if (this.#shown) this.#stream.write(CLEAR_LINE);
    this.#shown = false;
  }
}
