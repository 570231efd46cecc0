/** What a handler's calls carry as `traceparent`, with and without a trace of the sender, recorded here or not. */
import { expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { traceAttempt, traceIdIn } from '#core/inbound/process/attempt-trace.ts';

const SAMPLED = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
const UNSAMPLED = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`;
const item = { ingestId: '0af76519-16cd-43dd-8448-eb211c80319c', receivedAt: 7 };
const trace = (traceparent: string | undefined, records: boolean, claimId = 'claim_1') =>
  traceAttempt({ item, claimId, headers: traceparent === undefined ? {} : { traceparent } }, records, nodeCrypto);

it('passes on what the sender brought where nothing is recorded, or where the sender asks for no record', () => {
  expect(trace(SAMPLED, false)).toEqual({ event: SAMPLED, attempt: SAMPLED, fields: {} });
  expect(trace(UNSAMPLED, true)).toEqual({ event: UNSAMPLED, attempt: UNSAMPLED, fields: {} });
  expect(trace(undefined, false)).toBeUndefined();
  expect(trace('no trace', false)).toBeUndefined();
});

it("records a span of its own in the sender's trace: the event's is the same in every attempt", () => {
  const [first, second] = [trace(SAMPLED, true), trace(SAMPLED, true, 'claim_2')];
  expect(first?.fields).toMatchObject({ trace_id: 'a'.repeat(32), parent_span_id: 'b'.repeat(16), received_at: 7 });
  expect(first?.event).toBe(`00-${'a'.repeat(32)}-${first?.fields['event_span_id']}-01`);
  expect(first?.attempt).toBe(`00-${'a'.repeat(32)}-${first?.fields['span_id']}-01`);
  expect(second?.event).toBe(first?.event);
  expect(second?.attempt).not.toBe(first?.attempt);
});

it('begins a trace where the sender brought none', () => {
  const fields = trace(undefined, true)?.fields ?? {};
  expect(fields).not.toHaveProperty('parent_span_id');
  // As its lines say where no span is recorded.
  expect(fields['trace_id']).toBe(traceIdIn(item, undefined));
  expect(fields['trace_id']).toMatch(/^[0-9a-f]{32}$/);
  expect(trace(undefined, true)?.attempt).toBe(`00-${fields['trace_id']}-${fields['span_id']}-01`);
});
