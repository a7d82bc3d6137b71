import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { type Client, type ConnectOptions, ONE_LINE } from "./client.js";
import { clientCases, expectGet, expectPut } from "./client-cases.js";

type Answer<T> = (error: unknown, result: T) => void;

/** What we use of the package, which has no types. */
interface MemcachedClient {
  set(key: string, value: string | number, lifetime: number, answer: Answer<boolean>): void;
  get(key: string, answer: Answer<string | undefined>): void;
  del(key: string, answer: Answer<boolean>): void;
  flush(answer: Answer<unknown>): void;
  stats(answer: Answer<readonly Readonly<Record<string, string | number>>[]>): void;
  version(answer: Answer<readonly { readonly version: string }[]>): void;
  end(): void;
}

const Memcached = createRequire(import.meta.url)("memcached") as new (
  server: string,
  options: object,
) => MemcachedClient;

class NpmMemcached implements Client {
  readonly memcached: MemcachedClient;

  /** `idle` is the time after which it drops a connection on which nothing happens, a waiting get included. */
  constructor({ port, timeoutMs }: ConnectOptions) {
    const options = { poolSize: 1, retries: 0, timeout: timeoutMs, idle: timeoutMs };
    this.memcached = new Memcached(`127.0.0.1:${port}`, options);
  }

  put(queue: string, data: Buffer | number): Promise<boolean> {
    const value = typeof data === "number" ? data : data.toString();
    return answered<boolean>((answer) => this.memcached.set(queue, value, 0, answer));
  }

  async get(key: string): Promise<Buffer | null> {
    const text = await answered<string | undefined>((answer) => this.memcached.get(key, answer));
    return text === undefined ? null : Buffer.from(text);
  }

  delete(queue: string): Promise<boolean> {
    return answered<boolean>((answer) => this.memcached.del(queue, answer));
  }

  async flushAll(): Promise<boolean> {
    return (await answered<unknown>((answer) => this.memcached.flush(answer))) === true;
  }

  async stats(): Promise<Readonly<Record<string, string>>> {
    type Figures = Readonly<Record<string, string | number>>;
    const [figures] = await answered<readonly Figures[]>((answer) => this.memcached.stats(answer));
    return Object.fromEntries(Object.entries(figures ?? {}).map(([name, figure]) => [name, String(figure)]));
  }

  async version(): Promise<string> {
    const [server] = await answered<readonly { readonly version: string }[]>((answer) =>
      this.memcached.version(answer),
    );
    return String(server?.version);
  }

  async close(): Promise<void> {
    this.memcached.end();
  }

  async leave(): Promise<void> {
    this.memcached.end();
  }
}

/** An answer of the package as a promise. */
function answered<T>(ask: (answer: Answer<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    ask((error, result) =>
      error === null || error === undefined ? resolve(result) : reject(new Error(String(error))),
    );
  });
}

clientCases(
  {
    name: "npm's memcached, poolSize 1, retries 0",
    missing: null,
    connect: async (options) => new NpmMemcached(options),
    payload: ONE_LINE,
    readsOptions: true,
    givesUp: true,
    dropsIdle: true,
    flushAllSays: null,
    stats: "queues",
  },
  (it) => {
    it("it puts a backslash before every end of a line, and takes it away again", async (client, { queue, open }) => {
      const other = await open();
      const text = Buffer.from("one\r\nEND\r\ntwo");
      for (let i = 0; i < 2; i++) await expectPut(client, queue, text);
      await expectGet(client, queue, text);
      await other.send(`get ${queue}\r\n`);
      await other.expect(`VALUE ${queue} 0 17\r\none\\\r\\\nEND\\\r\\\ntwo\r\nEND\r\n`);
    });

    it("a number comes back as text, since the flags that say so are not kept", async (client, { queue }) => {
      assert.equal(await client.put(queue, 12), true);
      await expectGet(client, queue, Buffer.from("12"));
    });

    it("flush empties the queues, but it waits for ever for memcached's OK", async (client, { queue, open }) => {
      const other = await open();
      await expectPut(client, queue, Buffer.from("a"));
      let isAnswered = false;
      client.memcached.flush(() => {
        isAnswered = true;
      });
      await other.untilStat(queue, "items", 0);
      await other.expectSilence();
      assert.equal(isAnswered, false);
    });
  },
);
