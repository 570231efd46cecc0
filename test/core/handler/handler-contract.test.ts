import { describe, expect, it } from 'vitest';
import { toSourceId } from '#core/glossary.ts';
import { defineHandlers, done } from '#core/handler/handler-contract.ts';

const handle = async () => done();
const stripe = toSourceId('stripe');

describe('defineHandlers', () => {
  it('prefers a named source to *, and the longer type to the shorter', () => {
    const registry = defineHandlers([
      { source: '*', type: 'invoice.paid', handle, name: 'any exact' },
      { source: 'stripe', type: '*', handle, name: 'all of stripe' },
      { source: 'stripe', type: 'invoice.*', handle, name: 'invoices of stripe' },
      { source: 'stripe', type: 'invoice.paid', handle, name: 'exact' },
    ]);
    const nameOf = (type: string, source = stripe) => registry.find(source, type)?.name;
    expect(nameOf('invoice.paid')).toBe('exact');
    expect(nameOf('invoice.created')).toBe('invoices of stripe');
    expect(nameOf('charge.failed')).toBe('all of stripe');
    expect(nameOf('invoice.paid', toSourceId('other'))).toBe('any exact');
    expect(nameOf('charge.failed', toSourceId('other'))).toBeUndefined();
  });

  it('refuses two handlers for the same source and type', () => {
    const twice = [
      { source: 'stripe', type: 'a', handle },
      { source: 'stripe', type: 'a', handle },
    ];
    expect(() => defineHandlers(twice)).toThrow('Two handlers are registered for stripe:a');
  });

  it('refuses a * that is not at the end', () => {
    expect(() => defineHandlers([{ source: 'stripe', type: 'in*ice', handle }])).toThrow('"*" may only be at the end');
  });

  it.each([
    ['attempts that never end', { retry: { attempts: Number.NaN, baseSeconds: 1, capSeconds: 60 } }, 'retry.attempts'],
    ['no attempts', { retry: { attempts: 0, baseSeconds: 1, capSeconds: 60 } }, 'retry.attempts'],
    ['a wait in the past', { retry: { attempts: 5, baseSeconds: -1, capSeconds: 60 } }, 'retry.baseSeconds'],
    ['a wait without an end', { retry: { attempts: 5, baseSeconds: 1, capSeconds: 1e9 } }, 'retry.capSeconds'],
    ['no time', { timeLimitMs: 0 }, 'timeLimitMs'],
    ['not a time', { timeLimitMs: Number.NaN }, 'timeLimitMs'],
  ])('refuses %s, and says what is allowed', (_name, more, field) => {
    const define = () => defineHandlers([{ source: 'stripe', type: 'a', handle, ...more }]);
    expect(define).toThrow(`Handler stripe:a: ${field} is`);
    expect(define).toThrow('give a number from');
  });
});
