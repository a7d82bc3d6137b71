import assert from "node:assert/strict";
import { createRequire } from "node:module";
import t from "tap";
import type { Stage } from "../helpers/transcript.js";
import { playOn } from "../helpers/transcript.js";
import { PATIENCE_MS } from "../helpers/within.js";
import { missingPackage, PYTHON } from "./debian.js";
import { ScriptClient } from "./script-client.js";

/*
 * Plain memcached clients on a port of their own, which speaks as they expect: the flags come back, and with them what the
 * client had made of a value; `gets` has its token; the answer names the key that was asked for.
 */

const CONFIG = '[[listener]]\nport = 0\ndialect = "memcached"\n';

/** A case with a server that has such a port, and a client on it. */
function dialect(
  title: string,
  missing: string | null,
  options: { readonly connect: (port: number) => ScriptClient; readonly play: Play },
): void {
  if (missing !== null) {
    void t.test(title, { skip: missing }, async () => {});
    return;
  }
  void t.test(title, (test) =>
    playOn({ config: CONFIG }, async (stage) => {
      const client = options.connect(stage.server.listeners[0] ?? 0);
      try {
        await options.play(client, stage);
        test.pass("it went as written");
      } finally {
        await client.close();
      }
    }),
  );
}

type Play = (client: ScriptClient, stage: Stage) => Promise<void>;

const timeoutMs = PATIENCE_MS;

/** Python's own kinds, which it pickles. */
const DICT = { list: [1, 2.5, "żółw", null, true], nested: { a: "b" } };

dialect(
  "python3-memcache: a dict that was pickled comes back as a dict",
  await missingPackage("python3-memcache", [PYTHON, "-c", "import memcache"]),
  {
    connect: (port) => new ScriptClient([PYTHON, "-B"], "python_memcache_client.py", { port, timeoutMs }),
    play: async (client, { queue }) => {
      assert.equal(await client.ask("putValue", { queue, value: JSON.stringify(DICT) }), true);
      assert.equal(await client.ask("putValue", { queue, value: "12" }), true);
      assert.deepEqual(JSON.parse(String(await client.ask("getValue", { key: queue }))), DICT);
      assert.equal(await client.ask("getValue", { key: queue }), "12", "and a number as a number");
      assert.equal(await client.ask("getValue", { key: `${queue}/t=50` }), "null");
      assert.equal(await client.delete(queue), true);
    },
  },
);

const pymemcacheMissing = await missingPackage("python3-pymemcache", [PYTHON, "-c", "import pymemcache"]);
const pymemcache = (port: number): ScriptClient => {
  const manner = { noreply: false, ignoreExc: false, anyKey: false };
  return new ScriptClient([PYTHON, "-B"], "pymemcache_client.py", { port, timeoutMs, ...manner });
};

dialect("pymemcache: gets works, which fails without a CAS token", pymemcacheMissing, {
  connect: pymemcache,
  play: async (client, { queue }) => {
    assert.equal(await client.put(queue, Buffer.from("a")), true);
    const data = String(await client.ask("gets", { key: queue }));
    assert.equal(Buffer.from(data, "base64").toString(), "a");
  },
});

dialect("pymemcache: keys with options are answered by their own name", pymemcacheMissing, {
  connect: pymemcache,
  play: async (client, { queue, open }) => {
    assert.equal(await client.put(queue, Buffer.from("a")), true);
    assert.deepEqual(await client.get(`${queue}/open`), Buffer.from("a"));
    const other = await open();
    await other.untilStat(queue, "open_transactions", 1);
    assert.equal(await client.get(`${queue}/close`), null);
    await other.untilStat(queue, "open_transactions", 0);
    assert.equal(await client.put(queue, Buffer.from("b")), true);
    assert.deepEqual(await client.get(`${queue}/t=250`), Buffer.from("b"));
  },
});

dialect(
  "PHP's Memcached: what it compressed comes back as it was",
  await missingPackage("php-memcached", ["php", "-r", "exit(class_exists('Memcached') ? 0 : 1);"]),
  {
    connect: (port) => new ScriptClient(["php"], "php-memcached-client.php", { port, timeoutMs, compression: true }),
    play: async (client, { queue, open }) => {
      const data = Buffer.alloc(5000, "x");
      assert.equal(await client.put(queue, data), true);
      const bytes = await (await open()).stat(queue, "bytes");
      assert.ok(bytes !== undefined && bytes < 1000, `${bytes} bytes are stored`);
      assert.deepEqual(await client.get(queue), data);
    },
  },
);

type Answer = (error: unknown, result: unknown) => void;

/** What we use of the package, which has no types. */
interface MemcachedClient {
  set(key: string, value: unknown, lifetime: number, answer: Answer): void;
  get(key: string, answer: Answer): void;
  gets(key: string, answer: Answer): void;
  flush(answer: Answer): void;
  end(): void;
}

const Memcached = createRequire(import.meta.url)("memcached") as new (
  server: string,
  options: object,
) => MemcachedClient;

void t.test("npm's memcached: an object comes back as an object, and gets has its CAS token", (test) =>
  playOn({ config: `${CONFIG}allow_flush_all = true\n` }, async ({ server, queue }) => {
    const memcached = new Memcached(`127.0.0.1:${server.listeners[0]}`, { poolSize: 1, retries: 0 });
    try {
      const value = { a: [1, "b", null], c: { d: true } };
      for (let i = 0; i < 3; i++) await answered((answer) => memcached.set(queue, value, 0, answer));
      await answered((answer) => memcached.set(queue, 12, 0, answer));
      test.same(await answered((answer) => memcached.get(queue, answer)), value);
      test.same(await answered((answer) => memcached.get(`${queue}/t=250`, answer)), value);
      test.match(await answered((answer) => memcached.gets(queue, answer)), { [queue]: value, cas: /^\d+$/ });
      test.equal(await answered((answer) => memcached.get(queue, answer)), 12);
      test.same(await answered((answer) => memcached.flush(answer)), [true], "flush gets the OK it waits for");
    } finally {
      memcached.end();
    }
  }),
);

function answered(ask: (answer: Answer) => void): Promise<unknown> {
  return new Promise((resolve, reject) => {
    ask((error, result) =>
      error === null || error === undefined ? resolve(result) : reject(new Error(String(error))),
    );
  });
}
