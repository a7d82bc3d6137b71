import assert from "node:assert/strict";
import type { RawClient } from "../helpers/raw-client.js";
import type { Case, Stage } from "../helpers/transcript.js";
import { body, STORED, set, value } from "../helpers/wire.js";
import { PATIENCE_MS, timed, within } from "../helpers/within.js";
import type { Client, ClientKind } from "./client.js";
import { transcriptUnless } from "./debian.js";

/** Adds a case with a client that is connected for it. */
export type ClientCase<C extends Client = Client> = (
  title: string,
  play: (client: C, stage: Stage) => Promise<void>,
) => void;

/** A wait that should end early would take this long if it did not. */
const LONG_WAIT = "t=10000";

/** What every client library can do with the server, as far as it says it can; `more` adds what is its own. */
export function clientCases<C extends Client>(kind: ClientKind<C>, more: (it: ClientCase<C>) => void = () => {}): void {
  transcriptUnless(kind.missing, kind.name, (it) => {
    const withClient: ClientCase<C> = (title, play) => it(title, (stage) => playWithClient(kind, stage, play));
    itemCases(kind, withClient);
    commandCases(kind, withClient);
    if (kind.readsOptions) {
      waitCases(withClient);
      reliableCases(withClient);
      if (kind.givesUp) addGiveUpCase(kind, it);
      if (kind.dropsIdle) addIdleCase(kind, it);
    }
    more(withClient);
  });
}

async function playWithClient<C extends Client>(
  kind: ClientKind<C>,
  stage: Stage,
  play: (client: C, stage: Stage) => Promise<void>,
): Promise<void> {
  const client = await kind.connect({ port: stage.server.port, timeoutMs: PATIENCE_MS });
  try {
    await play(client, stage);
  } finally {
    await client.close();
  }
}

function itemCases(kind: ClientKind, it: ClientCase): void {
  it("items come out in the order in which they went in, then nothing", async (client, { queue }) => {
    const items = ["one", "two", "three", "four", "five"];
    for (const item of items) await expectPut(client, queue, Buffer.from(item));
    for (const item of items) await expectGet(client, queue, Buffer.from(item));
    await expectNothing(client, queue);
  });

  it("what it puts arrives byte for byte", async (client, { queue, open }) => {
    const other = await open();
    await expectPut(client, queue, kind.payload);
    await other.send(`get ${queue}/t=10000\r\n`);
    await other.expect(value(queue, kind.payload));
  });

  it("what others put it gets byte for byte", async (client, { queue, open }) => {
    await putByAnother(await open(), queue, kind.payload);
    await expectGet(client, queue, kind.payload);
  });

  it("an item of no bytes is an item", async (client, { queue }) => {
    await expectPut(client, queue, Buffer.alloc(0));
    await expectPut(client, queue, Buffer.from("next"));
    await expectGet(client, queue, Buffer.alloc(0));
    await expectGet(client, queue, Buffer.from("next"));
  });

  it("items of half a megabyte pass in both directions", async (client, { queue }) => {
    for (const number of [1, 2]) await expectPut(client, queue, body(500_000, number));
    for (const number of [1, 2]) await expectGet(client, queue, body(500_000, number));
    await expectNothing(client, queue);
  });
}

function commandCases(kind: ClientKind, it: ClientCase): void {
  it("it deletes a queue with its items", async (client, { queue, open }) => {
    await expectPut(client, queue, Buffer.from("a"));
    assert.equal(await client.delete(queue), true);
    await expectNothing(client, queue);
    assert.equal(await (await open()).stat(queue, "total_items"), 0, "the queue is another one");
  });

  it("it learns the server's version", async (client, { open }) => {
    const other = await open();
    await other.send("version\r\n");
    const line = await other.line();
    const version = await client.version();
    assert.match(version, /^\d+\.\d+\.\d+/);
    assert.ok(line.includes(version), `${line.trim()} is understood as ${version}`);
  });

  const { flushAllSays, stats } = kind;
  if (flushAllSays !== null) {
    it(`flush_all empties the queues (and it says: ${flushAllSays})`, async (client, { queue, open }) => {
      await expectPut(client, queue, Buffer.from("a"));
      const says = await client.flushAll().catch((error: unknown) => String(error));
      if (flushAllSays instanceof RegExp) assert.match(String(says), flushAllSays);
      else assert.equal(says, flushAllSays);
      await (await open()).untilStat(queue, "items", 0);
      await expectPut(client, queue, Buffer.from("b"));
      await expectGet(client, queue, Buffer.from("b"));
    });
  }
  if (stats !== null) {
    it(`it hands out the figures of the ${stats}`, async (client, { queue, open }) => {
      for (const item of ["a", "b", "c"]) await expectPut(client, queue, Buffer.from(item));
      const figures = await client.stats();
      const server = await (await open()).stats();
      assert.equal(figures["curr_items"], server.get("curr_items"));
      assert.equal(figures[`queue_${queue}_items`], stats === "queues" ? "3" : undefined);
      assert.equal(await client.delete(queue), true);
    });
  }
}

