import { QUEUE_SECTION } from "./queue-schema.js";
import { initialValues } from "./schema.js";
import { SERVER_SECTION, type ServerValues } from "./server-schema.js";
import type { QueueSettings, ServerSettings } from "./settings.js";

/** What holds for every queue unless the configuration says otherwise: Kestrel's defaults. */
export const DEFAULT_QUEUE_SETTINGS: QueueSettings = initialValues(QUEUE_SECTION.table);

/** The server's own settings, with the ports where ServerSettings has them. */
export function withPorts({
  memcachePort,
  ...values
}: ServerValues): Omit<ServerSettings, "listeners" | "queueDefaults" | "queues" | "aliases" | "notes"> {
  return { ...values, ports: { memcache: memcachePort } };
}

/** What a server does when it is told nothing. It listens on the loopback address only. */
export const DEFAULT_SETTINGS: ServerSettings = {
  ...withPorts(initialValues(SERVER_SECTION.table)),
  listeners: [],
  queueDefaults: DEFAULT_QUEUE_SETTINGS,
  queues: new Map(),
  aliases: new Map(),
  notes: [],
};
