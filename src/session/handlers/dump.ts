import type { DumpConfigCommand, DumpStatsCommand } from "../../protocol/command.js";
import type { Reply, ReplyStream, StatLine } from "../../protocol/reply.js";
import { configLines } from "../config-lines.js";
import { figuresOf, reportedQueues } from "../queue-figures.js";
import type { Session } from "../session.js";
import { inSlices } from "../sliced-reply.js";

/** `dump_stats`: the figures of all queues or of those that are named, queue by queue. */
export function dumpStats({ context }: Session, command: DumpStatsCommand): Reply | ReplyStream {
  return dump(command.queues, reportedQueues(context.queues), (queue) => figuresOf(context.queues, queue));
}

/** `dump_config`: the same with what holds for each queue; one that is named need not exist. */
export function dumpConfig({ context }: Session, command: DumpConfigCommand): Reply | ReplyStream {
  const existing = context.queues.list().map(({ name }) => name);
  return dump(command.queues, existing, (queue) => configLines(context.queueSettings(queue)));
}

function dump(
  asked: readonly string[],
  existing: readonly string[],
  linesOf: (queue: string) => readonly StatLine[],
): Reply | ReplyStream {
  return inSlices(asked.length > 0 ? asked : existing, (queues, { isLast }) => {
    return { kind: "dump", blocks: queues.map((queue) => ({ queue, lines: linesOf(queue) })), isLast };
  });
}
