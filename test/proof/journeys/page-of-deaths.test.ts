/** The alarm of new deaths on its way to a person, with real deaths in the store. */
import { describe, expect, it } from 'vitest';
import { MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { MemoryTelemetry } from '#adapters/memory/memory-telemetry.ts';
import { DependencyError } from '#core/errors.ts';
import { toSourceId } from '#core/glossary.ts';
import { PermanentError } from '#core/handler/handler-contract.ts';
import { notifyOnCall } from '#core/inbound/watch/notify-on-call.ts';
import { MINUTE_MS } from '#core/time.ts';
import { EVENTS, MemoryWorld } from '#test/kit/memory-world.ts';
import { handlerThat } from './support/handlers.ts';

const ALARM = {
  AlarmName: 'holdfast-prod-process-new-dead-letters',
  AlarmDescription: 'page: An event has just died.',
  NewStateValue: 'ALARM',
  NewStateReason: 'Threshold Crossed',
  Region: 'EU (Frankfurt)',
};

async function worldWithDeaths(ids: readonly string[]): Promise<MemoryWorld> {
  const world = new MemoryWorld({
    sources: ['shop', 'pay'],
    handlers: handlerThat(({ id }) =>
      id.startsWith('bad') ? Promise.reject(new PermanentError(`no account for ${id}`)) : undefined,
    ),
  });
  world.start();
  for (const id of ids) await world.post({ id, source: id.endsWith('p') ? 'pay' : 'shop' });
  await world.settle();
  return world;
}

async function told(world: MemoryWorld, alarm: object = ALARM, store?: MemoryEventStore) {
  const published: { subject: string; message: string; text: string }[] = [];
  const pager = {
    publish: async (subject: string, message: string, text: string) => void published.push({ subject, message, text }),
  };
  const ports = {
    pager,
    store: store ?? new MemoryEventStore(world.database, EVENTS),
    clock: world.clock,
    telemetry: new MemoryTelemetry(),
  };
  const rules = { environment: 'prod', sourceIds: ['shop', 'pay'].map(toSourceId) };
  await world.clock.complete(notifyOnCall({ subject: 'ALARM: it', message: JSON.stringify(alarm) }, ports, rules));
  expect(published).toHaveLength(1);
  const [page] = published;
  return { ...page, alarm: JSON.parse(page?.message ?? '{}') as Record<string, string> };
}

describe('the page of new deaths', () => {
  it('names the event, its source, the cause, the error, and the commands that show and fix it', async () => {
    const world = await worldWithDeaths(['good-1', 'bad-1']);
    const { alarm, text } = await told(world);
    expect(alarm).toMatchObject({ AlarmName: ALARM.AlarmName, NewStateValue: 'ALARM', Region: ALARM.Region });
    for (const told of [alarm['AlarmDescription'], text]) {
      expect(told).toContain('An event has just died');
      expect(told).toContain('evt_shop.bad-1');
      expect(told).toContain('1 of source shop, cause permanent');
      expect(told).toContain('no account for bad-1');
      expect(told).toContain('npm run holdfast -- events get evt_shop.bad-1 --env prod');
      expect(told).toContain(
        'npm run holdfast -- replay --source shop --cause permanent --since 24h --dry-run --env prod',
      );
      expect(told).not.toContain('good-1');
    }
  });

  it('counts by source and cause, and names the newest few', async () => {
    const world = await worldWithDeaths(['bad-1', 'bad-2', 'bad-3', 'bad-4', 'bad-5', 'bad-6', 'bad-7p']);
    const { text } = await told(world);
    expect(text).toContain('7 events have just died in prod');
    expect(text).toContain('6 of source shop, cause permanent');
    expect(text).toContain('1 of source pay, cause permanent');
    expect(text?.match(/ evt_\S+ \(test\.event\)/g)).toHaveLength(5);
  });

  it('says nothing of deaths of long ago, nor when the alarm is over', async () => {
    const world = await worldWithDeaths(['bad-1']);
    expect((await told(world, { ...ALARM, NewStateValue: 'OK' })).text).not.toContain('bad-1');
    await world.clock.advanceBy(11 * MINUTE_MS);
    expect((await told(world)).text).not.toContain('bad-1');
  });

  it('is passed on as it came when the table does not answer', async () => {
    const world = await worldWithDeaths(['bad-1']);
    const store = new MemoryEventStore(world.database, EVENTS);
    store.attention = () => Promise.reject(new DependencyError('dynamodb', 'down'));
    const { alarm } = await told(world, ALARM, store);
    expect(alarm).toMatchObject({ AlarmDescription: ALARM.AlarmDescription });
  });
});
