import type { QueueSettings, ServerSettings } from "./settings.js";

/** What queues inherit from each other is told by these two. */
export type QueueSections = Pick<ServerSettings, "queueDefaults" | "queues">;

/** What one place says about a queue. */
export interface Layer {
  /** `default`, the name of the queue whose section it is, or the rule that says it. */
  readonly from: { readonly kind: "default" | "queue" | "rule"; readonly name: string };
  readonly values: Partial<QueueSettings>;
}

const DEAD_SUFFIX = "_dead";
/** The longest queue name that `_dead` fits behind. */
const MAX_BASE_BYTES = 250 - DEAD_SUFFIX.length;

const DEAD_LETTERS_STAY = { maxAgeMs: Infinity, maxAttempts: Infinity };

/** The settings of the queue `name`: key by key its own, else its parent's if it is a fanout child, else the defaults. */
export function settingsFor(settings: QueueSections, name: string): QueueSettings {
  const layers = layersOf(settings, name);
  if (layers.length === 0) return settings.queueDefaults;
  return Object.assign({}, settings.queueDefaults, ...layers.map((layer) => layer.values)) as QueueSettings;
}

/** Everything besides the defaults that counts for the queue `name`; of two that disagree the later one is right. */
export function layersOf(settings: QueueSections, name: string): readonly Layer[] {
  const parent = parentOf(name);
  const layers: Layer[] = [];
  for (const queue of parent === null ? [name] : [parent, name]) {
    if (isDeadLetterQueue(settings, queue))
      layers.push(rule("a dead-letter queue does not inherit it", DEAD_LETTERS_STAY));
    const values = settings.queues.get(queue);
    if (values !== undefined) layers.push({ from: { kind: "queue", name: queue }, values });
  }
  const target = inherited(settings, layers, "expireToQueue");
  if (target === name) layers.push(rule("a queue does not expire into itself", { expireToQueue: null }));
  if (parent !== null && inherited(settings, layers, "fanoutOnly"))
    layers.push(rule("a fanout child keeps its items", { fanoutOnly: false }));
  return layers;
}

/** The fanout's parent, `orders` of `orders+audit`, or null if the queue is no child. */
export function parentOf(name: string): string | null {
  const plus = name.indexOf("+");
  return plus === -1 ? null : name.slice(0, plus);
}

/**
 * Where the items of the queue `name` go after `max_attempts`. Without a `dead_letter_queue` that is `<queue>_dead`; the
 * children of a fanout share their parent's, because `orders+audit_dead` would be one more child and be fed every order.
 */
export function deadLetterQueueOf(settings: QueueSections, name: string): string {
  return settingsFor(settings, name).deadLetterQueue ?? usualDeadLetterQueue(name);
}

function usualDeadLetterQueue(name: string): string {
  return (parentOf(name) ?? name).slice(0, MAX_BASE_BYTES) + DEAD_SUFFIX;
}

function rule(name: string, values: Partial<QueueSettings>): Layer {
  return { from: { kind: "rule", name }, values };
}

function inherited<K extends keyof QueueSettings>(
  settings: QueueSections,
  layers: readonly Layer[],
  key: K,
): QueueSettings[K] {
  for (let i = layers.length - 1; i >= 0; i--) {
    const value = layers[i]?.values[key];
    if (value !== undefined) return value;
  }
  return settings.queueDefaults[key];
}

/** Whether some queue sends its failed items to the queue `name`. */
function isDeadLetterQueue(settings: QueueSections, name: string): boolean {
  if (settings.queueDefaults.deadLetterQueue === name || configuredTargets(settings.queues).has(name)) return true;
  if (!name.endsWith(DEAD_SUFFIX) || name.length === DEAD_SUFFIX.length) return false;
  const source = settingsFor(settings, name.slice(0, -DEAD_SUFFIX.length));
  return source.maxAttempts !== Infinity && source.deadLetterQueue === null;
}

const targetsOf = new WeakMap<ServerSettings["queues"], ReadonlySet<string>>();

/** The dead-letter queues that sections of their own name or have. Found once for each configuration, not for each queue. */
function configuredTargets(queues: ServerSettings["queues"]): ReadonlySet<string> {
  const known = targetsOf.get(queues);
  if (known !== undefined) return known;
  const targets = new Set<string>();
  for (const [name, { deadLetterQueue, maxAttempts = Infinity }] of queues) {
    if (typeof deadLetterQueue === "string") targets.add(deadLetterQueue);
    else if (maxAttempts !== Infinity) targets.add(usualDeadLetterQueue(name));
  }
  targetsOf.set(queues, targets);
  return targets;
}
