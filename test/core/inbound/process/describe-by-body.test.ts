import { expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { describeByBody } from '#core/inbound/process/describe-by-body.ts';
import type { EventIn } from '#core/inbound/protocol/event-item.ts';
import { keptHeaders } from '#core/inbound/protocol/kept-headers.ts';
import { utf8 } from '#core/scan/bytes.ts';
import { identifyRequest } from '#core/verification/identify-request.ts';
import { verifyRequest } from '#core/verification/verify-request.ts';
import { declaredSamples } from '#operator/sources/sample-event.ts';
import { PROVIDERS } from '#providers/index.ts';
import { genuineRequest, NOW_MS } from '../../../providers/genuine-request.ts';

/** With the scheme that can carry it: of a form one that is in the form. */
const cases = Object.values(PROVIDERS).flatMap(spec =>
  declaredSamples(spec.id, new Date(NOW_MS)).flatMap(sample => {
    const isForm = sample.headers['content-type']?.includes('form') === true && !sample.body.startsWith('<');
    const other = isForm ? 'json:' : 'form:';
    const scheme = spec.verify.find(({ sig }) => ![sig.from].flat().some(src => src.startsWith(other)));
    return scheme ? [[`${spec.id}, ${sample.title}`, spec, scheme, sample] as const] : [];
  }),
);

it.each(cases)(
  '%s: a stored body is of the type that it had when it came',
  async (_name, whole, scheme, { body, headers, method, rawQuery }) => {
    const { spec, request, context } = genuineRequest(whole, scheme, { body: utf8(body), headers, method, rawQuery });
    const verdict = await verifyRequest(spec, request, context);
    if (verdict.kind !== 'verified') throw new Error(verdict.cause);
    const { settings, crypto } = context;
    const came = identifyRequest(spec, request, { crypto: nodeCrypto, settings, dedupOnBody: false, verdict });
    if (came.kind === 'nothing') throw new Error('no event');
    expect(came.eventType).not.toBe('another');
    const kept = { bytes: request.body, headers: keptHeaders(spec, request.headers, request.rawQuery) };
    const record = { provider: spec.id, eventType: 'another', eventAt: 1 } as unknown as EventIn<'processing'>;
    const described = describeByBody(record, kept, { spec, settings, dedupOnBody: false }, crypto);
    expect(described).toMatchObject({ eventType: came.eventType, size: request.body.length });
  },
);
