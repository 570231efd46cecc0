/** The status API over the whole product in memory: what a program can ask and do, each reply held to the document. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DependencyError } from '#core/errors.ts';
import { toSourceId } from '#core/glossary.ts';
import { API_FIELDS, API_ROUTES } from '#core/inbound/api/api-routes.ts';
import { pauseSource } from '#core/inbound/protocol/pause-source.ts';
import { createReplayJob } from '#core/inbound/replay/replay-job.ts';
import { errorPattern } from '#core/inbound/search/error-pattern.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { VERSION } from '#core/version.ts';
import { ApiDocument } from '#test/kit/api-document.ts';
import { about, Incident } from './support/api-incident.ts';
import { type ApiAnswer, CALLER, StatusApi } from './support/status-api.ts';

const document = new ApiDocument();

let incident: Incident;
beforeAll(async () => {
  incident = new Incident(document);
  await incident.happen();
});
afterAll(() => incident.world.stop());

describe('one event', () => {
  it('is found by our id and by the provider id, with its timeline, attempts and result', async () => {
    for (const id of ['ok-1', 'evt_pay.ok-1']) {
      const { status, body } = await incident.call('GET /events/{event_id}', about(id));
      expect(status).toBe(200);
      expect(body).toMatchObject({
        id: 'evt_pay.ok-1',
        status: 'completed',
        action_taken: 'payment recorded',
        result: { amount: 5_000 },
        timeline: [
          { step: 'accepted' },
          { step: 'attempt 1', note: 'ok, 0 ms' },
          { step: 'completed', note: 'payment recorded' },
        ],
        replays: [],
      });
    }
    const waits = await incident.call('GET /events/{event_id}', about('waits'));
    expect(waits.body).toMatchObject({
      status: 'failed',
      parked: true,
      recent_attempts: [{ attempt: 1, cause: 'retry_after' }],
      timeline: [{ step: 'accepted' }, { step: 'attempt 1' }, { step: 'next attempt' }],
    });
    const dead = await incident.call('GET /events/{event_id}/status', about('bad-1'));
    expect(dead.body).toMatchObject({
      status: 'dead_letter',
      cause: 'permanent',
      last_error: expect.stringContaining('no such column'),
    });
    expect(dead.body).not.toHaveProperty('timeline');
    // When it became what it is.
    expect(dead.body['updated_at']).toBe(dead.body['dead_at']);
    expect(Date.parse(String(waits.body['updated_at']))).toBeGreaterThan(Date.parse(String(waits.body['received_at'])));
  });

  it('that is nobody’s is 404, and one that several sources have 409 until one is named', async () => {
    for (const id of ['nobody', '', '%', 'evt_pay.%ff', '__proto__', 'x'.repeat(3_000), '\u0000', 'a/b?c#d']) {
      for (const route of ['GET /events/{event_id}', 'GET /events/{event_id}/status'] as const) {
        expect((await incident.call(route, about(id))).body).toMatchObject({ error: 'unknown_event' });
      }
    }
    const twice = await incident.call('GET /events/{event_id}', about('twin'));
    expect(twice).toMatchObject({ status: 409, body: { error: 'ambiguous_event', sources: ['shop', 'pay'] } });
    expect((await incident.call('GET /events/{event_id}/status', about('twin'))).status).toBe(409);
    const named = await incident.call('GET /events/{event_id}', about('twin', { query: { source: 'shop' } }));
    expect(named).toMatchObject({ status: 200, body: { source: 'shop' } });
    const fetched = await incident.call('GET /events/{event_id}', about('evt_pay.twin'));
    expect(fetched.body).toMatchObject({ source: 'pay', reconciled: true });
    const unknown = await incident.call('GET /events/{event_id}', about('twin', { query: { source: 'nobody' } }));
    expect(unknown).toMatchObject({ status: 404, body: { detail: expect.stringContaining('shop, pay') } });
  });
});

describe('lists', () => {
  it.each([
    [{}, 9],
    [{ source: 'shop' }, 1],
    [{ status: 'dead_letter' }, 3],
    [{ status: 'failed,dead_letter' }, 4],
    [{ type: 'invoice.*' }, 3],
    [{ cause: 'permanent' }, 3],
    [{ since: '30s' }, 0],
    [{ since: '1h', until: '65s' }, 3],
  ])('filter: %j finds %i', async (query, count) => {
    expect(await incident.idsOf('GET /events', query as Record<string, string>)).toHaveLength(count);
  });

  it.each(['newest', 'oldest'])('page by cursor, the %s first, each event once', async order => {
    const whole = await incident.idsOf('GET /events', { order });
    const paged: string[] = [];
    let cursor: unknown;
    do {
      const query = { order, limit: '2', ...(typeof cursor === 'string' ? { cursor } : {}) };
      const { body } = await incident.call('GET /events', { query });
      paged.push(
        ...(body['events'] as { source: string; event_id: string }[]).map(it => `${it.source} ${it.event_id}`),
      );
      cursor = body['next_cursor'];
    } while (cursor !== null);
    expect(paged).toEqual(whole);
    expect(whole[order === 'newest' ? 0 : 8]).toBe('shop twin');
  });

  it('have a list of their own for dead letters, as old as they are kept', async () => {
    expect(await incident.idsOf('GET /dead-letters', {})).toEqual(['pay bad-3', 'pay bad-2', 'pay bad-1']);
    expect(await incident.idsOf('GET /dead-letters', { cause: 'payload_missing' })).toEqual([]);
  });
});

describe('the replay of one event', () => {
  const replay = (id: string, body: unknown, query = {}): Promise<ApiAnswer> =>
    incident.call('POST /events/{event_id}/replay', about(id, { body, query }));

  it('runs it again once, tells who and why, and is one replay however often the request comes', async () => {
    incident.fixed = true;
    const request = { why: 'schema fixed', request_id: 'r-1' };
    const first = await replay('bad-1', request);
    expect(first).toMatchObject({ status: 202, body: { outcome: 'replayed', status: 'pending', generation: 2 } });
    expect(await replay('bad-1', request)).toMatchObject({ status: 202, body: { outcome: 'already_replayed' } });
    await incident.world.clock.advanceBy(30_000);
    const after = await incident.call('GET /events/{event_id}', about('bad-1'));
    expect(after.body).toMatchObject({
      status: 'completed',
      generation: 2,
      replays: [{ gen: 2, id: 'api-r-1', by: CALLER, why: 'schema fixed' }],
    });
    expect((after.body['timeline'] as { step: string }[]).map(it => it.step)).toContain('replayed');
  });

  it('is refused while an attempt runs', () => {
    const [asked, seen] = incident.meanwhile;
    expect(asked).toMatchObject({ status: 409, body: { error: 'running' } });
    expect(seen?.body).toMatchObject({
      status: 'processing',
      timeline: expect.arrayContaining([{ note: 'running' }].map(it => expect.objectContaining(it))),
    });
  });

  it('is refused with the reason when the event is not what it was, has gone, or has not that body', async () => {
    const { store } = incident.api.ports;
    const before = await store.get('pay#ok-2' as never);
    await replay('ok-2', { why: 'first' });
    await incident.world.clock.advanceBy(30_000);
    const late = { ...store, get: async () => before, update: store.update.bind(store) };
    const api = new StatusApi(incident.world, document, { store: late as typeof store });
    const second = await api.call('POST /events/{event_id}/replay', about('evt_pay.ok-2', { body: { why: 'second' } }));
    expect(second).toMatchObject({ status: 409, body: { error: 'changed' } });
    const gone = {
      ...late,
      get: async () => ({ ...before, pk: 'pay#ok-2' }),
      update: async () => ({ kind: 'refused' }),
    };
    const third = await new StatusApi(incident.world, document, { store: gone as never }).call(
      'POST /events/{event_id}/replay',
      about('evt_pay.ok-2', { body: { why: 'third' } }),
    );
    expect(third).toMatchObject({ status: 409, body: { error: 'gone' } });
    const other = await replay('ok-2', { why: 'the other body', body_sha256: '0'.repeat(64) });
    expect(other).toMatchObject({ status: 409, body: { error: 'body_missing' } });
    expect((await replay('twin', { why: 'x' })).status).toBe(409);
    expect((await replay('nobody', { why: 'x' })).status).toBe(404);
  });
});

describe('a replay job', () => {
  it('replays exactly what its dry run counted, and a repeated request nothing', async () => {
    const dead = await incident.call('GET /dead-letters', { query: { cause: 'permanent' } });
    const [{ last_error: error }] = dead.body['events'] as [{ last_error: string }];
    const filter = { cause: 'permanent', error, since: '6h' };
    const counted = await incident.call('POST /replay-jobs', { body: { ...filter, dry_run: true } });
    expect(counted).toMatchObject({ status: 200, body: { dry_run: true, count: 2, complete: true } });
    const request = { ...filter, as_of: counted.body['as_of'], why: 'schema fixed', rate_per_second: 20, limit: 10 };
    const jobs = [await incident.call('POST /replay-jobs', { body: request })];
    expect(jobs[0]).toMatchObject({
      status: 202,
      body: { state: 'running', by: CALLER, limit: 10, filter: { cause: 'permanent', error: errorPattern(error) } },
    });
    await incident.world.clock.advanceBy(10 * MINUTE_MS);
    jobs.push(await incident.call('POST /replay-jobs', { body: request }));
    await incident.world.clock.advanceBy(10 * MINUTE_MS);
    const over = await Promise.all(
      jobs.map(({ body }) => incident.call('GET /replay-jobs/{job_id}', { path: { job_id: String(body['job_id']) } })),
    );
    for (const { body } of over) {
      const begun = Date.parse(String(body['begun_at'])) - Date.parse(String(body['created_at']));
      expect(begun, 'it begins within five seconds').toBeLessThan(5_000);
    }
    expect(over.map(it => [it.body['state'], (it.body['counts'] as { replayed: number }).replayed])).toEqual([
      ['done', 2],
      ['done', 0],
    ]);
    expect(await incident.idsOf('GET /dead-letters', {})).toEqual([]);
    const path = { job_id: String(jobs[0]?.body['job_id']) };
    const late = await incident.call('POST /replay-jobs/{job_id}/cancel', { path });
    expect(late).toMatchObject({ status: 409, body: { error: 'job_over' } });
  });

  it('can be canceled, and shows what the CLI expected of it', async () => {
    const { ports } = incident.api;
    const now = incident.world.clock.now();
    const filter = { sources: [], statuses: ['completed' as const], type: 'ping', since: now - HOUR_MS, until: now };
    const job = await createReplayJob({ filter, expected: 7, ratePerSecond: 1, by: 'ada', why: 'mistake' }, ports);
    const path = { job_id: job.id };
    const canceled = await incident.call('POST /replay-jobs/{job_id}/cancel', { path });
    expect(canceled).toMatchObject({ status: 200, body: { state: 'canceled', canceled_by: CALLER, expected: 7 } });
    for (const job_id of ['rj-none', '', '../x', 'x'.repeat(3_000)]) {
      expect((await incident.call('GET /replay-jobs/{job_id}', { path: { job_id } })).status).toBe(404);
      expect((await incident.call('POST /replay-jobs/{job_id}/cancel', { path: { job_id } })).status).toBe(404);
    }
  });
});

describe('a pause', () => {
  const source = { path: { source: 'shop' } };

  it('holds a source and its end lets it go; a second one keeps the first’s reason', async () => {
    const pause = (why: string): Promise<ApiAnswer> =>
      incident.call('POST /sources/{source}/pause', { ...source, body: { why } });
    expect((await pause('shop is down')).body).toMatchObject({
      changed: true,
      paused: { by: CALLER, why: 'shop is down' },
    });
    expect((await pause('again')).body).toMatchObject({ changed: false, paused: { why: 'shop is down' } });
    const { body } = await incident.call('GET /sources');
    expect(body['sources']).toMatchObject([
      { source: 'shop', provider: 'generic', paths: ['/webhooks/shop'], paused: { why: 'shop is down' } },
      { source: 'pay', paused: null },
    ]);
    await incident.world.post({ id: 'held', source: 'shop' });
    await incident.world.clock.advanceBy(30_000);
    expect((await incident.call('GET /events/{event_id}', about('held'))).body).toMatchObject({ status: 'deferred' });
    expect((await incident.call('POST /sources/{source}/resume', source)).body).toMatchObject({
      changed: true,
      paused: null,
    });
    expect((await incident.call('POST /sources/{source}/resume', source)).body).toMatchObject({ changed: false });
    await incident.world.clock.advanceBy(5 * MINUTE_MS);
    expect((await incident.call('GET /events/{event_id}', about('held'))).body).toMatchObject({ status: 'completed' });
  });

  it('of a source that was removed from the configuration can be ended: its events wait for it', async () => {
    const gone = { path: { source: 'removed' } };
    const { clock } = incident.world;
    await pauseSource(
      toSourceId('removed'),
      { by: CALLER, why: 'moved away' },
      { control: incident.api.ports.control, clock },
    );
    expect((await incident.call('POST /sources/{source}/resume', gone)).body).toMatchObject({ changed: true });
    expect((await incident.call('POST /sources/{source}/resume', gone)).status).toBe(404);
  });

  it('of a source that is not there is 404', async () => {
    const nobody = { path: { source: 'nobody' } };
    expect((await incident.call('POST /sources/{source}/pause', { ...nobody, body: { why: 'x' } })).status).toBe(404);
    expect((await incident.call('POST /sources/{source}/resume', nobody)).status).toBe(404);
  });
});

describe('an unknown parameter', () => {
  it.each(API_ROUTES)('is refused: %s', async route => {
    const path = { event_id: 'ok-1', job_id: 'rj-1', source: 'shop' };
    const { status, body } = await incident.call(route, { path, query: { nonsense: '1' }, body: { why: 'x' } });
    expect([status, body]).toMatchObject([400, { details: [{ path: 'nonsense', given: 'an unknown key' }] }]);
  });
});

describe('a body that is too long', () => {
  it.each(API_ROUTES.filter(it => it.startsWith('POST')))('is refused: %s', async route => {
    const path = { event_id: 'ok-1', job_id: 'rj-1', source: 'shop' };
    const answer = await incident.call(route, { path, body: `{"why":"${'x'.repeat(5_000_000)}"}` });
    expect(answer).toMatchObject({ status: 413, body: { error: 'too_large' } });
    expect(JSON.stringify(answer.body).length).toBeLessThan(500);
  });
});

describe('a store that does not answer', () => {
  it('is 503 on every route, counted and logged', async () => {
    const silent = new Proxy({}, { get: () => () => Promise.reject(new DependencyError('dynamodb', 'timed out')) });
    const api = new StatusApi(incident.world, document, { store: silent as never, control: silent as never });
    const before = incident.world.telemetry.total('DependencyError');
    for (const route of API_ROUTES) {
      const body = { ...(API_FIELDS[route].body.includes('why') ? { why: 'x' } : {}) };
      const filter = route === 'POST /replay-jobs' ? { status: 'failed' } : {};
      const path = { event_id: 'evt_pay.ok-1', job_id: 'rj-1', source: 'shop' };
      const answer = await api.call(route, {
        path,
        ...(route.startsWith('POST') ? { body: { ...body, ...filter } } : {}),
      });
      expect(answer, route).toMatchObject({ status: 503, body: { error: 'not_recorded' } });
    }
    expect(incident.world.telemetry.total('DependencyError') - before).toBe(API_ROUTES.length);
  });
});

describe('a death that a person closed', () => {
  it('is out of the dead letters, and says who decided that and why', async () => {
    incident.fixed = false;
    await incident.world.post({ id: 'bad-closed', source: 'pay', type: 'invoice.paid' });
    await incident.world.clock.advanceBy(60_000);
    expect(await incident.world.close('bad-closed', 'pay')).toBe('closed');
    // The index lags.
    await incident.world.clock.advanceBy(10_000);
    expect(await incident.idsOf('GET /dead-letters', {})).not.toContain('pay bad-closed');
    expect(await incident.idsOf('GET /events', { status: 'closed' })).toEqual(['pay bad-closed']);
    const { body } = await incident.call('GET /events/{event_id}', about('bad-closed'));
    expect(body).toMatchObject({ status: 'closed', closed_by: 'test', closed_why: 'test' });
  });
});

describe('docs/api/openapi.json', () => {
  it('has the routes of the code, with their parameters and fields, and is of this release', () => {
    expect([...document.operations.keys()].sort()).toEqual(['GET /health', ...API_ROUTES].sort());
    for (const route of API_ROUTES) {
      const described = {
        query: document.parametersOf(route, 'query').map(it => it.name),
        body: Object.keys(document.bodySchemaOf(route)?.properties ?? {}),
      };
      expect({ query: described.query.sort(), body: described.body.sort() }, route).toEqual({
        query: [...API_FIELDS[route].query].sort(),
        body: [...API_FIELDS[route].body].sort(),
      });
      const names = [...route.matchAll(/\{(\w+)\}/g)].map(match => match[1]);
      expect(
        document.parametersOf(route, 'path').map(it => it.name),
        route,
      ).toEqual(names);
    }
    expect(document.document.info.version).toBe(VERSION);
  });

  it('describes only answers and fields that were shown here', async () => {
    expect((await incident.api.call('GET /health')).body).toEqual({ version: VERSION });
    expect(document.unseen()).toEqual([]);
  });
});
