"""pylibmc: {"port", "timeoutMs"} as JSON on the command line."""

import json
import sys

import pylibmc
from answer_lines import answer_lines, decoded, encoded

options = json.loads(sys.argv[1])
client = pylibmc.Client(
    ["127.0.0.1:%d" % options["port"]],
    behaviors={"_poll_timeout": options["timeoutMs"]},
)


def stats():
    [(_server, figures)] = client.get_stats()
    return {name: value.decode() for name, value in figures.items()}


answer_lines(
    {
        "put": lambda queue, data: client.set(queue, decoded(data)),
        "get": lambda key: encoded(client.get(key)),
        "delete": lambda queue: client.delete(queue),
        "flushAll": lambda: client.flush_all(),
        "stats": stats,
        "version": lambda: stats()["version"],
    }
)
client.disconnect_all()
