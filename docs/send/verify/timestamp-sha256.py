import hashlib, hmac, os, time

secret = os.environ["WEBHOOK_SECRET"]
key = secret.encode()


def is_genuine(headers: dict[str, str], body: bytes) -> bool:
    """headers: names in lower case. body: the bytes as they came."""
    parts = headers.get("webhook-signature", "").split(",")
    sent = headers.get("webhook-timestamp", "")
    if not sent.isdecimal() or abs(time.time() - int(sent)) > 300:
        return False
    content = f"{sent}.".encode() + body
    mac = hmac.new(key, content, hashlib.sha256)
    expected = "sha256=" + mac.hexdigest()
    return any(hmac.compare_digest(part.encode(), expected.encode()) for part in parts)
