import { DEFAULT_SETTINGS } from "../../src/config/defaults.js";
import { settingsFor } from "../../src/config/inheritance.js";
import {
  type AliasSettings,
  KESTREL_DIALECT,
  type ListenerSettings,
  type QueueSettings,
} from "../../src/config/settings.js";
import type { Item } from "../../src/item.js";
import { NoJournal } from "../../src/journal/no-journal.js";
import type { Journal, QueueJournal } from "../../src/journal/queue-journal.js";
import { ByteBuffer } from "../../src/protocol/byte-buffer.js";
import type { CodecFactory } from "../../src/protocol/codec.js";
import type { Command } from "../../src/protocol/command.js";
import { memcacheCodecs } from "../../src/protocol/memcache/memcache-codec.js";
import type { Reply, ReplyStream } from "../../src/protocol/reply.js";
import { Queues } from "../../src/queue/queues.js";
import { IgnoredOptions } from "../../src/session/ignored-options.js";
import { ParkedSessions } from "../../src/session/parked-fetch.js";
import { Session } from "../../src/session/session.js";
import type { SessionContext } from "../../src/session/session-context.js";
import { ConnectionCounts } from "../../src/stats/connection-counts.js";
import { createServerCounters } from "../../src/stats/server-counters.js";
import { ServerStatus } from "../../src/status/server-status.js";
import { RecordingLog } from "./recording-log.js";
import { TestClock } from "./test-clock.js";

/** A write that a test has not finished yet. */
interface HeldWrite {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** A journal in memory that answers when a test says so. */
export class HeldJournal implements Journal {
  readonly recovered = [];
  readonly boots = 1;
  /** Puts wait for `release`. */
  holdsPuts = false;
  /** Removals wait for `release`, as with `sync_journal = always`. */
  holdsRemovals = false;
  /** Why puts are refused. */
  refusal: string | null = null;
  #held: HeldWrite[] = [];

  /** Writes that wait. */
  get held(): number {
    return this.#held.length;
  }

  create(_name: string): QueueJournal {
    const memory = new NoJournal();
    const removal = (move: (item: Item) => null) => (item: Item) => {
      move.call(memory, item);
      return this.#hold(this.holdsRemovals);
    };
    const journal = Object.assign(memory, {
      written: () => this.#hold(this.holdsPuts),
      take: removal(memory.take),
      open: removal(memory.open),
      confirm: removal(memory.confirm),
      flush: () => {
        NoJournal.prototype.flush.call(memory);
        return this.#hold(this.holdsRemovals);
      },
      retire: () => {
        // It flushes as well, and nobody waits for that.
        const isHeld = this.holdsRemovals;
        this.holdsRemovals = false;
        NoJournal.prototype.retire.call(memory);
        this.holdsRemovals = isHeld;
        return this.#hold(isHeld);
      },
    });
    Object.defineProperty(journal, "refusal", { get: () => this.refusal });
    return journal as unknown as QueueJournal;
  }

  async close(): Promise<void> {}

  /** Finishes all writes that wait, or fails them. */
  release(error?: Error): void {
    const held = this.#held;
    this.#held = [];
    for (const write of held) {
      if (error === undefined) write.resolve();
      else write.reject(error);
    }
  }

  #hold(isHeld: boolean): Promise<void> | null {
    if (!isHeld) return null;
    return new Promise((resolve, reject) => this.#held.push({ resolve, reject }));
  }
}

export interface SessionWorldOptions {
  readonly maxOpenTransactions?: number;
  readonly allowFlushAll?: boolean;
  readonly maxRequestBytes?: number;
  readonly connectionLimitRefuseReads?: number;
  readonly connectionLimitRefuseWrites?: number;
  readonly extensions?: boolean;
  readonly enableSessionTrace?: boolean;
  /** How the listener speaks; Kestrel's way unless something is said. */
  readonly listener?: Partial<ListenerSettings>;
  readonly queues?: ReadonlyMap<string, Partial<QueueSettings>>;
  readonly aliases?: ReadonlyMap<string, AliasSettings>;
}

/** All that sessions need, without sockets and disks, and with a clock that the test moves. */
export class SessionWorld {
  readonly clock = new TestClock();
  readonly log = new RecordingLog();
  readonly journal = new HeldJournal();
  readonly counters = createServerCounters();
  readonly connections = new ConnectionCounts();
  readonly queues: Queues;
  readonly codecs: CodecFactory;
  readonly context: SessionContext;
  /** How often the server was asked to stop. */
  shutdowns = 0;

