import assert from "node:assert/strict";
import { ANY_BYTES, type ClientKind } from "./client.js";
import { type ClientCase, clientCases, expectGet, expectNothing, expectPut } from "./client-cases.js";
import { missingPackage, PYTHON } from "./debian.js";
import { ScriptClient } from "./script-client.js";

/*
 * pymemcache wants the answer to name the very key that was asked for, which Kestrel never did (`VALUE jobs …` for
 * `get jobs/open`). A subclass of five lines makes it content; it is the class QueueClient in the script.
 */

const missing = await missingPackage("python3-pymemcache", [PYTHON, "-c", "import pymemcache"]);

interface Manner {
  readonly noreply: boolean;
  /** Hide every error, and answer None instead. */
  readonly ignoreExc?: boolean;
  /** The subclass. */
  readonly anyKey?: boolean;
}

function pymemcache(name: string, { noreply, ignoreExc = false, anyKey = false }: Manner): ClientKind<ScriptClient> {
  return {
    name,
    missing,
    connect: async (options) =>
      new ScriptClient([PYTHON, "-B"], "pymemcache_client.py", { ...options, noreply, ignoreExc, anyKey }),
    payload: ANY_BYTES,
    readsOptions: anyKey,
    givesUp: true,
    dropsIdle: false,
    flushAllSays: noreply,
    stats: "queues",
  };
}

clientCases(pymemcache("pymemcache, default_noreply=False", { noreply: false }), (it) => {
  strictKeyCases(it);
  it("gets wants a CAS token, which Kestrel has none of: the item is gone, with an error", async (client, {
    queue,
  }) => {
    await expectPut(client, queue, Buffer.from("a"));
    await assert.rejects(client.ask("gets", { key: queue }), /ValueError.*expected 5, got 4/);
    await expectNothing(client, queue);
  });
});

clientCases(pymemcache("pymemcache, default_noreply=True", { noreply: true }), (it) => {
  strictKeyCases(it);
  it("a put that is refused is silent, and the next answer is the right one", async (client, { queue }) => {
    await expectPut(client, `${queue}.x`, Buffer.from("refused"));
    await expectPut(client, queue, Buffer.from("a"));
    await expectGet(client, queue, Buffer.from("a"));
  });
});

clientCases(pymemcache("pymemcache, ignore_exc=True", { noreply: false, ignoreExc: true }), (it) => {
  it("an item that comes for a key with t= is gone without a word", async (client, { queue, open }) => {
    await expectPut(client, queue, Buffer.from("a"));
    await expectNothing(client, `${queue}/t=250`);
    assert.equal(await (await open()).stat(queue, "items"), 0);
  });
});

clientCases(pymemcache("pymemcache, the subclass QueueClient", { noreply: false, anyKey: true }));
clientCases(pymemcache("pymemcache, the subclass QueueClient, default_noreply=True", { noreply: true, anyKey: true }));

function strictKeyCases(it: ClientCase<ScriptClient>): void {
  it("a wait that ends with nothing is fine", async (client, { queue }) => {
    await expectNothing(client, `${queue}/t=250`);
  });

  it("an item that comes for a key with t= is an error, and gone", async (client, { queue }) => {
    await expectPut(client, queue, Buffer.from("a"));
    await assert.rejects(client.get(`${queue}/t=250`), /KeyError/);
    await expectNothing(client, queue);
  });

  it("an item that comes for a key with open is an error, and back at the head", async (client, { queue }) => {
    for (const item of ["a", "b"]) await expectPut(client, queue, Buffer.from(item));
    await assert.rejects(client.get(`${queue}/open`), /KeyError/);
    await expectGet(client, queue, Buffer.from("a"));
    await expectGet(client, queue, Buffer.from("b"));
  });
}
