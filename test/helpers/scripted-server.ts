import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { Test } from "tap";

/** A request as a client sent it: its line, and the data of a `set`. */
export interface ScriptedRequest {
  readonly line: string;
  readonly data: Buffer;
  readonly socket: Socket;
}

/** What to answer; null is nothing, now or ever. */
export type Script = (request: ScriptedRequest) => string | Buffer | null;

export interface ScriptedServer {
  readonly port: number;
  /** The lines of all requests so far. */
  readonly lines: readonly string[];
  readonly sockets: readonly Socket[];
}

/** A server on the loopback address that says what a test tells it to, for clients that are to be shown odd answers. */
export async function startScriptedServer(t: Test, script: Script): Promise<ScriptedServer> {
  const lines: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    let input: Buffer = Buffer.alloc(0);
    socket.on("error", () => {});
    // Later, so that a script may still say something.
    socket.on("end", () => setImmediate(() => socket.end()));
    socket.on("data", (chunk) => {
      input = Buffer.concat([input, chunk]);
      for (let taken = takeRequest(input); taken !== null; taken = takeRequest(input)) {
        input = taken.rest;
        lines.push(taken.line);
        const answer = script({ line: taken.line, data: taken.data, socket });
        if (answer !== null) socket.write(answer);
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  return { port: (server.address() as AddressInfo).port, lines, sockets };
}

function takeRequest(input: Buffer): { line: string; data: Buffer; rest: Buffer } | null {
  const end = input.indexOf("\r\n");
  if (end === -1) return null;
  const line = input.toString("latin1", 0, end);
  const words = line.split(" ");
  if (words[0] !== "set") return { line, data: Buffer.alloc(0), rest: input.subarray(end + 2) };
  const dataEnd = end + 2 + Number(words[4]);
  if (input.length < dataEnd + 2) return null;
  return { line, data: input.subarray(end + 2, dataEnd), rest: input.subarray(dataEnd + 2) };
}

/** A script that is a whole small queue server: set, get and peek of one shared set of queues, without waiting. */
export function tinyQueues(): Script {
  const queues = new Map<string, Buffer[]>();
  const itemsOf = (name: string): Buffer[] => {
    const items = queues.get(name) ?? [];
    queues.set(name, items);
    return items;
  };
  return ({ line, data }) => {
    const [word = "", key = ""] = line.split(" ");
    const [name = "", ...options] = key.split("/");
    if (word === "set") {
      itemsOf(name).push(Buffer.from(data));
      return "STORED\r\n";
    }
    if (word !== "get" || options.includes("close")) return "END\r\n";
    const item = options.includes("peek") ? itemsOf(name)[0] : itemsOf(name).shift();
    return item === undefined ? "END\r\n" : valueAnswer(name, item);
  };
}

/** The answer to a fetch that found `data`. */
export function valueAnswer(name: string, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`VALUE ${name} 0 ${data.length}\r\n`, "latin1"), data, Buffer.from("\r\nEND\r\n")]);
}
