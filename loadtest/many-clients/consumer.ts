import { performance } from "node:perf_hooks";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { Connection, type ServerAddress } from "../../src/client/connection.js";
import type { Answer } from "../../src/client/reply-decoder.js";
import { SystemClock } from "../../src/clock.js";
import { WindhoverError } from "../../src/errors.js";
import type { Items } from "./items.js";
import type { Options } from "./options.js";
import type { Tally } from "./tally.js";

/** How long each fetch waits, as in Kestrel's test. */
const WAIT_MS = 1000;
/** How late an answer may be before the server counts as gone. */
const MARGIN_MS = 10_000;
const RECONNECT_PAUSE_MS = 100;

/** What all clients of a run share. */
export interface Run {
  readonly options: Options;
  readonly address: ServerAddress;
  readonly items: Items;
  readonly tally: Tally;
  /** Aborted when the run cannot come to its end. */
  readonly givenUp: AbortSignal;
}

/**
 * One of the many clients: it fetches and waits, again and again, until all items of the run have arrived somewhere. With
 * `-x` each fetch confirms the item before. A client that is killed goes without a word and comes back as a new one; half
 * of the victims die right after they asked, the other half when the answer has come and is not looked at.
 */
export class Consumer {
  readonly #run: Run;
  #connection: Connection | null = null;
  // Clients that start together would time out together, second after second, and the test would measure that.
  #nextWaitMs = Math.ceil(Math.random() * WAIT_MS);

  constructor(run: Run) {
    this.#run = run;
  }

  /** Connects; done when that is over, whichever way it went. */
  async connect(): Promise<void> {
    await this.#connect().settled;
  }

  /** Works until the end of the run. Rejected when the server answers with something that is no answer to a fetch. */
  async work(): Promise<void> {
    const { tally, givenUp } = this.#run;
    try {
      while (!tally.complete && !givenUp.aborted) await this.#step();
      if (this.#run.options.reliable && this.#connection?.usable) await this.#ask(this.#connection, "/close");
    } catch (error) {
      if (!givenUp.aborted) throw error;
    } finally {
      this.#connection?.destroy();
    }
  }

  async #step(): Promise<void> {
    try {
      const connection = this.#connect();
      if (Math.random() * 100 < this.#run.options.killPercent) await this.#beKilled(connection);
      else this.#count(await this.#fetch(connection));
    } catch (error) {
      if (!isDown(error)) throw error;
      this.#run.tally.disconnected(error);
      await pause(RECONNECT_PAUSE_MS, undefined, { signal: this.#run.givenUp });
    }
  }

  async #beKilled(connection: Connection): Promise<void> {
    await connection.settled;
    const answer = this.#fetch(connection);
    if (Math.random() < 0.5) await answer;
    // The request has left by the next turn of the loop; nobody waits for its answer.
    else await Promise.race([answer, nextTurn()]);
    answer.catch(() => {});
    connection.destroy();
    this.#run.tally.kills++;
  }

  #count(answer: Answer): void {
    const at = performance.now();
    const { items, tally } = this.#run;
    if (answer.kind !== "end") throw new Error(`the server answered a fetch with ${JSON.stringify(answer.text)}`);
    const [item] = answer.items;
    if (item === undefined) {
      tally.emptyAnswers++;
      return;
    }
    const number = items.recognize(item.data);
    if (typeof number === "number") tally.arrived(number, at);
    else tally[number]++;
  }

  #connect(): Connection {
    if (!this.#connection?.usable) {
      this.#connection = new Connection(this.#run.address, { connectTimeoutMs: MARGIN_MS, clock: CLOCK });
    }
    return this.#connection;
  }

  #fetch(connection: Connection): Promise<Answer> {
    const waitMs = this.#nextWaitMs;
    this.#nextWaitMs = WAIT_MS;
    return this.#ask(connection, `/t=${waitMs}${this.#run.options.reliable ? "/close/open" : ""}`);
  }

  #ask(connection: Connection, keyOptions: string): Promise<Answer> {
    const { options, givenUp } = this.#run;
    return connection.request({
      write: (out) => out.appendLatin1(`get ${options.queue}${keyOptions}\r\n`),
      timeoutMs: WAIT_MS + MARGIN_MS,
      signal: givenUp,
    });
  }
}

const CLOCK = new SystemClock();

function isDown(error: unknown): error is WindhoverError {
  return error instanceof WindhoverError && (error.code === "WH_CLIENT_DOWN" || error.code === "WH_CLIENT_TIMEOUT");
}
