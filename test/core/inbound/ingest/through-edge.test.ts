/**
 * Where CloudFront is before the front door:
 *
 * 1. Only who shows its secret says where a request came from; an allow-list judges that address, and no other.
 * 2. What a sender writes into X-Forwarded-For counts nowhere.
 * 3. Requests beside it are judged as without it, or refused, as the configuration says.
 * 4. The secret is never kept with a request.
 */
import { describe, expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { EDGE_HEADER, throughEdge } from '#core/inbound/ingest/through-edge.ts';
import type { SecretResult } from '#core/ports.ts';

const EDGE_IP = '130.176.0.1';
const SENDER = '198.51.100.7';
const known: SecretResult = { kind: 'secret', secret: { current: 'of-the-edge', previous: 'of-before' } };

async function judge(
  headers: Readonly<Record<string, string>>,
  { sourceIp = EDGE_IP, direct = 'accepted' as 'accepted' | 'refused', secret = known } = {},
) {
  const request = { method: 'POST', rawQuery: 'a=%2B', headers, body: new Uint8Array([1]), sourceIp };
  return throughEdge(request, { direct }, { secrets: { get: async () => secret }, crypto: nodeCrypto });
}

describe('a request through the edge', () => {
  it.each([
    ['as API Gateway adds the address of the edge', `${SENDER}, ${EDGE_IP}`],
    ['as CloudFront alone wrote it', SENDER],
    ['after what the sender wrote itself', `203.0.113.9, 10.0.0.1, ${SENDER},${EDGE_IP}`],
    ['after the address of the edge, written by the sender', `${EDGE_IP}, ${SENDER}, ${EDGE_IP}`],
  ])('comes from the last address that CloudFront saw: %s', async (_how, list) => {
    const seen = await judge({ [EDGE_HEADER]: 'of-the-edge', 'x-forwarded-for': list });
    expect(seen).toMatchObject({ sourceIp: SENDER, rawQuery: 'a=%2B' });
  });

  it('may show the secret of before, while it is being replaced', async () => {
    expect(await judge({ [EDGE_HEADER]: 'of-before', 'x-forwarded-for': SENDER })).toMatchObject({ sourceIp: SENDER });
  });

  it.each([
    ['a secret that cannot be read', { secret: { kind: 'unreadable' } as SecretResult }, SENDER],
    ['a secret that is not there', { secret: { kind: 'unset' } as SecretResult }, SENDER],
    ['no address at all', {}, ''],
  ])('is asked for again with %s: nobody can tell whose it is', async (_what, options, list) => {
    const seen = await judge({ [EDGE_HEADER]: 'of-the-edge', 'x-forwarded-for': list }, options);
    expect(seen).toMatchObject({ status: 503, headers: { 'retry-after': '30' } });
  });
});

describe('a request beside the edge', () => {
  it.each([
    ['nothing', {}],
    ['a wrong secret', { [EDGE_HEADER]: 'guessed' }],
    ['an empty one', { [EDGE_HEADER]: '' }],
  ])('that shows %s comes from where it connects, whatever it says', async (_what, shown) => {
    const seen = await judge({ ...shown, 'x-forwarded-for': '192.0.2.1' }, { sourceIp: '203.0.113.66' });
    expect(seen).toMatchObject({ sourceIp: '203.0.113.66' });
    expect(JSON.stringify(seen)).not.toContain(EDGE_HEADER);
  });

  it('is refused where only the edge counts', async () => {
    const refused = { status: 403, body: expect.stringContaining('not_through_edge') };
    expect(await judge({}, { direct: 'refused' })).toMatchObject(refused);
    expect(await judge({ [EDGE_HEADER]: 'guessed' }, { direct: 'refused' })).toMatchObject(refused);
  });
});

it('keeps neither the secret nor its header with the request', async () => {
  const seen = await judge({ [EDGE_HEADER]: 'of-the-edge', 'x-forwarded-for': SENDER, 'content-type': 'text/plain' });
  expect(seen).toMatchObject({ headers: { 'content-type': 'text/plain', 'x-forwarded-for': SENDER } });
  expect(JSON.stringify(seen)).not.toContain('of-the-edge');
});
