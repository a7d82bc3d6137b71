"""Answers each line of JSON on stdin with one on stdout: what a test asks of a client library."""

import json
import sys
from base64 import b64decode, b64encode


def answer_lines(deeds):
    """Does what each line asks for until stdin ends. `deeds` maps the word behind "do" to a function."""
    for line in sys.stdin:
        request = json.loads(line)
        deed = deeds[request.pop("do")]
        try:
            reply = {"result": deed(**request)}
        except Exception as error:  # Whatever the library raises is what its user would see.
            reply = {"error": repr(error)}
        print(json.dumps(reply), flush=True)


def decoded(text):
    return b64decode(text)


def encoded(data):
    return None if data is None else b64encode(data).decode()
