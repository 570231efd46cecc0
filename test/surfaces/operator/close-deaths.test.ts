/** Closing many deaths: whoever ends it meanwhile keeps what is closed, and nothing more is. */
import { expect, it } from 'vitest';
import { toSourceId } from '#core/glossary.ts';
import { closeDeaths } from '#operator/deaths/close-deaths.ts';
import type { Operator } from '#operator/operator.ts';
import { ConsoleGateway } from '#test/kit/console-gateway.ts';

it('begins nothing after the signal, and says how many it did not come to', async () => {
  const gateway = new ConsoleGateway();
  for (let n = 0; n < 80; n++)
    gateway.add({ source: 'stripe', key: `evt_${n}`, type: 'a', status: 'dead_letter', receivedAt: Date.now() - n });
  const operator: Operator = gateway.operator();
  const { store } = await operator.gateway();
  const { items: entries } = await store.attention(toSourceId('stripe'));
  const deaths = await store.getMany(entries.map(({ pk }) => pk));
  const stop = new AbortController();
  const told: number[] = [];
  const onClosed = (closed: number): void => {
    told.push(closed);
    stop.abort();
  };
  expect(deaths).toHaveLength(80);
  const { closed, left } = await closeDeaths(operator, deaths, { why: 'test', signal: stop.signal, onClosed });
  expect(told).toEqual([closed]);
  expect(closed).toBeGreaterThan(0);
  expect(closed).toBeLessThan(80);
  expect(left).toBe(80 - closed);
});
