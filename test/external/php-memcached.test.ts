import assert from "node:assert/strict";
import { PATIENCE_MS } from "../helpers/within.js";
import { ANY_BYTES, type ClientKind } from "./client.js";
import { clientCases, expectPut } from "./client-cases.js";
import { missingPackage } from "./debian.js";
import { ScriptClient } from "./script-client.js";

const missing = await missingPackage("php-memcached", ["php", "-r", "exit(class_exists('Memcached') ? 0 : 1);"]);

function phpMemcached(name: string, compression: boolean): ClientKind<ScriptClient> {
  return {
    name,
    missing,
    connect: async (options) => new ScriptClient(["php"], "php-memcached-client.php", { ...options, compression }),
    payload: ANY_BYTES,
    readsOptions: true,
    givesUp: true,
    dropsIdle: false,
    flushAllSays: /SOME ERRORS WERE REPORTED/,
    stats: "queues",
  };
}

clientCases(phpMemcached("PHP's Memcached", false), (it) => {
  it("a second open read on a queue is refused as nothing, and the first goes back", async (client, { queue }) => {
    for (const item of ["a", "b"]) await expectPut(client, queue, Buffer.from(item));
    assert.deepEqual(await client.get(`${queue}/open`), Buffer.from("a"));
    assert.equal(await client.get(`${queue}/open`), null);
  });

  it("what it compresses comes back compressed, since the flags that say so are not kept", async (_, {
    server,
    queue,
  }) => {
    const options = { port: server.port, timeoutMs: PATIENCE_MS };
    const compressing = await phpMemcached("PHP's Memcached with its own defaults", true).connect(options);
    try {
      await expectPut(compressing, queue, Buffer.alloc(5000, "x"));
      const data = await compressing.get(queue);
      assert.ok(data !== null && data.length < 1000, `${data?.length} bytes of 5000`);
    } finally {
      await compressing.close();
    }
  });
});
