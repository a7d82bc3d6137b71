import { QUEUE_SECTION } from "../config/queue-schema.js";
import { entriesOf } from "../config/schema.js";
import type { QueueSettings } from "../config/settings.js";
import type { StatLine } from "../protocol/reply.js";

/** What holds for a queue, each setting as it would stand in the configuration file. */
export function configLines(settings: QueueSettings): readonly StatLine[] {
  return entriesOf(QUEUE_SECTION.table).map(({ field, setting }) => {
    // A name in it is UTF-8, and goes over the wire as it stands in the file.
    const shown = Buffer.from(setting.kind.show(settings[field]), "utf8");
    return [setting.key, shown.toString("latin1")];
  });
}