function waitCases(it: ClientCase): void {
  it("a wait on an empty queue ends with nothing, and not before its time", async (client, { queue }) => {
    const { ms } = await timed(() => expectNothing(client, `${queue}/t=250`));
    assert.ok(ms >= 250, `it took ${ms} ms`);
    assert.ok(ms < 5000, `it took ${ms} ms`);
  });

  it("an item that comes during the wait is handed over at once", async (client, { queue, open }) => {
    const other = await open();
    const { ms } = await timed(async () => {
      const got = client.get(`${queue}/${LONG_WAIT}`);
      await other.untilStat(queue, "waiters", 1);
      await putByAnother(other, queue, Buffer.from("late"));
      assert.deepEqual(await got, Buffer.from("late"));
    });
    assert.ok(ms < 5000, `it took ${ms} ms`);
    assert.equal(await other.stat(queue, "items"), 0);
  });

  it("an item that is there already ends no wait late", async (client, { queue }) => {
    await expectPut(client, queue, Buffer.from("early"));
    const { ms } = await timed(() => expectGet(client, `${queue}/${LONG_WAIT}`, Buffer.from("early")));
    assert.ok(ms < 5000, `it took ${ms} ms`);
  });
}

function reliableCases(it: ClientCase): void {
  it("it opens a read, closes it and opens the next, and closes that", async (client, { queue, open }) => {
    const other = await open();
    for (const item of ["a", "b"]) await expectPut(client, queue, Buffer.from(item));
    await expectGet(client, `${queue}/open`, Buffer.from("a"));
    assert.equal(await other.stat(queue, "open_transactions"), 1);
    await expectGet(client, `${queue}/close/open/t=250`, Buffer.from("b"));
    await expectNothing(client, `${queue}/close`);
    assert.equal(await other.stat(queue, "open_transactions"), 0);
    assert.equal(await other.stat(queue, "items"), 0);
  });

  it("what it aborts goes back to the head", async (client, { queue }) => {
    for (const item of ["a", "b"]) await expectPut(client, queue, Buffer.from(item));
    await expectGet(client, `${queue}/open`, Buffer.from("a"));
    await expectNothing(client, `${queue}/abort`);
    await expectGet(client, queue, Buffer.from("a"));
    await expectGet(client, queue, Buffer.from("b"));
  });

  it("what it had open when it went away is handed to the next", async (client, { queue, open }) => {
    const other = await open();
    await expectPut(client, queue, Buffer.from("a"));
    await expectGet(client, `${queue}/open`, Buffer.from("a"));
    await other.send(`get ${queue}/${LONG_WAIT}\r\n`);
    await other.expectSilence();
    await client.leave();
    await other.expect(value(queue, "a"));
  });
}

function addGiveUpCase(kind: ClientKind, it: Case): void {
  it("C83 when its own time limit ends the wait, the next item stays", async ({ server, queue, open }) => {
    const other = await open();
    const client = await kind.connect({ port: server.port, timeoutMs: 200 });
    try {
      const got = client.get(`${queue}/${LONG_WAIT}`).catch(() => null);
      const { ms } = await timed(() => other.untilStat(queue, "waiters", 0));
      assert.ok(ms < 5000, `it took ${ms} ms`);
      await putByAnother(other, queue, Buffer.from("kept"));
      await other.send(`get ${queue}\r\n`);
      await other.expect(value(queue, "kept"));
      await client.leave();
      // Some never say that they gave up; those that say something say that there was nothing.
      assert.equal(await Promise.race([got, Promise.resolve(null)]), null);
    } finally {
      await client.close();
    }
  });
}

function addIdleCase(kind: ClientKind, it: Case): void {
  it("a read that it keeps open beyond its idle time goes back, as it hangs up by itself", async ({
    server,
    queue,
    open,
  }) => {
    const other = await open();
    const client = await kind.connect({ port: server.port, timeoutMs: 200 });
    try {
      await expectPut(client, queue, Buffer.from("a"));
      await expectGet(client, `${queue}/open`, Buffer.from("a"));
      await other.send(`get ${queue}/${LONG_WAIT}\r\n`);
      await other.expect(value(queue, "a"));
    } finally {
      await client.close();
    }
  });
}

/** Puts an item, and the client says that it is stored. */
export async function expectPut(client: Client, queue: string, data: Buffer): Promise<void> {
  assert.equal(await within(client.put(queue, data), `putting into ${queue}`), true);
}

/** Gets an item, and it is this one. */
export async function expectGet(client: Client, key: string, data: Buffer): Promise<void> {
  assert.deepEqual(await within(client.get(key), `getting ${key}`), data);
}

/** Gets nothing. */
export async function expectNothing(client: Client, key: string): Promise<void> {
  assert.equal(await within(client.get(key), `getting ${key}`), null);
}

/** Another client puts an item. */
export async function putByAnother(other: RawClient, queue: string, data: Buffer): Promise<void> {
  await other.send(set(queue, data));
  await other.expect(STORED);
}
