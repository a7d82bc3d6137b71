import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { projectRoot } from "../helpers/start-server.js";
import { within } from "../helpers/within.js";
import type { Client } from "./client.js";

/** No script lives longer, whatever becomes of the test. */
const MAX_LIFE_MS = 60_000;

type Reply = { readonly result: unknown } | { readonly error: string };

/**
 * A client library of another language, in a process of its own: a small script in `scripts/` that answers each line of
 * JSON `{"do": "get", "key": …}` with one line, `{"result": …}` or `{"error": …}`. Items travel in base64.
 */
export class ScriptClient implements Client {
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;
  readonly #lines: AsyncIterator<string>;
  #stderr = "";

  /** `command` is the interpreter with its own flags; the options are handed to the script as JSON. */
  constructor(command: readonly string[], script: string, options: object) {
    const [interpreter = "", ...flags] = command;
    const path = join(projectRoot(), "test", "external", "scripts", script);
    this.#child = spawn(interpreter, [...flags, path, JSON.stringify(options)], {
      stdio: ["pipe", "pipe", "pipe"],
      timeout: MAX_LIFE_MS,
      killSignal: "SIGKILL",
    });
    this.#exit = once(this.#child, "close");
    this.#child.stdin?.on("error", () => {});
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
    });
    this.#lines = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  }

  async put(queue: string, data: Buffer): Promise<boolean> {
    return (await this.ask("put", { queue, data: data.toString("base64") })) === true;
  }

  async get(key: string): Promise<Buffer | null> {
    const result = await this.ask("get", { key });
    return typeof result === "string" ? Buffer.from(result, "base64") : null;
  }

  async delete(queue: string): Promise<boolean> {
    return (await this.ask("delete", { queue })) === true;
  }

  async flushAll(): Promise<boolean> {
    return (await this.ask("flushAll", {})) === true;
  }

  async stats(): Promise<Readonly<Record<string, string>>> {
    return (await this.ask("stats", {})) as Readonly<Record<string, string>>;
  }

  async version(): Promise<string> {
    return String(await this.ask("version", {}));
  }

  /** Lets the script come to its end, which must be a clean one. */
  async close(): Promise<void> {
    this.#child.stdin?.end();
    await within(this.#exit, "the end of a script");
    if (this.#stderr !== "" || (this.#child.exitCode ?? 0) !== 0) throw new Error(`the script failed: ${this.#stderr}`);
  }

  /** Kills the script. */
  async leave(): Promise<void> {
    this.#child.kill("SIGKILL");
    await within(this.#exit, "the end of a killed script");
  }

  /** Has the script do something, and returns what came of it. */
  async ask(what: string, words: Readonly<Record<string, string>>): Promise<unknown> {
    this.#child.stdin?.write(`${JSON.stringify({ do: what, ...words })}\n`);
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error(`the script ended: ${this.#stderr}`);
    const reply = JSON.parse(String(value)) as Reply;
    if ("error" in reply) throw new Error(reply.error);
    return reply.result;
  }
}
