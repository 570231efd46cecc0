import { describe, expect, it } from 'vitest';
import { identifyRequest } from '#core/verification/identify-request.ts';
import { verifyRequest } from '#core/verification/verify-request.ts';
import { contextOf, requestOf, specOf, VECTORS, type Vector } from './vectors.ts';

/** The cause we name for the reason a vector gives. */
const CAUSES: Readonly<Record<string, readonly string[]>> = {
  mismatch: ['mismatch'],
  timestamp: ['stale', 'future'],
  bad_timestamp: ['malformed'],
  missing_signature: ['missing'],
  binding_mismatch: ['binding'],
  claim_topicArn: ['binding'],
  claim_request_body_sha256: ['binding'],
  claim_email: ['binding'],
};

/** Vectors whose signature cannot be decoded to the algorithm's length: we name that before anything is compared. */
const NOT_A_SIGNATURE = ['twilio-fail-string', 'twilio-fail-not', 'sw-invalid-signature'];

const runnable = VECTORS.flatMap(vector => {
  const spec = specOf(vector);
  return spec ? [{ vector, spec }] : [];
});

describe('every shared vector behaves as marked', () => {
  it.each(runnable.map(run => [run.vector.id, run] as const))('%s', async (_, { vector, spec }) => {
    const request = requestOf(vector);
    const verdict = await verifyRequest(spec, request, contextOf(vector, spec));
    const isBatch = spec.verify.some(scheme => scheme.batch !== undefined);
    if (isBatch && vector.expect === 'invalid' && verdict.kind === 'verified') {
      // One forged item among good ones: the good ones verify, the forged one is marked.
      expect(verdict.items?.some(item => !item.verified)).toBe(true);
      return;
    }
    expect(verdict).toMatchObject({ kind: vector.expect === 'invalid' ? 'refused' : 'verified' });
    if (verdict.kind === 'refused' && vector.reason !== undefined)
      expect(expectedCauses(vector)).toContain(verdict.cause);
    if (verdict.kind === 'verified' && vector.identity) {
      const options = { crypto: contextOf(vector, spec).crypto, settings: {}, dedupOnBody: false, verdict };
      expect(identifyRequest(spec, request, options)).toMatchObject({
        kind: 'event',
        key: vector.identity.eventId,
        eventType: vector.identity.eventType,
        eventAtMs: Date.parse(vector.identity.eventAt),
      });
    }
  });

  it('finds a provider for every vector', () => {
    const without = VECTORS.filter(vector => !specOf(vector)).map(vector => vector.id);
    console.log(`${runnable.length} of ${VECTORS.length} vectors ran`);
    expect(without).toEqual([]);
  });
});

function expectedCauses(vector: Vector): readonly string[] {
  if (NOT_A_SIGNATURE.includes(vector.id)) return ['malformed'];
  return CAUSES[vector.reason ?? ''] ?? [];
}
