/**
 * The catalogue: every error that windhover raises, by its stable code. A client's mistake is a reply, not one of these;
 * these are failures of the server, of its surroundings or of its configuration.
 */
export type ErrorCode =
  | "WH_JOURNAL_LOCKED" // another process holds the journal directory
  | "WH_JOURNAL_UNREADABLE" // the journal directory cannot be opened or read
  | "WH_JOURNAL_FORMAT" // the journal was written by a version that this one does not understand
  | "WH_WRITE_FAILED" // a batch did not reach the journal; whether the item survives is unknown
  | "WH_WRITES_BLOCKED" // no write is accepted now: the journal failed or its disk is nearly full
  | "WH_CLOSED" // the queue, journal or server is closing
  | "WH_CONFIG" // the configuration is wrong
  | "WH_USAGE" // the command line is wrong
  | "WH_LISTEN" // a port cannot be opened
  | "WH_CLIENT_DOWN" // the client library cannot reach the server, or the connection broke
  | "WH_CLIENT_TIMEOUT" // the server did not answer in time
  | "WH_CLIENT_PROTOCOL" // the server answered with something that is not an answer
  | "WH_SERVER_REFUSED"; // the server answered CLIENT_ERROR, SERVER_ERROR or ERROR

/** An error with a stable code. */
export class WindhoverError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = "WindhoverError";
    this.code = code;
  }
}

/** The message of anything that was thrown, with its causes, in one line. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : `: ${describeError(error.cause)}`;
  return `${error.message}${cause}`.replace(/\s*\n\s*/g, " ");
}
