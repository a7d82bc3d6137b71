import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { transcript } from "../helpers/transcript.js";
import { timed, within } from "../helpers/within.js";

/** What we use of the package, which has no types. It speaks memcached's binary protocol only. */
interface MemjsClient {
  get(key: string): Promise<{ readonly value: Buffer | null }>;
  set(key: string, value: string, options: { readonly expires: number }): Promise<boolean>;
  close(): void;
}

interface Memjs {
  readonly Client: { create(servers: string, options: object): MemjsClient };
}

const memjs = createRequire(import.meta.url)("memjs") as Memjs;

const refusals: readonly [title: string, ask: (client: MemjsClient, queue: string) => Promise<unknown>][] = [
  ["get", (client, queue) => client.get(queue)],
  ["set", (client, queue) => client.set(queue, "a", { expires: 0 })],
];

transcript("npm's memjs, which speaks the binary protocol", {}, (it) => {
  for (const [title, ask] of refusals) {
    it(`A31 its ${title} is refused at once, and the server's log says why`, async ({ server, queue, open }) => {
      const logger = { log: () => {} };
      const client = memjs.Client.create(`127.0.0.1:${server.port}`, { timeout: 30, retries: 0, logger });
      const { ms } = await timed(() => assert.rejects(within(ask(client, queue), "memjs being refused"), /ECONNRESET/));
      assert.ok(ms < 5000, `it took ${ms} ms`);
      client.close();
      await server.logged(/binary protocol/);
      assert.equal(await (await open()).stat(queue, "items"), undefined);
    });
  }
});
