import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyAnswer } from '#core/outbound/drain/classify-answer.ts';
import { ANSWER_CLASSES, type AnswerClass, FAULTS, type Fault, NO_ANSWER_CAUSES } from '#core/outbound/ports.ts';
import { HOUR_MS } from '#core/time.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const timings = { total: 1 };
const of = (status: number, headers: Record<string, readonly string[]> = {}) =>
  classifyAnswer(
    { kind: 'answered', status, headers, body: new Uint8Array(), bytes: 0, truncated: false, timings },
    NOW,
  );
const retryAfter = (value: number | string) => ({ 'retry-after': [String(value)] });

/** The table of docs/understand/how-sending-works.md, row by row: class, statuses, whose fault it is. */
const TABLE: readonly (readonly [AnswerClass, readonly number[], Fault])[] = [
  ['ok', [200, 201, 202, 204, 206, 226, 299], 'none'],
  ['redirect', [300, 301, 302, 303, 304, 307, 308, 399], 'endpoint'],
  ['message_refused', [400, 406, 409, 411, 413, 414, 415, 422, 431], 'message'],
  ['denied', [401, 403, 404, 405, 407, 451], 'ambiguous'],
  ['gone', [410], 'endpoint'],
  ['throttled', [429], 'throttle'],
  ['busy', [408, 423, 425, 502, 503, 504], 'endpoint'],
  ['server_error', [500, 501, 505, 507, 511, 520, 599], 'ambiguous'],
  ['other_status', [100, 101, 102, 103, 199, 402, 412, 416, 418, 421, 424, 426, 428, 499, 600, 999], 'message'],
];

describe('a status', () => {
  it.each(TABLE.flatMap(([name, statuses, ...rest]) => statuses.map(status => [status, name, ...rest] as const)))(
    '%i is %s, the fault is of: %s',
    (status, name, fault) => {
      expect(of(status)).toEqual({ class: name, fault });
    },
  );

  it('has exactly one class, from 100 to 999, and the classes have no gap', () => {
    const rows = TABLE.map(([name]) => name);
    for (let status = 100; status <= 999; status++) expect(rows).toContain(of(status).class);
    const counted = Array.from({ length: 900 }, (_, i) => of(100 + i).class);
    const count = (name: AnswerClass) => counted.filter(it => it === name).length;
    expect(rows.map(name => [name, count(name)])).toEqual([
      ['ok', 100],
      ['redirect', 100],
      ['message_refused', 9],
      ['denied', 6],
      ['gone', 1],
      ['throttled', 1],
      ['busy', 6],
      ['server_error', 97],
      ['other_status', 580],
    ]);
  });
});

it('gives every status of 100 to 599 one fault, as the table of the page does', () => {
  const fault = (status: number): Fault => {
    if (status === 429) return 'throttle';
    if (status >= 200 && status < 300) return 'none';
    if ((status >= 300 && status < 400) || [408, 410, 423, 425, 502, 503, 504].includes(status)) return 'endpoint';
    return status >= 500 || [401, 403, 404, 405, 407, 451].includes(status) ? 'ambiguous' : 'message';
  };
  for (let status = 100; status < 600; status++) expect([status, of(status).fault]).toEqual([status, fault(status)]);
  // A wait of more than a day is no pace.
  expect(of(503, retryAfter(86_401)).fault).toBe('endpoint');
  expect(of(503, retryAfter(60)).fault).toBe('throttle');
});

describe('a failure of the request', () => {
  it.each(NO_ANSWER_CAUSES)('%s keeps its name', cause => {
    const verdict = classifyAnswer({ kind: 'failed', cause, detail: '', timings }, NOW);
    expect(verdict).toEqual({ class: cause, fault: cause === 'own_fault' ? 'ours' : 'endpoint' });
  });
});

describe('a hint to wait', () => {
  it('makes a 503 a hold, up to 24 hours', () => {
    expect(of(503, retryAfter(86_400))).toEqual({
      class: 'throttled',
      fault: 'throttle',
      retryAfterMs: 24 * HOUR_MS,
    });
    expect(of(503, retryAfter(0))).toMatchObject({ class: 'throttled' });
    expect(of(503, retryAfter('Sat, 21 Nov 2026 12:00:05 GMT'))).toMatchObject({
      class: 'throttled',
      retryAfterMs: 5_000,
    });
    for (const text of ['86401', 'soon', '', '-3']) expect(of(503, retryAfter(text))).toEqual(of(503));
  });

  it('goes with a 429, and a lie about thirty days does not', () => {
    expect(of(429, retryAfter(30))).toMatchObject({ class: 'throttled', retryAfterMs: 30_000 });
    expect(of(429, retryAfter(30 * 86_400))).toEqual(of(429));
  });

  it('goes with any other status up to an hour', () => {
    for (const status of [301, 400, 404, 410, 418, 500, 502, 504]) {
      expect(of(status, retryAfter(3_600))).toEqual({ ...of(status), retryAfterMs: HOUR_MS });
      expect(of(status, retryAfter(3_601))).toEqual(of(status));
    }
  });

  it('means nothing in a success', () => {
    expect(of(200, retryAfter(60))).toEqual(of(200));
  });
});

describe('webhook-delivery', () => {
  it('counts whatever the status and the case, the stronger one first', () => {
    for (const status of [200, 301, 404, 410, 429, 500]) {
      expect(of(status, { 'webhook-delivery': ['Disable'] })).toEqual({ ...of(status), directive: 'disable' });
      expect(of(status, { 'webhook-delivery': [' ABORT-message '] })).toEqual({
        ...of(status),
        directive: 'abort-message',
      });
      expect(of(status, { 'webhook-delivery': ['abort-message', 'disable'] }).directive).toBe('disable');
      for (const text of ['', 'disabled', 'enable', 'dis able', 'x'.repeat(10_000)])
        expect(of(status, { 'webhook-delivery': [text] })).toEqual(of(status));
    }
  });
});

it('is total: any status, any headers', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.dictionary(fc.string(), fc.array(fc.string())),
      fc.array(fc.string()),
      fc.array(fc.string()),
      (status, more, a, b) => {
        const verdict = of(status, { ...more, 'retry-after': a, 'webhook-delivery': b });
        expect(ANSWER_CLASSES).toContain(verdict.class);
        expect(FAULTS).toContain(verdict.fault);
        expect(verdict.fault === 'none').toBe(status >= 200 && status < 300);
        expect(verdict.retryAfterMs ?? 0).toBeLessThanOrEqual(24 * HOUR_MS);
      },
    ),
  );
});
