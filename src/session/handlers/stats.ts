import type { StatsCommand } from "../../protocol/command.js";
import type { Reply } from "../../protocol/reply.js";
import type { Session } from "../session.js";
import { statLines } from "../stat-lines.js";

/** `stats`: all figures of the server and of every queue. */
export function stats(session: Session, _command: StatsCommand): Reply {
  return { kind: "stats", lines: statLines(session.context) };
}
