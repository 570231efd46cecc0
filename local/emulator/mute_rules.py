"""Alarm mute rules, which the emulator lacks: PutAlarmMuteRule and its sisters, as strict as AWS's documentation. Where it is
silent, the reading that tells an operator sooner: a one-time window whose beginning is past is refused."""

import asyncio
import json
import re
import time
from datetime import datetime, timezone
from zoneinfo import ZoneInfo

from ministack.core.responses import AccountRegionScopedDict, get_account_id, get_region
from ministack.services import cloudwatch

DAY_S = 86_400
rules = AccountRegionScopedDict()
held = AccountRegionScopedDict()  # alarm name -> the change of state whose actions were muted


class Refused(Exception):
    pass


def need(what, given, allowed):
    if not what:
        raise Refused(f"{given} {allowed}")


def text(value, name, most, least=1):
    need(isinstance(value, str) and least <= len(value) <= most, name, f"has {least} to {most} characters")
    return value


def begin_of(schedule):
    expression = text(schedule.get("Expression"), "Expression", 256)
    need(not expression.startswith("cron("), expression, "is not imitated: the local AWS has one-time windows, at(…), only")
    match = re.fullmatch(r"at\((\d{4}-\d\d-\d\dT\d\d:\d\d)\)", expression)
    need(match, expression, "must be cron(…) or at(yyyy-MM-ddThh:mm)")
    try:
        zone = ZoneInfo(text(schedule.get("Timezone") or "UTC", "Timezone", 50))
        return datetime.strptime(match[1], "%Y-%m-%dT%H:%M").replace(tzinfo=zone).timestamp()
    except (ValueError, KeyError) as error:
        raise Refused(f"{expression}: {error}") from error


def seconds_of(schedule):
    duration = text(schedule.get("Duration"), "Duration", 50)
    match = re.fullmatch(r"P(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?)?", duration)
    days, hours, minutes = (int(each or 0) for each in match.groups()) if match else (0, 0, 0)
    seconds = days * DAY_S + hours * 3_600 + minutes * 60
    need(match and 60 <= seconds <= 15 * DAY_S, duration, "must be from PT1M to P15D")
    return seconds


def put(data):
    name = text(data.get("Name"), "Name", 255)
    text(data.get("Description", ""), "Description", 1_024, 0)
    schedule = (data.get("Rule") or {}).get("Schedule") or {}
    begin, seconds = begin_of(schedule), seconds_of(schedule)
    need(begin > time.time(), schedule["Expression"], "is past: AWS's documentation does not say what it does then")
    alarms = (data.get("MuteTargets") or {}).get("AlarmNames")
    need(isinstance(alarms, list) and 1 <= len(alarms) <= 100, "AlarmNames", "has 1 to 100 names")
    for alarm in alarms:
        text(alarm, "AlarmName", 255)
        need(alarm in cloudwatch._alarms or alarm in cloudwatch._composite_alarms, alarm, "is no alarm here")
    end = min(begin + seconds, data.get("ExpireDate") or begin + seconds)
    rules[name] = {"given": data, "begin": max(begin, data.get("StartDate") or 0), "end": end, "at": int(time.time())}
    # In the context of this call, which says of which account and region the rule is.
    asyncio.get_running_loop().call_later(end - time.time() + 0.1, release)
    return {}


def status_of(rule):
    now = time.time()
    return "SCHEDULED" if now < rule["begin"] else "ACTIVE" if now < rule["end"] else "EXPIRED"


def summary_of(name):
    rule = rules[name]
    expires = rule["given"].get("ExpireDate")
    return {
        "AlarmMuteRuleArn": f"arn:aws:cloudwatch:{get_region()}:{get_account_id()}:alarm-mute-rule:{name}",
        **({} if expires is None else {"ExpireDate": expires}),
        "Status": status_of(rule),
        "MuteType": "ONE_TIME",
        "LastUpdatedTimestamp": rule["at"],
    }


def get(data):
    name = data.get("AlarmMuteRuleName", "")
    if name not in rules:
        return cloudwatch._error("ResourceNotFoundException", f"{name} does not exist", 404, use_json=True)
    given = {key: value for key, value in rules[name]["given"].items() if key != "Tags"}
    return {**given, **summary_of(name)}


def find(data):
    wanted, alarm = data.get("Statuses"), data.get("AlarmName")
    names = sorted(
        name
        for name, rule in rules.items()
        if (not wanted or status_of(rule) in wanted)
        and (alarm is None or alarm in rule["given"]["MuteTargets"]["AlarmNames"])
    )
    first, most = int(data.get("NextToken") or 0), data.get("MaxRecords") or 50
    more = {"NextToken": str(first + most)} if first + most < len(names) else {}
    return {"AlarmMuteRuleSummaries": [summary_of(name) for name in names[first : first + most]], **more}


def delete(data):
    rules.pop(text(data.get("AlarmMuteRuleName"), "AlarmMuteRuleName", 255), None)
    release()
    return {}


def is_muted(alarm):
    return any(
        status_of(rule) == "ACTIVE" and alarm in rule["given"]["MuteTargets"]["AlarmNames"] for rule in rules.values()
    )


run_actions = cloudwatch._dispatch_alarm_actions


def dispatch(alarm, old_state, new_state, reason):
    name = alarm["AlarmName"]
    if is_muted(name):
        held[name] = (old_state, new_state, reason)
        return
    held.pop(name, None)
    run_actions(alarm, old_state, new_state, reason)


def release():
    """The window is over: what was muted, and is still so, runs its actions now."""
    for name, (old_state, new_state, reason) in list(held.items()):
        if is_muted(name):
            continue
        held.pop(name)
        alarm = cloudwatch._alarms.get(name) or cloudwatch._composite_alarms.get(name)
        if alarm and alarm["StateValue"] == new_state:
            run_actions(alarm, old_state, new_state, reason)


ACTIONS = {
    "PutAlarmMuteRule": put,
    "GetAlarmMuteRule": get,
    "ListAlarmMuteRules": find,
    "DeleteAlarmMuteRule": delete,
}
emulators_own = cloudwatch.handle_request


async def handle_request(method, path, headers, body, query_params):
    action = ACTIONS.get(headers.get("x-amz-target", "").split(".")[-1])
    if action is None:
        return await emulators_own(method, path, headers, body, query_params)
    try:
        answer = action(json.loads(body or b"{}"))
    except Refused as refused:
        return cloudwatch._error("ValidationError", str(refused), 400, use_json=True)
    return answer if isinstance(answer, tuple) else cloudwatch._json_ok(answer)


cloudwatch.handle_request = handle_request
cloudwatch._dispatch_alarm_actions = dispatch
