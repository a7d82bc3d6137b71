/**
 * A connected client library, seen through what all of them have. What the library answers is handed on as it is: the
 * tests are about what its users see.
 */
export interface Client {
  /** Whether the library says that the item is stored. */
  put(queue: string, data: Buffer): Promise<boolean>;
  /** What the library hands out for a key; null when it says that there is nothing. */
  get(key: string): Promise<Buffer | null>;
  /** Whether the library says that the queue is deleted. */
  delete(queue: string): Promise<boolean>;
  /** Whether the library says that everything is flushed. */
  flushAll(): Promise<boolean>;
  /** The figures that the library tells, each as text. */
  stats(): Promise<Readonly<Record<string, string>>>;
  version(): Promise<string>;
  /** Goes away as the library does it. May be called twice, and after `leave`. */
  close(): Promise<void>;
  /** Goes away without a word to the server, as a crash does it where the library has a process of its own. */
  leave(): Promise<void>;
}

/** What a client is connected with. */
export interface ConnectOptions {
  readonly port: number;
  /** How long the library waits for an answer. */
  readonly timeoutMs: number;
}

/** A client library, and what it makes of a server that speaks as Kestrel did. */
export interface ClientKind<C extends Client = Client> {
  readonly name: string;
  /** Why it cannot be tried here; null when it can. */
  readonly missing: string | null;
  readonly connect: (options: ConnectOptions) => Promise<C>;
  /** The most difficult item that it carries unchanged. */
  readonly payload: Buffer;
  /** Whether it takes `VALUE jobs …` for the answer to `get jobs/open`, although the names differ. */
  readonly readsOptions: boolean;
  /** Whether it has a time limit for an answer. */
  readonly givesUp: boolean;
  /** Whether it hangs up when nothing happens on its connection for that time. */
  readonly dropsIdle: boolean;
  /** What it says to `Flushed all queues.`, where memcached says OK; null when it cannot flush. */
  readonly flushAllSays: boolean | RegExp | null;
  /** What it hands out of the statistics; null when it cannot ask for them. */
  readonly stats: "queues" | "server" | null;
}

/** All bytes, and some that look like the end of an answer. */
export const ANY_BYTES = Buffer.concat([
  Buffer.from("\r\nEND\r\nSTORED\r\n"),
  Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
]);
/** Text of several lines, with letters of one to four bytes. */
export const ANY_TEXT = Buffer.from("Żółw 🦅\r\nEND\r\nSTORED\r\n\t\0 €");
/** Text on one line. */
export const ONE_LINE = Buffer.from("Żółw 🦅 END STORED\t\0 €");
