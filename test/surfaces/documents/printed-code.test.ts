/**
 * The receivers that the documents print say yes to what we send, and their senders' requests pass our front door: each with a
 * secret of the platform's own. Python by default; Java in the long run (`.ci/run`).
 */
import { describe, expect, it } from 'vitest';
import { nodeSigningCrypto } from '#adapters/crypto/node-signing-crypto.ts';
import { plainSecret } from '#core/outbound/protocol/secret-text.ts';
import { verifyRequest } from '#core/verification/verify-request.ts';
import { providerById } from '#providers/index.ts';
import { type Attempt, attemptOf, signAttempt } from '#test/kit/attempts.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { askJava, askPython, SECRET } from './printed-code.ts';

const BODY = '{"id":"evt_1","type":"order.created","data":{"name":"Żółw"}}';
const NOW = Date.now();
const secret = plainSecret(SECRET);
if (secret === undefined) throw new Error('the secret is none that a platform may bring');

/** What we send to an endpoint of that form. */
function sent(endpoint: Partial<Attempt['endpoint']>, now = NOW): Readonly<Record<string, string>> {
  const keys = [{ kid: 'k_1', ...(secret as NonNullable<typeof secret>) }];
  const form = { signature: 'standard', headers: {}, ...endpoint } as const;
  return signAttempt(attemptOf({ keys, endpoint: form, body: Buffer.from(BODY), now })).headers;
}
/** What our front door says of a request that a document's sender signed. */
async function received(provider: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const request = { method: 'POST', rawQuery: '', headers, body: Buffer.from(BODY), sourceIp: '192.0.2.1' };
  const context = { secret: { current: SECRET }, nowMs: Date.now(), settings: {}, crypto: nodeSigningCrypto };
  const verdict = await verifyRequest(providerById(provider), request, context);
  return verdict.kind === 'verified' ? 'verified' : JSON.stringify(verdict);
}

describe('the code of the documents, as printed', () => {
  const timed = { signature: 'timestamp-sha256', keyId: 'header' } as const;
  const by001 = 'verify_signature(secret, time, body, signature)';
  const ask001 = (headers: Readonly<Record<string, string>>, body = BODY) =>
    ({
      of: '001',
      call: by001,
      args: {
        ...{ secret: SECRET, body },
        time: headers['webhook-timestamp'] ?? '',
        signature: headers['webhook-signature'] ?? '',
      },
    }) as const;
  const ask003 = (body: string) =>
    ({
      of: '003',
      call: 'verify_webhook(secret, body.encode(), signature)',
      args: { secret: SECRET, body, signature: sent({ signature: 'body-sha256' })['x-webhook-signature'] ?? '' },
    }) as const;
  const ask000 = (body: string) => {
    const headers = sent({ ...timed, signatureHeader: 'x-webhook-signature' });
    return {
      of: '000',
      call: 'verify_signature(body.encode(), signature, time)',
      args: { body, signature: headers['x-webhook-signature'] ?? '', time: headers['webhook-timestamp'] ?? '' },
    } as const;
  };

  it('000, 001 and 003 take what we send, and nothing that was changed or is late', { timeout: 60_000 }, () => {
    const asked = [
      ask001(sent(timed)),
      ask001(sent({ ...timed, keyId: 'none' })),
      ask001(sent(timed), `${BODY} `),
      ask001(sent(timed, NOW - 400_000)),
      ask003(BODY),
      ask003(`${BODY} `),
      ask000(BODY),
      ask000(`${BODY} `),
    ];
    const late = ['reject', 'timestamp too old or too far in future'];
    expect(askPython(asked)).toEqual([true, true, false, late, true, false, true, false]);
  });

  it('001 does not take a signature that names its key: that is why key_id_in may be header', () => {
    expect(askPython([ask001(sent({ signature: 'timestamp-sha256' }))])).toEqual([false]);
  });

  it('001 signs, and our front door takes it', async () => {
    const [headers] = askPython([
      { of: '001', call: 'sign_payload(secret, body)', args: { secret: SECRET, body: BODY } },
    ]);
    const lower = Object.fromEntries(
      Object.entries(headers as Record<string, string>).map(([name, value]) => [name.toLowerCase(), value]),
    );
    expect(await received('generic-timestamp-sha256', lower)).toBe('verified');
  });

  it.skipIf(!isLongRun())(
    '004 signs as we do, under a header of any name, and our front door takes it',
    { timeout: 60_000 },
    async () => {
      const headers = sent({ signature: 't-v1', signatureHeader: 'stripe-signature' });
      const { sign, header } = askJava(BODY, SECRET, Math.floor(NOW / 1_000));
      expect(headers['stripe-signature']).toBe(`t=${Math.floor(NOW / 1_000)},${sign}`);
      expect(headers['x-webhook-signature']).toBeUndefined();
      // `buildHeader` puts `v1=` before what `sign` has put it before already. The sample that 004 prints has it once, and
      // so do we: its header passes our front door when one of the two is taken away, and not before.
      expect(header).toMatch(/^t=\d+,v1=v1=[0-9a-f]{64}$/);
      expect(await received('generic-t-v1', { 'x-webhook-signature': header })).toContain('malformed');
      const once = header.replace('v1=v1=', 'v1=');
      expect(await received('generic-t-v1', { 'x-webhook-signature': once })).toBe('verified');
    },
  );
});
