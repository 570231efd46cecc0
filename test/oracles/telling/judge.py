"""
Asks the publishers' own Python packages about each body on stdin; prints, for each, null or what is wrong with it.

OTLP: the generated messages of opentelemetry-proto, parsed by Google's protobuf with no unknown field allowed. OTLP/JSON
writes ids as hex where protobuf's JSON has base64 (opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding), so a receiver
turns them over first, as here. Slack: the Block Kit models of slack_sdk, which check types, lengths and counts.
"""

import base64
import json
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from slack_sdk.models.blocks import Block

IDS = {"traceId": 16, "spanId": 8, "parentSpanId": 8}


def with_base64_ids(value):
    if isinstance(value, list):
        return [with_base64_ids(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: base64_of(key, item) if key in IDS else with_base64_ids(item) for key, item in value.items()}


def base64_of(key, text):
    raw = bytes.fromhex(text)
    if len(raw) != IDS[key] or not any(raw):
        raise ValueError(f"{key} {text!r} is not {IDS[key]} bytes, or all zero")
    return base64.b64encode(raw).decode()


def judge(kind, body):
    if kind == "slack":
        blocks = Block.parse_all(body["blocks"])
        for block, given in zip(blocks, body["blocks"], strict=True):
            block.validate_json()
            if block.to_dict() != given:
                raise ValueError(f"slack_sdk reads {block.to_dict()}")
        return
    message = ExportMetricsServiceRequest() if kind == "metrics" else ExportTraceServiceRequest()
    json_format.Parse(json.dumps(with_base64_ids(body)), message)
    if message.ByteSize() == 0:
        raise ValueError("it is empty")


def wrong(case):
    try:
        judge(case["kind"], case["body"])
        return None
    except Exception as error:
        return f"{type(error).__name__}: {error}"


print(json.dumps([wrong(case) for case in json.load(sys.stdin)]))
