import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { until, within } from "./within.js";

/** What a test says about the server it wants. */
export interface ServerOptions {
  /** The text of a TOML configuration. */
  readonly config?: string;
  /** More words for `serve`. */
  readonly args?: readonly string[];
  /** Flags for Node itself. */
  readonly nodeArgs?: readonly string[];
  /**
   * Without what the test runner adds to every Node process. It starts in a third of the time, but its coverage is not seen;
   * and a write beyond `limitFileSize` fails instead of ending it.
   */
  readonly bare?: boolean;
  /** A journal directory of the test's own, which is left alone at the end. Without it a fresh one is made and removed. */
  readonly journalDir?: string;
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** How a server that was not meant to serve ended. */
export interface FailedStart extends Exit {
  readonly stdout: string;
  readonly stderr: string;
}

/** A server's longest way from the signal to its end; the grace time is 10 s by default. */
const STOP_MS = 30_000;
const START_MS = 60_000;

/** The servers that run now. Whatever happens to the test's process, they end with it. */
const running = new Set<ChildProcess>();
process.on("exit", killAll);
process.once("SIGTERM", () => {
  killAll();
  if (process.listenerCount("SIGTERM") === 0) process.kill(process.pid, "SIGTERM");
});

function killAll(): void {
  for (const child of running) child.kill("SIGKILL");
}

/** How many servers this process has running. */
export function runningServers(): number {
  return running.size;
}

/**
 * The real server in a process of its own. It serves from `start` to `stop` or `kill9` and again after `restart`; `dispose`
 * ends it for good, fails unless it ended cleanly, and removes its directory.
 */
export class TestServer {
  readonly journalDir: string;
  readonly #options: ServerOptions;
  readonly #home: string;
  #process: ServerProcess | null = null;

  private constructor(options: ServerOptions, home: string) {
    this.#options = options;
    this.#home = home;
    this.journalDir = options.journalDir ?? join(home, "journal");
  }

  /** Starts a server and waits until it serves. */
  static async start(options: ServerOptions = {}): Promise<TestServer> {
    const server = new TestServer(options, await mkdtemp(join(tmpdir(), "windhover-test-")));
    try {
      await server.restart();
    } catch (error) {
      await server.dispose();
      throw error;
    }
    return server;
  }

