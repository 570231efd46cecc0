import hashlib, hmac, os, time

secret = os.environ["WEBHOOK_SECRET"]
key = secret.encode()


def is_genuine(headers: dict[str, str], body: bytes) -> bool:
    """headers: names in lower case. body: the bytes as they came."""
    parts = headers.get("x-webhook-signature", "").split(",")
    sent = parts[0].removeprefix("t=")
    if not sent.isdecimal() or abs(time.time() - int(sent)) > 300:
        return False
    content = f"{sent}.".encode() + body
    mac = hmac.new(key, content, hashlib.sha256)
    expected = "v1=" + mac.hexdigest()
    return any(hmac.compare_digest(part.encode(), expected.encode()) for part in parts)
