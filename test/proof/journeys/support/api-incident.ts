/** Two sources after an incident, and the status API over them. */
import { expect } from 'vitest';
import { busy, done, PermanentError } from '#core/handler/handler-contract.ts';
import type { ApiRoute } from '#core/inbound/api/api-routes.ts';
import type { ApiDocument } from '#test/kit/api-document.ts';
import { EVENTS, MemoryWorld } from '#test/kit/memory-world.ts';
import { handlerThat } from './handlers.ts';
import { type ApiAnswer, type ApiParts, StatusApi } from './status-api.ts';

/** Events that died of a schema change, one that waits for an hour, one in both sources. */
export class Incident {
  fixed = false;
  /** What the API answers to a replay of an event while its handler runs. */
  readonly meanwhile: ApiAnswer[] = [];
  readonly world = new MemoryWorld({
    sources: ['shop', 'pay'],
    handlers: handlerThat(({ id }) => {
      if (id.startsWith('bad') && !this.fixed) return Promise.reject(new PermanentError('no such column'));
      if (id === 'waits' && !this.fixed) return Promise.resolve(busy(2_000, 'the bank is closed'));
      if (id.startsWith('asks')) return this.#askFor(id);
      return Promise.resolve(done({ actionTaken: 'payment recorded', data: { amount: 5_000 } }));
    }),
  });
  readonly api: StatusApi;

  constructor(document: ApiDocument) {
    this.api = new StatusApi(this.world, document);
  }

  async happen(): Promise<void> {
    this.world.start();
    for (const id of ['ok-1', 'ok-2', 'bad-1', 'bad-2', 'bad-3', 'waits', 'twin', 'asks-1']) {
      await this.world.post({ id, source: 'pay', type: id.startsWith('bad') ? 'invoice.paid' : 'ping' });
      await this.world.clock.advanceBy(1_000);
    }
    await this.world.post({ id: 'twin', source: 'shop' });
    await this.world.clock.advanceBy(60_000);
    this.world.database.write({ kind: 'update', table: EVENTS, key: { pk: 'pay#twin' }, set: { reconciled: true } });
  }

  call(route: ApiRoute, parts: ApiParts = {}): Promise<ApiAnswer> {
    return this.api.call(route, parts);
  }

  async idsOf(route: 'GET /events' | 'GET /dead-letters', query: Readonly<Record<string, string>>): Promise<string[]> {
    const { status, body } = await this.call(route, { query });
    expect(status).toBe(200);
    return (body['events'] as { source: string; event_id: string }[]).map(it => `${it.source} ${it.event_id}`);
  }

  /** Replays its own event while it runs. */
  async #askFor(id: string) {
    const replay = { path: { event_id: id }, body: { why: 'in a hurry' } };
    this.meanwhile.push(await this.call('POST /events/{event_id}/replay', replay));
    this.meanwhile.push(await this.call('GET /events/{event_id}', { path: { event_id: id } }));
    return done({});
  }
}

/** The parts of a call about one event. */
export const about = (event_id: string, more: ApiParts = {}): ApiParts => ({ path: { event_id }, ...more });
