import type { StatLine } from "../protocol/reply.js";
import type { Queue } from "../queue/queue.js";
import type { Queues } from "../queue/queues.js";

/** The names of all that has figures: the queues and the aliases. */
export function reportedQueues(queues: Queues): readonly string[] {
  const aliases = queues.aliases().filter(({ name }) => queues.find(name) === undefined);
  return [...queues.list(), ...aliases].map(({ name }) => name);
}

/** The figures of a queue or an alias; of one that is not there any more, none. */
export function figuresOf(queues: Queues, name: string): readonly StatLine[] {
  const queue = queues.find(name);
  if (queue !== undefined) return queueFigures(queue, queues.childrenOf(name));
  const alias = queues.aliases().find((one) => one.name === name);
  if (alias === undefined) return [];
  return [
    ["put_items", `${alias.putItems}`],
    ["put_bytes", `${alias.putBytes}`],
    ["children", alias.children.join(",")],
  ];
}

/** The same as `stats` has them, where the figures of all queues stand side by side. */
export function prefixed(queue: string, figures: readonly StatLine[]): readonly StatLine[] {
  return figures.map(([name, value]) => [`queue_${queue}_${name}`, value]);
}

// None of ours ends like one of Kestrel's: its own client would find queues of strange names in them.
function queueFigures(queue: Queue, children: readonly string[]): readonly StatLine[] {
  const figures = queue.stats();
  return [
    ["items", `${figures.items}`],
    ["bytes", `${figures.bytes}`],
    ["total_items", `${figures.totalItems}`],
    ["logsize", `${figures.logBytes}`],
    ["expired_items", `${figures.expiredItems}`],
    ["mem_items", `${figures.memItems}`],
    ["mem_bytes", `${figures.memBytes}`],
    ["age", `${Math.round(figures.ageMs)}`],
    ["discarded", `${figures.discarded}`],
    ["waiters", `${figures.waiters}`],
    ["open_transactions", `${figures.openTransactions}`],
    ["transactions", `${figures.transactions}`],
    ["canceled_transactions", `${figures.canceledTransactions}`],
    ["total_flushes", `${figures.totalFlushes}`],
    ["journal_rewrites", `${figures.journalRewrites}`],
    ["journal_rotations", `${figures.journalRotations}`],
    ...(children.length === 0 ? [] : [["children", children.join(",")] as const]),
    ["delayed", `${figures.delayed}`],
    ["dead_lettered", `${figures.deadLettered}`],
    ["oldest_open_ms", `${Math.round(figures.oldestOpenMs)}`],
    ["expire_blocked", `${figures.expireBlocked}`],
    ["lost", `${figures.lost}`],
  ];
}
