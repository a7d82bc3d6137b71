import { createServer, type Server, type Socket } from "node:net";
import { describeError, WindhoverError } from "../errors.js";
import type { CodecFactory } from "../protocol/codec.js";
import type { Session } from "../session/session.js";
import type { ConnectionCounts } from "../stats/connection-counts.js";
import { Connection, type ConnectionContext } from "./connection.js";
import type { IdleWatch } from "./idle-watch.js";

/** Idle connections are probed after this time, so that those whose client has lost power do not stay for ever. */
const KEEP_ALIVE_MS = 60_000;
/** While connections cannot be accepted, this is how often the log says so. */
const COMPLAIN_EVERY_MS = 10_000;

export interface ListenerOptions {
  /** The address to bind to. */
  readonly host: string;
  /** The port; 0 picks a free one. */
  readonly port: number;
  /** How many connections may wait to be accepted; null leaves it to Node. */
  readonly backlog: number | null;
  /** Makes the codec of a connection: it decides which protocol is spoken. */
  readonly createCodec: CodecFactory;
  /** Makes the session of a connection; `describePeer` tells the client's address, for the log. */
  readonly createSession: (describePeer: () => string) => Session;
  readonly connections: ConnectionCounts;
  readonly idleWatch: IdleWatch;
  readonly context: ConnectionContext;
}

/**
 * One open port and its connections. `open`, from the start; `closing`: nobody new is accepted and each connection is
 * ended in order; it is closed when the last of them is gone.
 */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  #closing: Promise<void> | null = null;
  #closed: () => void = () => {};
  #complainedAtMs = -Infinity;

  private constructor(options: ListenerOptions, server: Server) {
    this.#options = options;
    this.#server = server;
    server.on("connection", (socket) => this.#accept(socket));
  }

  /** Opens the port. Error: WH_LISTEN. */
  static async open(options: ListenerOptions): Promise<Listener> {
    const server = createServer({
      allowHalfOpen: true,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
    });
    const listener = new Listener(options, server);
    await listen(server, options);
    // One client could not be accepted; all others are served on. (Where only descriptors are short, Node hangs up on it
    // without a word to us.)
    server.on("error", (error) => listener.#complain(error));
    return listener;
  }

  /** The port that is open. */
  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : this.#options.port;
  }

  /** Accepts nobody any more and ends each connection in order. Fulfilled when all are gone. May be called twice. */
  close(): Promise<void> {
    this.#closing ??= new Promise((resolve) => {
      this.#closed = resolve;
      this.#server.close(() => this.#endIfEmpty());
      for (const connection of this.#connections) connection.finish();
    });
    return this.#closing;
  }

  // The server is closed before the last sockets have told their ends.
  #endIfEmpty(): void {
    if (!this.#server.listening && this.#connections.size === 0) this.#closed();
  }

  /** Cuts the connections that are left. */
  destroyConnections(): void {
    for (const connection of this.#connections) connection.destroy();
  }

  #accept(socket: Socket): void {
    const { createCodec, createSession, connections, idleWatch, context } = this.#options;
    connections.opened(socket);
    const session = createSession(() => `${socket.remoteAddress ?? "?"}:${socket.remotePort ?? "?"}`);
    const connection = new Connection(socket, createCodec(), { session, context });
    this.#connections.add(connection);
    idleWatch.add(connection);
    socket.on("close", () => {
      this.#connections.delete(connection);
      idleWatch.delete(connection);
      connections.closed(socket);
      this.#endIfEmpty();
    });
    if (this.#closing !== null) connection.finish();
  }

  #complain(error: Error): void {
    const { clock, log } = this.#options.context;
    const now = clock.monotonicMs();
    if (now - this.#complainedAtMs < COMPLAIN_EVERY_MS) return;
    this.#complainedAtMs = now;
    log.error({ error: describeError(error) }, "a connection could not be accepted");
  }
}

function listen(server: Server, { host, port, backlog }: ListenerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => reject(listenFailure(error, `${host}:${port}`));
    server.once("error", fail);
    server.listen({ host, port, ...(backlog === null ? {} : { backlog }) }, () => {
      server.off("error", fail);
      resolve();
    });
  });
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is in use",
  EACCES: "no permission to open the port",
  EADDRNOTAVAIL: "the address is none of this machine's",
  ENOTFOUND: "the address is unknown",
};

function listenFailure(error: Error, place: string): WindhoverError {
  const code = "code" in error ? String(error.code) : "";
  const reason = REASONS[code] ?? describeError(error);
  return new WindhoverError("WH_LISTEN", `cannot listen on ${place}: ${reason}`, { cause: error });
}
