import { createHmac, timingSafeEqual } from 'node:crypto';

const secret = process.env.WEBHOOK_SECRET;
const key = secret;

/** headers: names in lower case. body: the bytes as they came, a Buffer. */
export function isGenuine(headers, body) {
  const parts = (headers['webhook-signature'] ?? '').split(',');
  const time = headers['webhook-timestamp'];
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= 300)) return false;
  const hmac = createHmac('sha256', key)
    .update(`${time}.`)
    .update(body);
  const expected = Buffer.from('sha256=' + hmac.digest('hex'));
  return parts.some(part => {
    const given = Buffer.from(part);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
