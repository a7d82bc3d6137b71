import { showName } from "../queue/queue-name.js";
import { deadLetterQueueOf } from "./inheritance.js";
import { memcacheListeners, type QueueSettings, type ServerSettings } from "./settings.js";

/** What no section can know alone: the faults between one section and another, as sentences that begin with the place. */
export function sectionFaults(settings: ServerSettings): readonly string[] {
  return [...portFaults(settings), ...aliasFaults(settings), ...queueFaults(settings)];
}

function* portFaults(settings: ServerSettings): Generator<string> {
  const taken = new Map<string, string>();
  const isFirstOff = settings.ports.memcache === null;
  for (const [index, { listen, port }] of memcacheListeners(settings).entries()) {
    const number = isFirstOff ? index + 1 : index;
    const place = number === 0 ? "server.memcache" : `listener.${number}.port`;
    const address = `${listen} ${port}`;
    const holder = taken.get(address);
    if (holder !== undefined && port !== 0) yield `${place}: ${port} is the port of ${holder} already`;
    taken.set(address, place);
  }
}

function* aliasFaults({ aliases, queues }: ServerSettings): Generator<string> {
  for (const [name, { destinationQueues }] of aliases) {
    const place = `alias.${showName(name)}`;
    if (queues.has(name)) yield `${place}: is a queue already, [queue.${showName(name)}]`;
    for (const destination of destinationQueues) {
      if (aliases.has(destination)) yield `${place}.destination_queues: ${showName(destination)} is an alias itself`;
    }
  }
}

function* queueFaults(settings: ServerSettings): Generator<string> {
  yield* targetFaults("default", settings.queueDefaults, settings);
  for (const [name, own] of settings.queues) {
    const path = `queue.${showName(name)}`;
    yield* targetFaults(path, own, settings);
    if (own.expireToQueue === name) yield `${path}.expire_to_queue: is the queue itself`;
    const failing = own.deadLetterQueue === name || (own.maxAttempts ?? Infinity) !== Infinity;
    if (failing && deadLetterQueueOf(settings, name) === name) yield `${path}.dead_letter_queue: is the queue itself`;
  }
}

/** An alias takes what clients put, not what queues move. */
function* targetFaults(
  path: string,
  { expireToQueue, deadLetterQueue }: Partial<QueueSettings>,
  { aliases }: ServerSettings,
): Generator<string> {
  for (const [key, target] of [
    ["expire_to_queue", expireToQueue],
    ["dead_letter_queue", deadLetterQueue],
  ] as const) {
    if (typeof target === "string" && aliases.has(target)) yield `${path}.${key}: ${showName(target)} is an alias`;
  }
}
