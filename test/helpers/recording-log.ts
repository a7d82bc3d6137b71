import type { Log } from "../../src/log.js";

/** One line that was logged. */
export interface LogLine {
  readonly level: "trace" | "debug" | "info" | "warn" | "error";
  readonly facts: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** A log that keeps its lines for a test to look at. */
export class RecordingLog implements Log {
  readonly lines: LogLine[];
  readonly #facts: object;

  constructor(lines: LogLine[] = [], facts: object = {}) {
    this.lines = lines;
    this.#facts = facts;
  }

  /** The lines of warnings and errors. */
  get complaints(): readonly LogLine[] {
    return this.lines.filter(({ level }) => level === "warn" || level === "error");
  }

  trace(facts: object, message: string): void {
    this.#add("trace", facts, message);
  }

  debug(facts: object, message: string): void {
    this.#add("debug", facts, message);
  }

  info(facts: object, message: string): void {
    this.#add("info", facts, message);
  }

  warn(facts: object, message: string): void {
    this.#add("warn", facts, message);
  }

  error(facts: object, message: string): void {
    this.#add("error", facts, message);
  }

  child(facts: object): Log {
    return new RecordingLog(this.lines, { ...this.#facts, ...facts });
  }

  #add(level: LogLine["level"], facts: object, message: string): void {
    this.lines.push({ level, facts: { ...this.#facts, ...facts }, message });
  }
}
