"""What SES v2 refuses of SendEmail and the local AWS takes: https://docs.aws.amazon.com/ses/latest/APIReference-V2/ (SendEmail,
Destination, Content, MessageHeader) and its quotas. The sender's identity is checked by the local AWS itself."""

import json
import re

MOST_RECIPIENTS = 50
MOST_BYTES = 40 * 1024 * 1024
MOST_HEADERS = 15
# UserName@[SubDomain.]Domain.TopLevelDomain, in ASCII: SES knows no SMTPUTF8.
ADDRESS = re.compile(r"[!-?A-~]{1,64}@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z0-9-]{2,63}")
HEADER_NAME = re.compile(r"[!-9;-@A-~]{1,126}")
HEADER_VALUE = re.compile(r"[ -~]{1,995}")


def problem_of(mail, configuration_sets):
    """The exception and the message of SES; None: it takes the mail."""
    destination = mail.get("Destination") or {}
    to = [each for kind in ("To", "Cc", "Bcc") for each in destination.get(f"{kind}Addresses") or []]
    if not mail.get("FromEmailAddress"):
        return "BadRequestException", "Missing required parameter: FromEmailAddress"
    if not to:
        return "BadRequestException", "Missing required parameter: at least one recipient"
    if len(to) > MOST_RECIPIENTS:
        return "BadRequestException", f"Recipient count exceeds {MOST_RECIPIENTS}."
    if not all(map(ADDRESS.fullmatch, [mail["FromEmailAddress"], *to])):
        return "BadRequestException", "Illegal address"
    name = mail.get("ConfigurationSetName")
    if name is not None and name not in configuration_sets:
        return "NotFoundException", f"Configuration set <{name}> does not exist."
    content = mail.get("Content") or {}
    if len([kind for kind in ("Simple", "Raw", "Template") if content.get(kind)]) != 1:
        return "BadRequestException", "Content has to be one of Simple, Raw, Template"
    return simple_problem_of(content["Simple"]) if content.get("Simple") else None


def simple_problem_of(message):
    body = message.get("Body") or {}
    bodies = [body[kind] for kind in ("Text", "Html") if body.get(kind)]
    texts = [message.get("Subject") or {}, *bodies]
    if not bodies or not all(isinstance(each.get("Data"), str) for each in texts):
        return "BadRequestException", "Missing required parameter: a subject, and a body"
    if not all(each.get("Charset") or each["Data"].isascii() for each in texts):
        return "BadRequestException", "What is not 7-bit ASCII needs its Charset"
    headers = message.get("Headers") or []
    if len(headers) > MOST_HEADERS:
        return "BadRequestException", f"More than {MOST_HEADERS} headers"
    for header in headers:
        name, value = header.get("Name") or "", header.get("Value") or ""
        if not (HEADER_NAME.fullmatch(name) and HEADER_VALUE.fullmatch(value) and len(name) + len(value) <= 996):
            return "BadRequestException", f"Illegal header: {name[:126]}"
    return None


def be_strict(ses_v2):
    """From now on the local AWS refuses such mails."""
    emulators_own = ses_v2.handle_request

    async def handle_request(method, path, headers, body, query_params):
        if method == "POST" and path.rstrip("/").endswith("/outbound-emails"):
            if len(body) > MOST_BYTES:
                return ses_v2._json_err("MessageRejected", "Message length is more than 41943040 bytes long")
            problem = problem_of(json.loads(body), ses_v2._config_sets)
            if problem:
                code, message = problem
                return ses_v2._json_err(code, message, 404 if code == "NotFoundException" else 400)
        return await emulators_own(method, path, headers, body, query_params)

    ses_v2.handle_request = handle_request
