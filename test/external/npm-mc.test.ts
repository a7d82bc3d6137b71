import { createRequire } from "node:module";
import { ANY_BYTES, type Client } from "./client.js";
import { clientCases } from "./client-cases.js";

type Answer<T> = (error: { readonly type: string } | null | undefined, result: T) => void;

/** What we use of the package, which has no types. */
interface McClient {
  connect(connected: () => void): void;
  set(key: string, data: Buffer, options: object, answer: Answer<string>): void;
  get(key: string, answer: Answer<Readonly<Record<string, Buffer>>>): void;
  del(key: string, answer: Answer<string>): void;
  stats(answer: Answer<readonly Readonly<Record<string, string>>[]>): void;
  version(answer: Answer<readonly string[]>): void;
  disconnect(): void;
}

interface Mc {
  readonly Client: new (server: string, adapter: unknown) => McClient;
  readonly Adapter: { readonly binary: unknown };
}

const mc = createRequire(import.meta.url)("mc") as Mc;

class NpmMc implements Client {
  readonly #client: McClient;

  private constructor(port: number) {
    this.#client = new mc.Client(`127.0.0.1:${port}`, mc.Adapter.binary);
  }

  static async connect(port: number): Promise<NpmMc> {
    const client = new NpmMc(port);
    await new Promise<void>((connected) => client.#client.connect(connected));
    return client;
  }

  async put(queue: string, data: Buffer): Promise<boolean> {
    return (await answered<string>((answer) => this.#client.set(queue, data, {}, answer))) === "STORED";
  }

  /** The items of an answer lie under the names that the server gave them, which are the queues' own. */
  async get(key: string): Promise<Buffer | null> {
    const items = await answered<Readonly<Record<string, Buffer>>>((answer) => this.#client.get(key, answer));
    return items?.[key.replace(/\/.*/, "")] ?? null;
  }

  async delete(queue: string): Promise<boolean> {
    return (await answered<string>((answer) => this.#client.del(queue, answer))) === "DELETED";
  }

  async flushAll(): Promise<boolean> {
    throw new Error("mc has no flush");
  }

  async stats(): Promise<Readonly<Record<string, string>>> {
    const servers = await answered<readonly Readonly<Record<string, string>>[]>((answer) => this.#client.stats(answer));
    return servers?.[0] ?? {};
  }

  async version(): Promise<string> {
    return String((await answered<readonly string[]>((answer) => this.#client.version(answer)))?.[0]);
  }

  async close(): Promise<void> {
    this.#client.disconnect();
  }

  async leave(): Promise<void> {
    this.#client.disconnect();
  }
}

/** An answer of the package as a promise; null when it says that nothing is found. */
function answered<T>(ask: (answer: Answer<T>) => void): Promise<T | null> {
  return new Promise((resolve, reject) => {
    ask((error, result) => {
      if (error === null || error === undefined) resolve(result);
      else if (error.type === "NOT_FOUND") resolve(null);
      else reject(new Error(error.type));
    });
  });
}

clientCases({
  name: "npm's mc",
  missing: null,
  connect: ({ port }) => NpmMc.connect(port),
  payload: ANY_BYTES,
  readsOptions: true,
  givesUp: false,
  dropsIdle: false,
  flushAllSays: null,
  stats: "queues",
});
