<?php
// $headers: names in lower case. $body: the bytes as they came, file_get_contents("php://input").
function isGenuine(array $headers, string $body): bool
{
    $secret = getenv('WEBHOOK_SECRET');
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
    if ($key === false || $key === '') return false;
    $parts = explode(' ', $headers['webhook-signature'] ?? '');
    $sent = $headers['webhook-timestamp'] ?? '';
    if (!ctype_digit($sent) || abs(time() - (int) $sent) > 300) return false;
    $content = ($headers['webhook-id'] ?? '') . '.' . $sent . '.' . $body;
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $content, $key, true));
    foreach ($parts as $part) {
        if (hash_equals($expected, $part)) return true;
    }
    return false;
}
