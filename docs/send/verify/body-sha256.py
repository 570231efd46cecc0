import hashlib, hmac, os

secret = os.environ["WEBHOOK_SECRET"]
key = secret.encode()


def is_genuine(headers: dict[str, str], body: bytes) -> bool:
    """headers: names in lower case. body: the bytes as they came."""
    parts = headers.get("x-webhook-signature", "").split(",")
    content = body
    mac = hmac.new(key, content, hashlib.sha256)
    expected = "sha256=" + mac.hexdigest()
    return any(hmac.compare_digest(part.encode(), expected.encode()) for part in parts)
