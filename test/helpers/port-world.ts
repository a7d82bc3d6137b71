import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Test } from "tap";
import { SystemClock } from "../../src/clock.js";
import { FlushList } from "../../src/net/flush-list.js";
import { IdleWatch } from "../../src/net/idle-watch.js";
import { Listener } from "../../src/net/listener.js";
import { Session } from "../../src/session/session.js";
import { RawClient } from "./raw-client.js";
import { SessionWorld, type SessionWorldOptions } from "./session-world.js";

/** A real port in this process; its queues are in memory, with a clock and a journal that the test moves. */
export interface PortWorld {
  readonly world: SessionWorld;
  readonly listener: Listener;
  /** Connects a client, which is gone at the end of the test. */
  connect(): Promise<RawClient>;
  /** The same as a bare socket. */
  socket(): Promise<Socket>;
}

export interface PortWorldOptions extends SessionWorldOptions {
  /** How long a client may be silent; it is the world's clock that tells. */
  readonly clientTimeoutMs?: number;
}

/** Opens a port for the time of a test. At its end no connection may be left. */
export async function openPort(t: Test, options: PortWorldOptions = {}): Promise<PortWorld> {
  const world = new SessionWorld(options);
  const { counters, connections, log } = world;
  const listener = await Listener.open({
    host: "127.0.0.1",
    port: 0,
    backlog: null,
    createCodec: world.codecs,
    createSession: (describePeer) => new Session(world.context, describePeer),
    connections,
    idleWatch: new IdleWatch(world.clock, options.clientTimeoutMs ?? Infinity),
    // How long a closed connection lingers is real time.
    context: { flushList: new FlushList(), counters, clock: new SystemClock(), log },
  });
  const clients: { destroy(): void }[] = [];
  t.teardown(async () => {
    for (const client of clients) client.destroy();
    listener.destroyConnections();
    await listener.close();
    if (connections.current !== 0) throw new Error(`${connections.current} connections are left`);
  });
  return {
    world,
    listener,
    connect: async () => {
      const client = await RawClient.connect(listener.port);
      clients.push(client);
      return client;
    },
    socket: async () => {
      const socket = connect({ port: listener.port, host: "127.0.0.1", allowHalfOpen: true });
      clients.push(socket);
      socket.on("error", () => {});
      await once(socket, "connect");
      return socket;
    },
  };
}
