/** What a customer sees of each trouble is said in words, and is true of the trouble. */
import { expect, it } from 'vitest';
import type { Json } from '#test/kit/producer-world.ts';
import { recordTroubles } from './troubles.ts';

it('names the fault and what comes next of each trouble', async () => {
  const all = (await recordTroubles()) as Record<string, Json>;
  const words = (name: string): string => all[name].portal.attempts?.in_words ?? 'no attempt';
  const of = (name: string) => all[name].portal.delivery;
  expect(words('a poison: 422')).toBe('422: the endpoint refused this message');
  expect(of('a poison: 422')).toMatchObject({ status: 'retrying', held: false, attempt_count: 1 });
  expect(of('the endpoint is down: 500 to everything')).toMatchObject({ held: true, held_why: 'breaker' });
  expect(words('throttled: 429')).toBe('429: the endpoint asked for a slower pace, and so was the next request');
  expect(of('throttled: 429')).toMatchObject({ status: 'pending', held_why: 'throttled', attempt_count: 0 });
  expect(of('the head of an ordered endpoint waits: 500')).toMatchObject({ status: 'retrying', attempt_count: 1 });
  expect(words('held by the guard: no answer')).toContain('most likely our own way out fails');
  expect(all['held by the guard: no answer']?.portal.attempts).toMatchObject({ spared: 'egress' });
  expect(of('disabled')).toMatchObject({ status: 'pending', held_why: 'disabled' });
  expect(of('disabled').next_retry_at).toBeUndefined();
  expect(of('dead')).toMatchObject({ status: 'dead', attempt_count: 2, replayable: true });
  expect(all['dead']?.portal.health).toMatchObject({ dead: 1, died: 1, gate: 'open' });
  expect(of('a batch that failed twice: 503')).toMatchObject({ status: 'retrying', attempt_count: 2 });
  const poison = 'a poison at a quiet endpoint: 500, ten times';
  expect(of(poison)).toMatchObject({ status: 'dead', attempt_count: 10 });
  expect(all[poison]?.portal.health).toMatchObject({ gate: 'open', dead: 1 });
  const head = 'a head that was given up: 500, for longer than head_of_line_hours';
  expect(of(head)).toMatchObject({ status: 'dead', replayable: true });
  expect(all[head]?.portal.health).toMatchObject({ gate: 'open' });
  expect(of('sent again after its death')).toMatchObject({ status: 'delivered', generation: 2, replayed_from: 1 });
  expect(all['sent again after its death']?.portal.health).toMatchObject({ dead: 0, died: 1 });
  expect(of('its body was erased while it waited')).toMatchObject({ status: 'canceled', attempt_count: 0 });
  expect(of('a broadcast, after another customer of it was erased')).toMatchObject({ status: 'delivered' });
  // The split charged nobody.
  expect(of('a batch that was split: 422')).toMatchObject({ status: 'retrying', attempt_count: 0 });
});
