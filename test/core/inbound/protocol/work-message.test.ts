import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EventKey, toEventPk, toSourceId } from '#core/glossary.ts';
import {
  decodeWorkMessage,
  encodeWorkMessage,
  referenceTo,
  type WorkMessage,
} from '#core/inbound/protocol/work-message.ts';

const MESSAGE: WorkMessage = {
  v: 1,
  pk: toEventPk(toSourceId('stripe'), 'evt_1' as EventKey),
  gen: 2,
  bodySha: 'ab'.repeat(32),
  provider: 'stripe',
  eventType: 'invoice.paid',
  ingestId: 'i1',
  size: 12,
  receivedAt: 1_767_571_200_000,
};

describe('a message in the queue', () => {
  it('names an event with all that a claim of it needs, also that nobody delivered it', () => {
    const { v: _, ...event } = { ...MESSAGE, eventAt: 5, itemPath: '/0', reconciled: true as const };
    expect(referenceTo(event as never)).toEqual({ ...event, v: 1 });
    expect(referenceTo({ ...event, payload: 'x', reconciled: undefined, eventAt: undefined } as never)).toEqual({
      ...MESSAGE,
      itemPath: '/0',
    });
  });

  it('is read as it was written, with and without what it may carry', () => {
    const full: WorkMessage = {
      ...MESSAGE,
      eventAt: 5,
      payload: 'eJw=',
      headers: { a: 'b' },
      deadId: 'd',
      again: true,
    };
    for (const message of [MESSAGE, full])
      expect(decodeWorkMessage(encodeWorkMessage(message))).toEqual({ kind: 'message', message });
  });

  // Holds I7: what is not read for certain goes to the DLQ with its reason, and is never dropped.
  it.each<[string, object, RegExp]>([
    ['of another version', { v: 2 }, /unknown version 2/],
    ['of no version', { v: undefined }, /unknown version/],
    ['without a generation', { gen: undefined }, /"gen"/],
    ['of generation 0', { gen: 0 }, /"gen" is not a positive integer/],
    ['of half a generation', { gen: 1.5 }, /"gen" is not a positive integer/],
    ['whose size is a text', { size: '12' }, /"size" is not a number/],
    ['whose payload is null', { payload: null }, /"payload" is not a string/],
    ['whose key is none', { pk: 'no hash' }, /"pk" is not an event key/],
  ])('%s is unknown', (_what, change, reason) => {
    const decoded = decodeWorkMessage(JSON.stringify({ ...MESSAGE, ...change }));
    expect(decoded).toEqual({ kind: 'unknown', reason: expect.stringMatching(reason) });
  });

  it('never throws, whatever the text is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.constant('[]'), fc.constant('null')), text => {
        expect(decodeWorkMessage(text).kind).toBe('unknown');
      }),
    );
  });
});
