import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";

/** Longer than the server's own grace time. */
const STOP_MS = 20_000;

/** A server's process that belongs to a load test: whatever happens to the load test, it ends with it. */
export class OwnProcess {
  /** Settled when it has ended, with words for how. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  #hasEnded = false;
  #stopped = false;

  private constructor(child: ChildProcess) {
    this.#child = child;
    const killAtExit = (): void => this.kill();
    process.once("exit", killAtExit);
    this.ended = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        this.#hasEnded = true;
        process.off("exit", killAtExit);
        resolve(signal ?? `exit code ${code}`);
      });
    });
  }

  /** Starts a command, as its words; what it says on stderr is shown unless it is to be `quiet`. */
  static async spawn(
    [program = "", ...words]: readonly string[],
    options: { quiet?: boolean } = {},
  ): Promise<OwnProcess> {
    const child = spawn(program, words, { stdio: ["ignore", "pipe", options.quiet === true ? "ignore" : "inherit"] });
    const own = new OwnProcess(child);
    await once(child, "spawn");
    return own;
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  get stdout(): Readable {
    return this.#child.stdout as Readable;
  }

  /** Calls back when it ends before it was stopped. */
  onUnexpectedEnd(tell: (how: string) => void): void {
    void this.ended.then((how) => {
      if (!this.#stopped) tell(how);
    });
  }

  /** Ends it as a crash does. */
  kill(): void {
    this.#child.kill("SIGKILL");
  }

  /** Ends it with SIGTERM, or with SIGKILL if it takes too long. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#hasEnded) return;
    const patience = setTimeout(() => this.kill(), STOP_MS);
    this.#child.kill("SIGTERM");
    await this.ended;
    clearTimeout(patience);
  }
}
