import { Memcache } from "memcache";
import { ANY_TEXT, type Client, type ConnectOptions } from "./client.js";
import { clientCases } from "./client-cases.js";

class NpmMemcache implements Client {
  readonly #memcache: Memcache;

  constructor({ port, timeoutMs }: ConnectOptions) {
    this.#memcache = new Memcache({ nodes: [`127.0.0.1:${port}`], timeout: timeoutMs });
  }

  async connect(): Promise<this> {
    await this.#memcache.connect();
    return this;
  }

  put(queue: string, data: Buffer): Promise<boolean> {
    return this.#memcache.set(queue, data.toString());
  }

  async get(key: string): Promise<Buffer | null> {
    const text = await this.#memcache.get(key);
    return text === undefined ? null : Buffer.from(text);
  }

  delete(queue: string): Promise<boolean> {
    return this.#memcache.delete(queue);
  }

  flushAll(): Promise<boolean> {
    return this.#memcache.flush();
  }

  async stats(): Promise<Readonly<Record<string, string>>> {
    const [figures] = [...(await this.#memcache.stats()).values()];
    return figures ?? {};
  }

  async version(): Promise<string> {
    const [line] = [...(await this.#memcache.version()).values()];
    return String(line).replace(/^VERSION /, "");
  }

  /** Its own `quit()` waits for an answer that no server gives, until the server hangs up. */
  async close(): Promise<void> {
    await this.#memcache.quit();
  }

  async leave(): Promise<void> {
    await this.#memcache.disconnect();
  }
}

clientCases({
  name: "npm's memcache",
  missing: null,
  connect: (options) => new NpmMemcache(options).connect(),
  payload: ANY_TEXT,
  readsOptions: true,
  givesUp: true,
  dropsIdle: true,
  flushAllSays: false,
  stats: "queues",
});
