import type { QuitCommand, ShutdownCommand, VerbosityCommand, VersionCommand } from "../../protocol/command.js";
import { HANG_UP, OK, type Reply, SILENCE } from "../../protocol/reply.js";
import type { Session } from "../session.js";

/** `version`: clients use it as a heartbeat. */
export function version(session: Session, _command: VersionCommand): Reply {
  return { kind: "version", version: session.context.version };
}

/** `verbosity`: changes nothing; the log's level is the operator's. */
export function verbosity(_session: Session, command: VerbosityCommand): Reply {
  return command.noreply ? SILENCE : OK;
}

/** `shutdown`: stops the server in order, this connection among the rest. */
export function shutdown(session: Session, _command: ShutdownCommand): Reply {
  session.context.log.info({ peer: session.peer }, "a client asked for the shutdown");
  session.context.shutDown();
  return HANG_UP;
}

/** `quit`: closes without a word. */
export function quit(_session: Session, _command: QuitCommand): Reply {
  return HANG_UP;
}
