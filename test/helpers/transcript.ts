import assert from "node:assert/strict";
import t, { type Test } from "tap";
import { RawClient } from "./raw-client.js";
import { runningServers, type ServerOptions, TestServer } from "./start-server.js";
import { show } from "./wire.js";
import { until } from "./within.js";

/** What a case has at hand. */
export interface Stage {
  readonly server: TestServer;
  /** The name of a queue that no other case has. */
  readonly queue: string;
  /** A new connection. The case's end closes it and fails if it has bytes that nobody expected. */
  readonly open: () => Promise<RawClient>;
}

/** Adds a case: its title is a sentence of behaviour. */
export type Case = (title: string, play: (stage: Stage) => Promise<void>) => void;

/** What a drama wants. */
export interface DramaOptions extends ServerOptions {
  /** How long the whole case may take. */
  readonly timeoutMs?: number;
}

/** How long a group or a case may take, unless it says otherwise. */
const TIMEOUT_MS = 120_000;

let queues = 0;

/** A group of cases that share one server. They run one after the other, each on queues of its own. */
export function transcript(name: string, options: ServerOptions, write: (it: Case) => void): void {
  const cases: [title: string, play: (stage: Stage) => Promise<void>][] = [];
  write((title, play) => cases.push([title, play]));
  void t.test(name, { timeout: TIMEOUT_MS }, async (group) => {
    const server = await TestServer.start(options);
    group.teardown(() => server.dispose());
    for (const [title, play] of cases) await group.test(title, (test) => passing(test, playCase(server, play)));
    await group.test("nothing is left behind", (test) => passing(test, expectNothingLeft(server)));
  });
}

/** A case with a server of its own, which it may kill, stop and start again. */
export function drama(title: string, options: DramaOptions, play: (stage: Stage, test: Test) => Promise<void>): void {
  const timeout = options.timeoutMs ?? TIMEOUT_MS;
  void t.test(title, { timeout }, (test) =>
    passing(
      test,
      playOn(options, (stage) => play(stage, test)),
    ),
  );
}

/** Plays a case on a server that lives as long as the case. */
export async function playOn(options: ServerOptions, play: (stage: Stage) => Promise<void>): Promise<void> {
  const server = await TestServer.start(options);
  try {
    await playCase(server, play);
  } finally {
    await server.dispose();
  }
}

t.setTimeout(TIMEOUT_MS);
t.teardown(() => assert.equal(runningServers(), 0, "a server is left behind"));

// A case fails by throwing; without an assertion of its own the runner would take it for one that was skipped.
async function passing(test: Test, played: Promise<void>): Promise<void> {
  await played;
  test.pass("it went as written");
}

async function playCase(server: TestServer, play: (stage: Stage) => Promise<void>): Promise<void> {
  const clients: RawClient[] = [];
  const open = async (): Promise<RawClient> => {
    const client = await RawClient.connect(server.port);
    clients.push(client);
    return client;
  };
  try {
    queues += 1;
    await play({ server, queue: `q${queues}`, open });
    for (const client of clients) assert.equal(client.unread.length, 0, `unexpected bytes: ${show(client.unread)}`);
  } finally {
    for (const client of clients) client.destroy();
  }
}

// When all clients are gone, so are the server's connections, waiters and open reads.
async function expectNothingLeft(server: TestServer): Promise<void> {
  const client = await RawClient.connect(server.port);
  try {
    await expectFigure(client, /^curr_connections$/, "1");
    await expectFigure(client, /^queue_.*_(waiters|open_transactions)$/, "0");
  } finally {
    client.destroy();
  }
}

async function expectFigure(client: RawClient, name: RegExp, wanted: string): Promise<void> {
  await until(`every ${name} being ${wanted}`, async () => {
    const figures = [...(await client.stats())].filter(([key]) => name.test(key));
    return figures.every(([, value]) => value === wanted);
  });
}
