"""Asks the official library about each request on stdin; prints a list of true and false."""

import json
import sys

from standardwebhooks.webhooks import Webhook


def accepts(case):
    try:
        Webhook(case["secret"]).verify(case["body"].encode(), case["headers"])
        return True
    except Exception:
        return False


print(json.dumps([accepts(case) for case in json.load(sys.stdin)]))
