import type { StatLine } from "../protocol/reply.js";
import type { Queue } from "../queue/queue.js";
import type { SessionContext } from "./session-context.js";

/** What clients may use beyond Kestrel. One who asks a real Kestrel for it takes items for good or is hung up on. */
const CAPABILITIES = "open/n,open/id,close=id,abort=id,abort/delay,set/delay,peek/n,peek/at";

/** The server's own figures, Kestrel's first. */
export function serverFigures(context: SessionContext): readonly StatLine[] {
  const { clock, counters, connections } = context;
  const queues = context.queues.list();
  return [
    ["uptime", seconds(clock.monotonicMs() - context.startedAtMs)],
    ["time", seconds(clock.wallMs())],
    ["version", context.version],
    ["curr_items", sum(queues, (queue) => queue.items)],
    ["total_items", `${context.queues.totalItems}`],
    ["bytes", sum(queues, (queue) => queue.bytes)],
    ["reserved_memory_ratio", reservedRatio(queues, context.memoryBytes)],
    ["curr_connections", `${connections.current}`],
    ["total_connections", `${connections.total}`],
    ["cmd_get", `${counters.gets}`],
    ["cmd_set", `${counters.sets}`],
    ["cmd_peek", `${counters.peeks}`],
    ["get_hits", `${counters.hits}`],
    ["get_misses", `${counters.misses}`],
    ["bytes_read", `${counters.bytesRead}`],
    ["bytes_written", `${counters.bytesWritten}`],
    ["queue_creates", `${context.queues.creates}`],
    ["queue_deletes", `${context.queues.deletes}`],
    ["queue_expires", `${context.queues.expires}`],
    ["cmd_monitor", `${counters.monitors}`],
    ["waits_cut_short", `${counters.waitsCutShort}`],
    ["closes_of_nothing", `${counters.closesOfNothing}`],
    ...(context.extensions ? [["capabilities", CAPABILITIES] as const] : []),
  ];
}

function seconds(ms: number): string {
  return `${Math.floor(ms / 1000)}`;
}

function sum(queues: readonly Queue[], figure: (queue: Queue) => number): string {
  return `${queues.reduce((total, queue) => total + figure(queue), 0)}`;
}

/** How much of the memory the queues could fill together, as Kestrel writes it: with three decimals. */
function reservedRatio(queues: readonly Queue[], memoryBytes: number): string {
  const reserved = queues.reduce((total, queue) => total + queue.settings.maxMemoryBytes, 0);
  return (reserved / memoryBytes).toFixed(3);
}
