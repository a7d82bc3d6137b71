import type { Command } from "../protocol/command.js";
import type { ReplyStream } from "../protocol/reply.js";
import type { Answer } from "./answer.js";
import { confirm } from "./handlers/confirm.js";
import { deleteQueue } from "./handlers/delete.js";
import { dumpConfig, dumpStats } from "./handlers/dump.js";
import { fetchItem } from "./handlers/fetch.js";
import { flushAll, flushAllExpired, flushExpired, flushQueue } from "./handlers/flush.js";
import { malformed } from "./handlers/malformed.js";
import { monitor } from "./handlers/monitor.js";
import { oversizedPut, putItem } from "./handlers/put.js";
import { quit, reload, shutdown, status, verbosity, version } from "./handlers/server.js";
import { stats } from "./handlers/stats.js";
import type { Session } from "./session.js";

type Handler<K extends Command["kind"]> = (
  session: Session,
  command: Extract<Command, { readonly kind: K }>,
) => Answer | ReplyStream;

/** Who executes what. Each checks in the same order: is it allowed, is it valid; then it works; then it replies. */
const handlers: { readonly [K in Command["kind"]]: Handler<K> } = {
  put: putItem,
  "oversized-put": oversizedPut,
  fetch: fetchItem,
  monitor,
  confirm,
  delete: deleteQueue,
  flush: flushQueue,
  "flush-all": flushAll,
  "flush-expired": flushExpired,
  "flush-all-expired": flushAllExpired,
  stats,
  "dump-stats": dumpStats,
  "dump-config": dumpConfig,
  status,
  reload,
  version,
  verbosity,
  shutdown,
  quit,
  malformed,
};

/** Executes a command for a client. */
export function dispatch(session: Session, command: Command): Answer | ReplyStream {
  // The table pairs each kind with its own handler, which the compiler has checked above but cannot follow here.
  const handler = handlers[command.kind] as (session: Session, command: Command) => Answer | ReplyStream;
  return handler(session, command);
}