  /** Starts a server that will not serve, and tells how it ended. */
  static async startFailing(options: ServerOptions): Promise<FailedStart> {
    const server = new TestServer(options, await mkdtemp(join(tmpdir(), "windhover-test-")));
    const child = new ServerProcess(await server.#words(), options);
    try {
      const exit = await within(child.exit, "the end of a server that cannot start", START_MS);
      return { ...exit, stdout: child.stdout.join("\n"), stderr: child.stderr.join("\n") };
    } finally {
      child.kill("SIGKILL");
      await child.exit;
      await rm(server.#home, { recursive: true });
    }
  }

  /** The memcache port. */
  get port(): number {
    return this.#current.port;
  }

  /** The ports of the [[listener]] sections. */
  get listeners(): readonly number[] {
    return this.#current.listeners;
  }

  get pid(): number {
    return this.#current.pid;
  }

  /** What the server has said on stderr since it was started last, by line. */
  get stderr(): readonly string[] {
    return this.#current.stderr;
  }

  /** When it ends, and how. */
  get exit(): Promise<Exit> {
    return this.#current.exit;
  }

  get #current(): ServerProcess {
    if (this.#process === null) throw new Error("the server is not running");
    return this.#process;
  }

  /** Changes the configuration file of a server that was started with one; it reads it when it is told to. */
  async writeConfig(text: string): Promise<void> {
    await writeFile(this.#configFile, text);
  }

  /** Sends a signal that does not end it. */
  signal(signal: NodeJS.Signals): void {
    this.#current.kill(signal);
  }

  /** Waits for a line on stderr that is like `pattern`. */
  async logged(pattern: RegExp): Promise<void> {
    await until(`a log line like ${pattern}`, async () => this.stderr.some((line) => pattern.test(line)));
  }

  /** Ends it with SIGTERM; the end must be a clean one. */
  async stop(): Promise<void> {
    const child = this.#current;
    child.kill("SIGTERM");
    const exit = await within(child.exit, "the end of the server after SIGTERM", STOP_MS);
    this.#process = null;
    if (exit.code !== 0) throw new Error(`the server ended with ${JSON.stringify(exit)}: ${child.stderr.join("\n")}`);
  }

  /** Ends it as a crash does. */
  async kill9(): Promise<void> {
    const child = this.#current;
    child.kill("SIGKILL");
    await within(child.exit, "the end of the server after SIGKILL");
    this.#process = null;
  }

  /** Starts it on its directory, after ending it cleanly if it runs. The port is another one. */
  async restart(): Promise<void> {
    if (this.#process !== null) await this.stop();
    this.#process = new ServerProcess(await this.#words(), this.#options);
    await this.#process.ready();
  }

  /** Ends it and removes what it left. */
  async dispose(): Promise<void> {
    try {
      if (this.#process !== null && !this.#process.ended) await this.stop();
    } finally {
      this.#process?.kill("SIGKILL");
      await this.#process?.exit;
      await rm(this.#home, { recursive: true });
    }
  }

  get #configFile(): string {
    return join(this.#home, "windhover.toml");
  }

  async #words(): Promise<string[]> {
    const words = ["serve", "--listen", "127.0.0.1", "--memcache", "0", "--journal", this.journalDir, "--ready-json"];
    if (this.#options.config !== undefined) {
      if (!existsSync(this.#configFile)) await writeFile(this.#configFile, this.#options.config);
      words.push("--config", this.#configFile);
    }
    return [...words, ...(this.#options.args ?? [])];
  }
}

/** One run of the server's process. */
class ServerProcess {
  readonly stdout: string[] = [];
  readonly stderr: string[] = [];
  readonly exit: Promise<Exit>;
  readonly #child: ChildProcess;
  #port = 0;
  #listeners: readonly number[] = [];

  constructor(words: readonly string[], options: ServerOptions) {
    const node = [process.execPath, ...(options.nodeArgs ?? []), mainScript(), ...words];
    const command = options.bare === true ? ["-u", "NODE_OPTIONS", ...node] : node;
    this.#child = spawn("env", command, { stdio: ["ignore", "pipe", "pipe"] });
    running.add(this.#child);
    this.#collect("stdout");
    this.#collect("stderr");
    this.exit = new Promise((resolve) => {
      this.#child.once("close", (code, signal) => {
        running.delete(this.#child);
        resolve({ code, signal });
      });
    });
  }

  get port(): number {
    return this.#port;
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  get listeners(): readonly number[] {
    return this.#listeners;
  }

  get ended(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Waits for the line that says that the port is open. */
  async ready(): Promise<void> {
    const ended = this.exit.then((exit) => {
      throw new Error(`the server ended before it served, ${JSON.stringify(exit)}: ${this.stderr.join("\n")}`);
    });
    const line = await within(Promise.race([this.#firstLine(), ended]), "the server being ready", START_MS);
    const ready = JSON.parse(line) as {
      readonly ready?: boolean;
      readonly memcache?: number;
      readonly listeners?: readonly number[];
    };
    if (ready.ready !== true || typeof ready.memcache !== "number") throw new Error(`not a ready line: ${line}`);
    this.#port = ready.memcache;
    this.#listeners = ready.listeners ?? [];
  }

  #firstLine(): Promise<string> {
    return new Promise((resolve) => {
      const [first] = this.stdout;
      if (first !== undefined) resolve(first);
      else this.#child.stdout?.once("line-read", resolve);
    });
  }

  #collect(name: "stdout" | "stderr"): void {
    const stream = this.#child[name];
    if (stream === null) throw new Error(`no ${name}`);
    createInterface({ input: stream }).on("line", (line) => {
      this[name].push(line);
      stream.emit("line-read", line);
    });
  }
}

/** The compiled program: the one that was built beside the tests, else the project's `dist`. */
function mainScript(): string {
  const beside = fileURLToPath(new URL("../../src/main.js", import.meta.url));
  return existsSync(beside) ? beside : join(projectRoot(), "dist", "main.js");
}

/** The directory of the project's package.json, wherever this file was compiled to. */
export function projectRoot(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, "package.json"))) {
    const parent = dirname(directory);
    if (parent === directory) throw new Error("no package.json above the tests");
    directory = parent;
  }
  return directory;
}

/** What the system knows of a process's anonymous memory, in bytes (mapped files such as LevelDB's are not counted). */
export async function anonymousMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "latin1");
  const match = /^RssAnon:\s+(\d+) kB$/m.exec(status);
  if (match === null) throw new Error("no RssAnon in the process's status");
  return Number(match[1]) * 1024;
}
