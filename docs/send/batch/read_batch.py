import json


def read_batch(body, seen, handle):
    for item in json.loads(body)["batch"]:
        if item["id"] not in seen:
            handle(item["type"], item["body"])
            seen.add(item["id"])
