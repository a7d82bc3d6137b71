import type { Command } from "../protocol/command.js";
import type { Answer } from "./answer.js";
import { deleteQueue } from "./handlers/delete.js";
import { fetchItem } from "./handlers/fetch.js";
import { flushAll, flushQueue } from "./handlers/flush.js";
import { malformed } from "./handlers/malformed.js";
import { oversizedPut, putItem } from "./handlers/put.js";
import { quit, shutdown, verbosity, version } from "./handlers/server.js";
import { stats } from "./handlers/stats.js";
import type { Session } from "./session.js";

type Handler<K extends Command["kind"]> = (session: Session, command: Extract<Command, { readonly kind: K }>) => Answer;

/** Who executes what. Each checks in the same order: is it allowed, is it valid; then it works; then it replies. */
const handlers: { readonly [K in Command["kind"]]: Handler<K> } = {
  put: putItem,
  "oversized-put": oversizedPut,
  fetch: fetchItem,
  delete: deleteQueue,
  flush: flushQueue,
  "flush-all": flushAll,
  stats,
  version,
  verbosity,
  shutdown,
  quit,
  malformed,
};

/** Executes a command for a client. */
export function dispatch(session: Session, command: Command): Answer {
  // The table pairs each kind with its own handler, which the compiler has checked above but cannot follow here.
  const handler = handlers[command.kind] as (session: Session, command: Command) => Answer;
  return handler(session, command);
}
