import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The program as it was compiled beside the load tests. */
const MAIN = fileURLToPath(new URL("../../src/main.js", import.meta.url));
/** Longer than the server's own grace time. */
const STOP_MS = 20_000;

/** A windhover of the load test's own: another process, a free port, a journal that goes with it. */
export class OwnServer {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #directory: string;
  readonly #killAtExit: () => void;

  private constructor(child: ChildProcess, directory: string, port: number, killAtExit: () => void) {
    this.#child = child;
    this.#directory = directory;
    this.port = port;
    this.#killAtExit = killAtExit;
  }

  /** Starts it and waits until it serves; its log goes to stderr. */
  static async start(): Promise<OwnServer> {
    const directory = await mkdtemp(join(tmpdir(), "windhover-load-"));
    const words = [
      "serve",
      "--memcache",
      "0",
      "--journal",
      join(directory, "journal"),
      "--log-level",
      "warn",
      "--ready-json",
    ];
    const child = spawn(process.execPath, [MAIN, ...words], { stdio: ["ignore", "pipe", "inherit"] });
    const killAtExit = (): void => void child.kill("SIGKILL");
    process.once("exit", killAtExit);
    try {
      return new OwnServer(child, directory, await readyPort(child), killAtExit);
    } catch (error) {
      child.kill("SIGKILL");
      process.off("exit", killAtExit);
      await rm(directory, { recursive: true, force: true });
      throw error;
    }
  }

  /** Calls back when it ends before it was stopped. */
  onUnexpectedEnd(tell: (how: string) => void): void {
    this.#child.once("exit", (code, signal) =>
      tell(`the server ended by itself with ${signal ?? `exit code ${code}`}`),
    );
  }

  /** Stops it and removes its journal. */
  async stop(): Promise<void> {
    this.#child.removeAllListeners("exit");
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const patience = setTimeout(() => this.#child.kill("SIGKILL"), STOP_MS);
      this.#child.kill("SIGTERM");
      await once(this.#child, "exit");
      clearTimeout(patience);
    }
    process.off("exit", this.#killAtExit);
    await rm(this.#directory, { recursive: true, force: true });
  }
}

async function readyPort(child: ChildProcess): Promise<number> {
  if (child.stdout === null) throw new Error("the server's stdout is not a pipe");
  for await (const line of createInterface({ input: child.stdout })) {
    const ready = JSON.parse(line) as { readonly memcache?: unknown };
    if (typeof ready.memcache === "number") return ready.memcache;
  }
  throw new Error("the server did not start");
}
