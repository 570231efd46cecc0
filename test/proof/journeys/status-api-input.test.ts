/** Wrong input to the status API: every field, each answered with what was given, what is allowed and what to do. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_FIELDS, API_ROUTES } from '#core/inbound/api/api-routes.ts';
import { ApiDocument } from '#test/kit/api-document.ts';
import { about, Incident } from './support/api-incident.ts';

let incident: Incident;
beforeAll(async () => {
  incident = new Incident(new ApiDocument());
  await incident.happen();
});
afterAll(() => incident.world.stop());

describe('wrong input', () => {
  const LISTS = ['GET /events', 'GET /dead-letters'] as const;
  const future = '2100-01-01T00:00:00Z';
  const QUERIES: readonly [Readonly<Record<string, string>>, string][] = [
    [{ state: 'failed' }, 'state'],
    [{ __proto__x: '1' }, '__proto__x'],
    [{ source: 'nobody' }, 'source'],
    [{ source: '' }, 'source'],
    [{ type: 'a b' }, 'type'],
    [{ type: '' }, 'type'],
    [{ cause: 'a cause' }, 'cause'],
    [{ since: future }, 'since'],
    [{ since: future, until: '2100-01-02' }, 'since'],
    [{ since: 'yesterday' }, 'since'],
    [{ since: '99999999999999999999d' }, 'since'],
    [{ since: '1h', until: '2h' }, 'since'],
    [{ until: 'soon' }, 'until'],
    [{ limit: '0' }, 'limit'],
    [{ limit: '501' }, 'limit'],
    [{ limit: '' }, 'limit'],
    [{ limit: '1e2' }, 'limit'],
    [{ limit: '-1' }, 'limit'],
    [{ order: 'random' }, 'order'],
  ];

  it.each(QUERIES)('of a list: %j is 400 and names %s', async (query, field) => {
    for (const route of LISTS) {
      const { status, body } = await incident.call(route, { query });
      expect(status).toBe(400);
      expect(body).toMatchObject({ error: 'invalid_request', details: [{ path: field }] });
    }
  });

  it('names every problem at once, and the nearest right word', async () => {
    const query = { statsu: 'x', status: 'complete', limit: 'many', since: 'x' };
    const { body } = await incident.call('GET /events', { query });
    expect(body['details']).toMatchObject([
      { path: 'statsu', fix: 'did you mean status?' },
      { path: 'limit', given: '"many"', allowed: 'a whole number from 1 to 500' },
      { path: 'status', fix: 'did you mean completed?' },
      { path: 'since' },
    ]);
    expect((await incident.call('GET /dead-letters', { query: { status: 'failed' } })).status).toBe(400);
  });

  it.each(['x', '', '{}', Buffer.from('{"at":"9","source":"pay"}').toString('base64url'), 'A'.repeat(20_000)])(
    'of a cursor: %s',
    async cursor => {
      const { status, body } = await incident.call('GET /events', { query: { cursor } });
      expect([status, body['error']]).toEqual([400, 'invalid_cursor']);
      expect(String(body['detail']).length).toBeLessThan(300);
    },
  );

  it.each([
    ['POST /events/{event_id}/replay', 'why', [undefined, '', ' ', 7, null, ['x']]],
    ['POST /events/{event_id}/replay', 'new_key', ['yes', 1, null]],
    ['POST /events/{event_id}/replay', 'force', ['true', {}]],
    ['POST /events/{event_id}/replay', 'body_sha256', ['x', 'A'.repeat(64), 7]],
    ['POST /events/{event_id}/replay', 'request_id', ['', 'a b', 'x'.repeat(65), 7]],
    ['POST /replay-jobs', 'why', [undefined, '', 7]],
    ['POST /replay-jobs', 'dry_run', ['yes', 1, null]],
    ['POST /replay-jobs', 'rate_per_second', [0, 301, 1.5, '50', null]],
    ['POST /replay-jobs', 'limit', [0, -1, 10_000_001, '5']],
    ['POST /replay-jobs', 'new_key', ['yes']],
    ['POST /replay-jobs', 'as_of', [future, 'now', 5]],
    ['POST /replay-jobs', 'source', ['nobody', 7, ['pay']]],
    ['POST /replay-jobs', 'status', ['dead', 7]],
    ['POST /replay-jobs', 'type', ['a b', 7]],
    ['POST /replay-jobs', 'cause', ['a b', 7]],
    ['POST /replay-jobs', 'since', [future, 'x', 7]],
    ['POST /replay-jobs', 'until', ['x', 7]],
    ['POST /replay-jobs', 'jitter', [true]],
    ['POST /sources/{source}/pause', 'why', [undefined, '', 7]],
    ['POST /sources/{source}/pause', 'until', ['1h']],
    ['POST /sources/{source}/resume', 'why', ['better now']],
    ['POST /replay-jobs/{job_id}/cancel', 'why', ['mistake']],
  ] as const)('of a body: %s, the field %s', async (route, field, values) => {
    const fine = { why: 'x', ...(route === 'POST /replay-jobs' ? { status: 'failed' } : {}) };
    const start = API_FIELDS[route].body.length === 0 ? {} : fine;
    const path = { event_id: 'ok-1', job_id: 'rj-1', source: 'shop' };
    for (const value of values) {
      const { status, body } = await incident.call(route, { path, body: { ...start, [field]: value } });
      expect([status, body], `${field}: ${JSON.stringify(value)}`).toMatchObject([400, { details: [{ path: field }] }]);
    }
  });

  it('of a whole body: not JSON, no object', async () => {
    const path = { event_id: 'ok-1', job_id: 'rj-1', source: 'shop' };
    for (const route of API_ROUTES.filter(it => it.startsWith('POST'))) {
      for (const body of ['{', 'null', '[]', '"x"', '\ufeff{}']) {
        const answer = await incident.call(route, { path, body });
        expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
        expect(JSON.stringify(answer.body).length).toBeLessThan(500);
      }
    }
    expect((await incident.call('POST /replay-jobs', { body: { why: 'everything' } })).body).toMatchObject({
      details: [{ path: 'filter', given: 'none' }],
    });
  });

  it('changes nothing', async () => {
    const { body } = await incident.call('GET /events/{event_id}', about('ok-1'));
    expect(body).toMatchObject({ generation: 1, replays: [] });
    expect((await incident.call('GET /sources')).body['sources']).toMatchObject([{ paused: null }, { paused: null }]);
  });

  it('keeps a long reason short and without control characters', async () => {
    const why = `line one\nline two\u0007${'é'.repeat(1_000)}`;
    await incident.call('POST /sources/{source}/pause', { path: { source: 'pay' }, body: { why } });
    const { paused } = (await incident.call('POST /sources/{source}/pause', { path: { source: 'pay' }, body: { why } }))
      .body as { paused: { why: string } };
    expect(paused.why).toMatch(/^line one line two é/);
    expect(Buffer.byteLength(paused.why)).toBeLessThanOrEqual(500);
    await incident.call('POST /sources/{source}/resume', { path: { source: 'pay' } });
  });
});
