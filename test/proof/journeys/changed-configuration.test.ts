/** Events that were recorded under another configuration than the one that handles them. */
import { describe, expect, it } from 'vitest';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { generic } from '#providers/generic.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';
import { handlerThat } from './support/handlers.ts';
import { workOff } from './support/traces.ts';

const BATCHES: ProviderSpec = { ...generic, identity: { ...generic.identity, items: 'events[]' } };
const OTHER: ProviderSpec = { ...generic, id: 'other' };
const request = JSON.stringify({ events: [{ event_id: 'a' }, { event_id: 'b' }] });

/** A deploy of another table of sources. */
function deploy(world: MemoryWorld, sources: readonly ResolvedSource[]): void {
  (world.sources as ResolvedSource[]).splice(0, world.sources.length, ...sources);
  for (const each of [world.ingest, world.process, world.sweeper]) each.replaceEnvironments();
}

// Holds I2, I5.
describe('a request of several events that waits in the queue', () => {
  async function requestThen(change: (source: ResolvedSource) => readonly ResolvedSource[]) {
    const seen: string[] = [];
    const handlers = handlerThat((_call, event) => {
      seen.push(event.type);
      return undefined;
    });
    const world = new MemoryWorld({ handlers, source: { spec: BATCHES, unhandled: 'ignore' } });
    await world.post({ id: 'request', rawBody: request });
    const before = world.sources[0] as ResolvedSource;
    deploy(world, change(before));
    expect(await workOff(world)).toBe(true);
    return { world, seen, before };
  }

  it.each([
    ['moved to another provider', (source: ResolvedSource) => [{ ...source, spec: OTHER }]],
    ['was removed', () => []],
  ])('is kept whole for a person when its source %s, and split once it is back', async (_name, change) => {
    const { world, seen, before } = await requestThen(change);
    expect(seen).toEqual([]);
    const [parent] = world.items();
    expect(parent).toMatchObject({ status: 'dead_letter', cause: 'provider_changed', attempts: 1 });
    expect(parent?.lastError).toContain('generic');
    deploy(world, [before]);
    await world.clock.complete(
      world.replay(parent?.pk.split('#')[1] ?? '', { replayId: 'r', by: 'ada', why: 'the provider is back' }),
    );
    expect(await workOff(world)).toBe(true);
    expect(['a', 'b'].map(id => world.effects(id))).toEqual([1, 1]);
  });
});

it('an event whose own type ends in ".batch" is handled: its provider sends one event a request', async () => {
  const world = new MemoryWorld();
  await world.post({ id: 'evt_1', type: 'generic.batch' });
  expect(await workOff(world)).toBe(true);
  expect(world.item('evt_1')).toMatchObject({ status: 'completed', attempts: 1 });
});

// Holds I2, I10.
it('with dedupOnBody the items of a request go by their bodies too, whatever ids the sender uses again', async () => {
  const world = new MemoryWorld({ source: { spec: BATCHES, dedupOnBody: true } });
  const events = [
    { event_id: 'a', n: 1 },
    { event_id: 'a', n: 2 },
  ];
  await world.post({ id: 'request', rawBody: JSON.stringify({ events }) });
  expect(await workOff(world)).toBe(true);
  expect(world.items().map(it => it.status)).toEqual(['completed', 'completed', 'completed']);
});
