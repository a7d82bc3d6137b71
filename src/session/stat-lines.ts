import type { StatLine } from "../protocol/reply.js";
import type { Queue } from "../queue/queue.js";
import type { SessionContext } from "./session-context.js";

/** All figures, under Kestrel's names and in its order: first the server's, then each queue's. Ours come last. */
export function statLines(context: SessionContext): StatLine[] {
  const queues = context.queues.list();
  return [...serverLines(context, queues), ...queues.flatMap(queueLines)];
}

function serverLines(context: SessionContext, queues: readonly Queue[]): StatLine[] {
  const { clock, counters, connections } = context;
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
    ["queue_expires", "0"],
    ["waits_cut_short", `${counters.waitsCutShort}`],
  ];
}

function queueLines(queue: Queue): StatLine[] {
  const figures = queue.stats();
  const line = (stat: string, value: number): StatLine => [`queue_${queue.name}_${stat}`, `${value}`];
  return [
    line("items", figures.items),
    line("bytes", figures.bytes),
    line("total_items", figures.totalItems),
    line("logsize", figures.logBytes),
    line("expired_items", figures.expiredItems),
    line("mem_items", figures.memItems),
    line("mem_bytes", figures.memBytes),
    line("age", Math.round(figures.ageMs)),
    line("discarded", figures.discarded),
    line("waiters", figures.waiters),
    line("open_transactions", figures.openTransactions),
    line("transactions", figures.transactions),
    line("canceled_transactions", figures.canceledTransactions),
    line("total_flushes", figures.totalFlushes),
    line("lost", figures.lost),
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
