import type { Clock, Timer } from "../clock.js";
import type { StatusName } from "../config/settings.js";
import { describeError } from "../errors.js";
import type { Log } from "../log.js";
import { StatusFile } from "./status-file.js";

/**
 * What a server is to its clients, from the least to the most strict. `Up`: everything is served. `WriteAvoid`: so it is,
 * but clients that know better put elsewhere. `ReadOnly`: nothing is put, flushed or deleted. `Quiescent`: nothing is
 * fetched either, but what was fetched before may be confirmed or given back. `Down`: it is stopping.
 */
export type Status = "Up" | "WriteAvoid" | "ReadOnly" | "Quiescent" | "Down";

/** Those that somebody may ask for; `Down` comes by itself. */
const SETTABLE: Readonly<Record<StatusName, Status>> = {
  up: "Up",
  writeavoid: "WriteAvoid",
  readonly: "ReadOnly",
  quiescent: "Quiescent",
};

const STRICTNESS: Readonly<Record<Status, number>> = { Up: 1, WriteAvoid: 2, ReadOnly: 3, Quiescent: 4, Down: 100 };

/** The status of that name, in any case; null for one that there is not or that nobody may ask for. */
export function statusOf(name: string): Status | null {
  const key = name.toLowerCase();
  return Object.hasOwn(SETTABLE, key) ? SETTABLE[key as StatusName] : null;
}

export interface ServerStatusOptions {
  /** Where it is kept over a restart; null keeps it nowhere. */
  readonly file: string | null;
  /** What it is if nothing is known of an earlier run. */
  readonly initial: StatusName;
  /** How long a stricter status waits before it is enforced. */
  readonly graceMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The server's status, and what of it is enforced.
 *
 * A change is announced at once (`current`). To a status that is less strict it holds at once, too. A stricter one is
 * enforced when the grace time is over, so that clients may learn of it before they meet with refusals; whatever is set
 * meanwhile takes its place, and has the whole grace time again if it is stricter than what is enforced. `Down` is where it
 * ends: nothing is set any more, and the file keeps what was there before.
 */
export class ServerStatus {
  readonly #file: StatusFile | null;
  readonly #graceMs: number;
  readonly #clock: Clock;
  readonly #log: Log;
  #current: Status;
  #enforced: Status;
  /** What the file has. */
  #kept: Status;
  #grace: Timer | null = null;
  #onReadsBlocked: () => void = () => {};

  /** `kept`: what an earlier run has left; null leaves it to `initial`. */
  constructor(options: ServerStatusOptions, kept: Status | null = null) {
    const known = kept ?? SETTABLE[options.initial];
    this.#file = options.file === null ? null : new StatusFile(options.file);
    this.#graceMs = options.graceMs;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#current = known;
    this.#enforced = known;
    this.#kept = known;
  }

  /** The status that an earlier run has left in the file, or else the initial one. */
  static async open(options: ServerStatusOptions): Promise<ServerStatus> {
    const { file, log } = options;
    return new ServerStatus(options, file === null ? null : await keptIn(new StatusFile(file), log));
  }

  /** What the server is, as people are told; what is refused may lag behind it. */
  get current(): Status {
    return this.#current;
  }

  /** Whether fetches are refused. */
  get blocksReads(): boolean {
    return STRICTNESS[this.#enforced] >= STRICTNESS.Quiescent;
  }

  /** Whether puts, flushes and deletes are refused. */
  get blocksWrites(): boolean {
    return STRICTNESS[this.#enforced] >= STRICTNESS.ReadOnly;
  }

  /** Calls `listener` when fetches begin to be refused: nobody should wait for items any longer. */
  onReadsBlocked(listener: () => void): void {
    this.#onReadsBlocked = listener;
  }

  /**
   * Makes the server `status`. Rejected when the file cannot be written; the server is then what the file says, unless it
   * was made something else meanwhile.
   */
  async set(status: Status): Promise<void> {
    if (status === this.#current || this.#current === "Down") return;
    const before = this.#current;
    this.#become(status);
    this.#log.info({ status, before }, "the status was changed");
    try {
      await this.#file?.write(status);
      this.#kept = status;
    } catch (error) {
      if (this.#current === status) this.#become(this.#kept);
      throw error;
    }
  }

  /** The server stops. The file keeps the status that it shall have when it is started again. */
  shutDown(): void {
    this.#grace?.clear();
    this.#grace = null;
    this.#current = "Down";
    this.#enforce("Down");
  }

  #become(status: Status): void {
    this.#grace?.clear();
    this.#grace = null;
    this.#current = status;
    const isStricter = STRICTNESS[status] > STRICTNESS[this.#enforced];
    if (!isStricter || this.#graceMs === 0) return this.#enforce(status);
    this.#grace = this.#clock.after(this.#graceMs, () => this.#endGrace(status), { background: true });
  }

  #endGrace(status: Status): void {
    this.#grace = null;
    this.#log.info({ status }, "the grace time is over: the status is enforced");
    this.#enforce(status);
  }

  #enforce(status: Status): void {
    const blockedReads = this.blocksReads;
    this.#enforced = status;
    if (!blockedReads && this.blocksReads) this.#onReadsBlocked();
  }
}

// A server that starts with the wrong status is better than one that does not start.
async function keptIn(file: StatusFile, log: Log): Promise<Status | null> {
  try {
    const word = await file.read();
    const status = word === null ? null : statusOf(word);
    if (word !== null && status === null) log.error({ file: file.path, word }, "the status file holds no status");
    return status;
  } catch (error) {
    log.error({ file: file.path, error: describeError(error) }, "the status file cannot be read");
    return null;
  }
}
