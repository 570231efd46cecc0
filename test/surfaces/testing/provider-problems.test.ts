/** The mistakes in the identity of a provider of one's own, each named; a right one has none. */
import { providerProblems } from 'holdfast/testing';
import { expect, it } from 'vitest';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { template } from '#providers/_template.ts';

const keyed = (...key: string[][]): ProviderSpec => ({
  ...template,
  identity: { ...template.identity, key: key as ProviderSpec['identity']['key'] },
});
const row = (type: string, sentAt: number) => ({ body: { table: 'orders', type, record: { id: 7 }, sent_at: sentAt } });
const [insert, update] = [row('INSERT', 1), row('UPDATE', 1)];

it('finds two events with one key: the second would be dropped', () => {
  const provider = keyed(['json:table', 'json:record.id']);
  expect(providerProblems({ provider, distinct: [insert, update] })).toEqual([
    expect.stringMatching(/^distinct\[0\] and distinct\[1\] have one key, ".*": the second is dropped as a duplicate/),
  ]);
});

it('finds a repetition with another key: it would run again', () => {
  const provider = keyed(['json:type', 'json:record.id', 'json:sent_at']);
  expect(providerProblems({ provider, distinct: [insert, update], repeated: [[insert, row('INSERT', 2)]] })).toEqual([
    expect.stringMatching(/^repeated\[0\]\[0\] has the key .* runs again/),
  ]);
});

it('finds a path that is not there', () => {
  expect(providerProblems({ provider: keyed(['json:record.uid']), distinct: [insert] })).toEqual([
    expect.stringMatching(/^distinct\[0\] lacks a part of each alternative/),
  ]);
});

it('finds nothing in an identity that is right, in one that has none, and in items of a batch', () => {
  const right = keyed(['json:type', 'json:record.id']);
  const repeated = [[insert, row('INSERT', 2)]] as const;
  expect(providerProblems({ provider: right, distinct: [insert, update], repeated })).toEqual([]);
  expect(providerProblems({ provider: keyed(['none']), distinct: [insert, update] })).toEqual([]);
  const batch = { ...template, identity: { ...template.identity, items: 'events[]' } };
  const events = (...ids: string[]) => ({ body: { events: ids.map(id => ({ id })) } });
  expect(providerProblems({ provider: batch, distinct: [events('a', 'b'), events('c')] })).toEqual([]);
  expect(providerProblems({ provider: batch, distinct: [events('a', 'b'), events('b'), events()] })).toEqual([
    expect.stringContaining('distinct[2] is no event'),
    expect.stringContaining('distinct[0] and distinct[1] have one key'),
  ]);
});
