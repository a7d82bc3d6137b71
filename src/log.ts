import { pino } from "pino";

/** The levels, from the most to the least talkative. `silent` writes nothing. */
export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";

export const LOG_LEVELS: readonly LogLevel[] = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

/** What the server says to its operator: one line per event worth knowing, with the facts as fields. */
export interface Log {
  trace(facts: object, message: string): void;
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
  /** A log whose lines all carry `facts`. */
  child(facts: object): Log;
}

/** A log on stderr as lines of JSON; stdout carries only what a command was asked for. */
export function createLog(level: LogLevel): Log {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: true }),
  ) as unknown as Log;
}

const nothing = (): void => {};

/** A log that says nothing, for tests and for libraries. */
export const silentLog: Log = {
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  child: () => silentLog,
};
