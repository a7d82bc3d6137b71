import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { OwnProcess } from "./own-process.js";
import { pinned } from "./pinned.js";

/** The program as it was compiled beside the load tests. */
const MAIN = fileURLToPath(new URL("../../src/main.js", import.meta.url));

/** What a load test says about the server it wants. */
export interface OwnServerOptions {
  /** A journal directory that stays when the server is stopped; without it a fresh one is made and removed. */
  readonly journal?: string;
  /** The processor core it runs on, if it can be pinned; without it the system decides. */
  readonly core?: number;
  /** More words for its command line. */
  readonly words?: readonly string[];
}

/** A windhover of the load test's own: another process, a free port, a journal that goes with it. */
export class OwnServer {
  readonly port: number;
  /** The time from starting the process until it said that it serves. */
  readonly readyMs: number;
  readonly #process: OwnProcess;
  readonly #directory: string | null;

  private constructor(own: OwnProcess, directory: string | null, port: number, readyMs: number) {
    this.#process = own;
    this.#directory = directory;
    this.port = port;
    this.readyMs = readyMs;
  }

  /** Starts it and waits until it serves; its log goes to stderr. */
  static async start(options: OwnServerOptions = {}): Promise<OwnServer> {
    const directory = options.journal === undefined ? await mkdtemp(join(tmpdir(), "windhover-load-")) : null;
    const journal = options.journal ?? join(directory ?? "", "journal");
    const words = [
      "serve",
      "--memcache",
      "0",
      "--journal",
      journal,
      "--log-level",
      "warn",
      "--ready-json",
      ...(options.words ?? []),
    ];
    const began = performance.now();
    let own: OwnProcess | null = null;
    try {
      own = await OwnProcess.spawn(pinned(options.core, [process.execPath, MAIN, ...words]));
      const port = await readyPort(own);
      return new OwnServer(own, directory, port, performance.now() - began);
    } catch (error) {
      own?.kill();
      if (directory !== null) await rm(directory, { recursive: true, force: true });
      throw error;
    }
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Calls back when it ends before it was stopped. */
  onUnexpectedEnd(tell: (how: string) => void): void {
    this.#process.onUnexpectedEnd((how) => tell(`the server ended by itself with ${how}`));
  }

  /** Ends it as a crash does, and waits until it is gone. Its journal stays. */
  async kill(): Promise<void> {
    this.#process.kill();
    await this.#process.ended;
  }

  /** Stops it and removes its journal, unless that was given. */
  async stop(): Promise<void> {
    await this.#process.stop();
    if (this.#directory !== null) await rm(this.#directory, { recursive: true, force: true });
  }
}

async function readyPort(own: OwnProcess): Promise<number> {
  for await (const line of createInterface({ input: own.stdout })) {
    const ready = JSON.parse(line) as { readonly memcache?: unknown };
    if (typeof ready.memcache === "number") return ready.memcache;
  }
  throw new Error("the server did not start");
}
