import { createHmac, timingSafeEqual } from 'node:crypto';

const secret = process.env.WEBHOOK_SECRET;
const key = secret;

/** headers: names in lower case. body: the bytes as they came, a Buffer. */
export function isGenuine(headers, body) {
  const parts = (headers['x-webhook-signature'] ?? '').split(',');
  const hmac = createHmac('sha256', key).update(body);
  const expected = Buffer.from('sha256=' + hmac.digest('hex'));
  return parts.some(part => {
    const given = Buffer.from(part);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
