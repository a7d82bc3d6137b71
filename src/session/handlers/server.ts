import { describeError } from "../../errors.js";
import type {
  QuitCommand,
  ReloadCommand,
  ShutdownCommand,
  StatusCommand,
  VerbosityCommand,
  VersionCommand,
} from "../../protocol/command.js";
import { clientError, END, HANG_UP, OK, RELOADED, type Reply, SILENCE, serverError } from "../../protocol/reply.js";
import { statusOf } from "../../status/server-status.js";
import type { Answer } from "../answer.js";
import type { Session } from "../session.js";

/** `version`: clients use it as a heartbeat. */
export function version(session: Session, _command: VersionCommand): Reply {
  return { kind: "version", version: session.context.version };
}

/** `verbosity`: changes nothing; the log's level is the operator's. */
export function verbosity(_session: Session, command: VerbosityCommand): Reply {
  return command.noreply ? SILENCE : OK;
}

/** `status`: tells or changes it. What cannot be kept in the status file is not changed. */
export function status(session: Session, { name }: StatusCommand): Answer {
  const { context } = session;
  if (name === null) return { kind: "status", status: context.status.current.toUpperCase() };
  const wanted = statusOf(name);
  if (wanted === null) return clientError("unknown status", true);
  const answer = context.status.set(wanted).then(
    () => END,
    (error: unknown) => serverError(`the status cannot be kept: ${describeError(error)}`, true),
  );
  return session.hold(answer);
}

/** `reload`: reads the configuration again. If anything in it is wrong, nothing is changed. */
export function reload(session: Session, _command: ReloadCommand): Answer {
  const { context, peer } = session;
  context.log.info({ peer }, "a client asked for a reload");
  const answer = context.reload().then(
    () => RELOADED,
    (error: unknown) => serverError(describeError(error), false),
  );
  return session.hold(answer);
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