  readonly status: ServerStatus;
  /** What a reload does. */
  reload = async (): Promise<void> => {};

  constructor(options: SessionWorldOptions = {}) {
    const { clock, log, journal } = this;
    const { extensions = true, queues = new Map(), aliases = new Map() } = options;
    const settings = { ...DEFAULT_SETTINGS, queues, aliases, expirationTimerMs: Infinity };
    this.queues = new Queues({ journal, settings, clock, log });
    this.status = new ServerStatus({ file: null, initial: "up", graceMs: 0, clock, log });
    const limits = {
      maxRequestBytes: options.maxRequestBytes ?? 64 * 1024 * 1024,
      maxItemBytes: (queue: string) => this.queues.maxItemBytes(queue),
      extensions,
    };
    this.codecs = memcacheCodecs(limits, { ...KESTREL_DIALECT, ...options.listener });
    this.context = {
      queues: this.queues,
      counters: this.counters,
      connections: this.connections,
      status: this.status,
      parked: new ParkedSessions(),
      clock,
      log,
      version: "1.2.3",
      startedAtMs: clock.monotonicMs(),
      memoryBytes: 1024 ** 3,
      maxOpenTransactions: options.maxOpenTransactions ?? 1,
      connectionLimitRefuseReads: options.connectionLimitRefuseReads ?? Infinity,
      connectionLimitRefuseWrites: options.connectionLimitRefuseWrites ?? Infinity,
      extensions,
      enableSessionTrace: options.enableSessionTrace ?? false,
      allowFlushAll: options.allowFlushAll ?? true,
      queueSettings: (queue) => settingsFor(settings, queue),
      ignoredOptions: new IgnoredOptions(log),
      reload: () => this.reload(),
      shutDown: () => void this.shutdowns++,
    };
    this.status.onReadsBlocked(() => this.context.parked.endPolls());
  }

  /** A client of its own. */
  client(): TestClient {
    return new TestClient(this);
  }
}

/** The replies of a stream as text; null after the last. */
export interface TestStream {
  next(): string | null | Promise<string | null>;
}

/** A client with a session and no socket: text in, text out, `<close>` where the connection would close. */
export class TestClient {
  readonly session: Session;
  readonly #world: SessionWorld;

  constructor(world: SessionWorld) {
    this.#world = world;
    this.session = new Session(world.context, () => "test:1");
  }

  /** Executes the one command in `text` and returns its reply as text, or a promise of it if it must wait. */
  ask(text: string): string | Promise<string> {
    const { answer, show } = this.#handle(text);
    if (answer instanceof Promise) return answer.then(show);
    if (answer.kind === "stream") throw new Error(`${JSON.stringify(text)} was answered with a stream`);
    return show(answer);
  }

  /** Executes a command that is answered with a stream of replies, to be taken one after the other. */
  stream(text: string): TestStream {
    const { answer, show } = this.#handle(text);
    if (answer instanceof Promise || answer.kind !== "stream") throw new Error(`${JSON.stringify(text)}: no stream`);
    const showNext = (reply: Reply | null): string | null => (reply === null ? null : show(reply));
    return {
      next: () => {
        const reply = answer.next();
        return reply instanceof Promise ? reply.then(showNext) : showNext(reply);
      },
    };
  }

  #handle(text: string): {
    readonly answer: Reply | Promise<Reply> | ReplyStream;
    readonly show: (reply: Reply) => string;
  } {
    const codec = this.#world.codecs();
    codec.feed(Buffer.from(text, "latin1"));
    const command = codec.next();
    if (command === null) throw new Error(`not a whole command: ${JSON.stringify(text)}`);
    return { answer: this.session.handle(command), show: (reply) => written(reply, command, codec) };
  }

  /** The same for an answer that comes at once. */
  tell(text: string): string {
    const answer = this.ask(text);
    if (typeof answer !== "string") throw new Error(`${JSON.stringify(text)} was not answered at once`);
    return answer;
  }

  /** The same for an answer that must be waited for. */
  wait(text: string): Promise<string> {
    const answer = this.ask(text);
    if (typeof answer === "string") throw new Error(`${JSON.stringify(text)} was answered at once: ${answer}`);
    return answer;
  }
}

function written(reply: Reply, command: Command, codec: ReturnType<CodecFactory>): string {
  const out = new ByteBuffer();
  codec.encode(reply, command, out);
  const ends = reply.kind === "hang-up" || reply.kind === "cut-off";
  const closes = ends || (reply.kind === "error" && reply.close);
  return Buffer.concat(out.drain()).toString("latin1") + (closes ? "<close>" : "");
}
