import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";

/** Longer than any server takes to open its port. */
const PATIENCE_MS = 10_000;
const TRY_EVERY_MS = 20;

/** A loopback port that nobody listens on now, for servers that cannot pick one themselves. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Waits until somebody listens on a loopback port. */
export async function accepts(port: number): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await canConnect(port))) {
    if (performance.now() > deadline) throw new Error(`nothing listens on port ${port} after ${PATIENCE_MS / 1000} s`);
    await pause(TRY_EVERY_MS);
  }
}

async function canConnect(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
