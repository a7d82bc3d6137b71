"""pymemcache: {"port", "timeoutMs", "noreply", "ignoreExc", "anyKey"} as JSON on the command line."""

import json
import sys

from answer_lines import answer_lines, decoded, encoded
from pymemcache.client.base import Client


class QueueClient(Client):
    """Takes the answer's name for the one that was asked for: the server leaves the options out of it."""

    def _extract_value(self, expect_cas, line, buf, remapped_keys, prefixed_keys):
        remapped_keys = {line.split()[1]: remapped_keys[prefixed_keys[0]]}
        return super()._extract_value(expect_cas, line, buf, remapped_keys, prefixed_keys)


options = json.loads(sys.argv[1])
client = (QueueClient if options["anyKey"] else Client)(
    ("127.0.0.1", options["port"]),
    default_noreply=options["noreply"],
    ignore_exc=options["ignoreExc"],
    timeout=options["timeoutMs"] / 1000,
)


def gets(key):
    data, _cas = client.gets(key)
    return encoded(data)


answer_lines(
    {
        "put": lambda queue, data: client.set(queue, decoded(data)),
        "get": lambda key: encoded(client.get(key)),
        "gets": gets,
        "delete": lambda queue: client.delete(queue),
        "flushAll": lambda: client.flush_all(),
        "stats": lambda: {
            name.decode(): value.decode() if isinstance(value, bytes) else str(value)
            for name, value in client.stats().items()
        },
        "version": lambda: client.version().decode(),
    }
)
client.quit()
