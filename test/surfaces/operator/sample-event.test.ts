/** What `holdfast send` sends. That samples verify, and what tells them apart, is judged by test/providers/identity.test.ts. */
import { describe, expect, it } from 'vitest';
import { sampleEvent, sampleNames } from '#operator/sources/sample-event.ts';
import { PROVIDERS } from '#providers/index.ts';

const NOW = new Date('2026-11-21T03:00:00Z');

describe('sample events', () => {
  it('are there for every provider, and for nothing else', () => {
    expect(sampleNames()).toEqual(Object.keys(PROVIDERS).sort());
  });

  it.each(sampleNames())('of %s are filled', name => {
    const { body, headers, rawQuery } = sampleEvent(name, NOW);
    expect(JSON.stringify([body, headers, rawQuery])).not.toContain('{{');
  });

  it('are new events each time', () => {
    const texts = sampleNames().map(name => [name, JSON.stringify(sampleEvent(name, NOW))] as const);
    const same = texts.filter(([name, text]) => JSON.stringify(sampleEvent(name, NOW)) === text).map(([name]) => name);
    // A notice of Dropbox never differs.
    expect(same).toEqual(['dropbox']);
  });

  it('can have another type', () => {
    expect(JSON.parse(sampleEvent('stripe', NOW, 'invoice.paid').body)).toMatchObject({
      type: 'invoice.paid',
      created: 1_795_230_000,
    });
  });

  it('of a provider without one of its own are generic', () => {
    expect(JSON.parse(sampleEvent('nobody', NOW).body)).toMatchObject({ event_type: 'order.created' });
  });
});
