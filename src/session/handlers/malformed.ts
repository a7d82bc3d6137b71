import type { MalformedCommand } from "../../protocol/command.js";
import { CUT_OFF, clientError, HANG_UP, type Reply, SILENCE } from "../../protocol/reply.js";
import type { Session } from "../session.js";

/** What is no command: the codec has decided what becomes of it. */
export function malformed(session: Session, command: MalformedCommand): Reply {
  if (command.notice !== undefined) session.context.log.warn({ peer: session.peer }, command.notice);
  if (!command.silent) return clientError(command.message, command.close);
  // memjs, which speaks the binary protocol, waits for ever for an answer after an orderly end.
  if (command.notice !== undefined) return CUT_OFF;
  return command.close ? HANG_UP : SILENCE;
}
