"""python3-memcache: {"port", "timeoutMs"} as JSON on the command line. It puts and gets values of Python's, pickled."""

import json
import sys

import memcache
from answer_lines import answer_lines

options = json.loads(sys.argv[1])
client = memcache.Client(
    ["127.0.0.1:%d" % options["port"]],
    socket_timeout=options["timeoutMs"] / 1000,
)

answer_lines(
    {
        "putValue": lambda queue, value: client.set(queue, json.loads(value)) is not False,
        "getValue": lambda key: json.dumps(client.get(key)),
        "delete": lambda queue: client.delete(queue) == 1,
        "flushAll": lambda: client.flush_all(),
    }
)
client.disconnect_all()
