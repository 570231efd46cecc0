import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type EventKey,
  eventIdToPk,
  isEventKey,
  splitEventPk,
  toEventId,
  toEventPk,
  toSourceId,
} from '#core/glossary.ts';

const sourceIds = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?$/);
const eventKeys = fc.stringMatching(/^[\x21-\x7e]{1,256}$/);

describe('ids', () => {
  it('brings every event key through the public id and back', () => {
    fc.assert(
      fc.property(sourceIds, eventKeys, (source, key) => {
        const pk = toEventPk(toSourceId(source), key as EventKey);
        const id = toEventId(pk);
        expect(id).toMatch(/^evt_[\w.~-]+$/);
        expect(eventIdToPk(id)).toBe(pk);
        // As API Gateway hands it on, and as somebody wrote it who escapes by percent.
        expect(eventIdToPk(decodeURIComponent(id))).toBe(pk);
        expect(eventIdToPk(id.replaceAll('~', '%'))).toBe(pk);
        expect(splitEventPk(pk)).toEqual({ sourceId: source, eventKey: key });
      }),
    );
  });

  it('gives two sources two keys for the same provider id', () => {
    expect(toEventPk(toSourceId('a'), '1' as EventKey)).not.toBe(toEventPk(toSourceId('b'), '1' as EventKey));
  });

  it.each(['', 'A', '-a', 'a-', 'a#b', 'a_b', 'x'.repeat(41)])('refuses the source id %j', text => {
    expect(() => toSourceId(text)).toThrow('is not a source id');
  });

  it.each(['', ' ', 'a b', 'ü', '\uffff', 'x'.repeat(257), 'a\n'])('does not take %j as an event key', text => {
    expect(isEventKey(text)).toBe(false);
  });

  it.each(['', 'evt_', 'evt_stripe', 'evt_1MqLSbKJFk9d2k', 'evt_stripe.%zz', 'stripe.a'])(
    'takes %j for no id of ours',
    text => {
      expect(eventIdToPk(text)).toBeUndefined();
    },
  );
});
