import base64, hashlib, hmac, os, time

secret = os.environ["WEBHOOK_SECRET"]
key = base64.b64decode(secret.removeprefix("whsec_"))


def is_genuine(headers: dict[str, str], body: bytes) -> bool:
    """headers: names in lower case. body: the bytes as they came."""
    parts = headers.get("webhook-signature", "").split(" ")
    sent = headers.get("webhook-timestamp", "")
    if not sent.isdecimal() or abs(time.time() - int(sent)) > 300:
        return False
    content = f"{headers.get('webhook-id', '')}.{sent}.".encode() + body
    mac = hmac.new(key, content, hashlib.sha256)
    expected = "v1," + base64.b64encode(mac.digest()).decode()
    return any(hmac.compare_digest(part.encode(), expected.encode()) for part in parts)
