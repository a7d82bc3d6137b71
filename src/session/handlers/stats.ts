import type { StatsCommand } from "../../protocol/command.js";
import type { Reply, ReplyStream } from "../../protocol/reply.js";
import { figuresOf, prefixed, reportedQueues } from "../queue-figures.js";
import { serverFigures } from "../server-figures.js";
import type { Session } from "../session.js";
import { inSlices } from "../sliced-reply.js";

/** `stats`: all figures of the server and of every queue, under Kestrel's names and in its order; ours come last. */
export function stats({ context }: Session, _command: StatsCommand): Reply | ReplyStream {
  return inSlices(reportedQueues(context.queues), (queues, { isFirst, isLast }) => {
    const ofServer = isFirst ? serverFigures(context) : [];
    const ofQueues = queues.flatMap((queue) => prefixed(queue, figuresOf(context.queues, queue)));
    return { kind: "stats", lines: [...ofServer, ...ofQueues], isLast };
  });
}
