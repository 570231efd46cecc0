/** Whether a provider that a project describes tells its events apart, and knows a repetition. */
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { identify } from './create-test-event.ts';
import { encodeBody, lowerCased, type WebhookBody } from './webhook-body.ts';

/** A request of the provider, without its signature. */
export interface ProviderRequest {
  readonly body: WebhookBody;
  /** @default none */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What `providerProblems` looks at. */
export interface ProviderEvents {
  readonly provider: ProviderSpec;
  /** Requests of different events: at least one of each kind, and two that are as alike as the provider can make them. */
  readonly distinct: readonly ProviderRequest[];
  /** The same event, sent twice: with another attempt counter or sending time, say. @default none */
  readonly repeated?: readonly (readonly [ProviderRequest, ProviderRequest])[];
}

/**
 * What is wrong with `identity` of a provider, a sentence each; empty when every event of `distinct` is kept and each
 * repetition is known as one. Two events with one key are the mistake to look for: the second is dropped as a duplicate.
 * @example
 * const acme: ProviderSpec = (await import(`../providers/${'acme'}.ts`)).acme;
 * const parcel = (state: string) => ({ body: { id: 'p1', type: `parcel.${state}` } });
 * const problems = providerProblems({ provider: acme, distinct: [parcel('sent'), parcel('lost')] });
 * if (problems.length > 0) throw new Error(problems.join('\n'));
 */
export function providerProblems({ provider, distinct, repeated = [] }: ProviderEvents): readonly string[] {
  const events = distinct.map((request, index) => keysOf(provider, request, `distinct[${index}]`));
  const problems = events.flatMap(({ problem }) => problem ?? []);
  for (const [index, { keys, name }] of events.entries())
    for (const before of events.slice(0, index)) {
      const shared = keys.find(key => before.keys.includes(key));
      if (shared === undefined) continue;
      problems.push(
        `${before.name} and ${name} have one key, ${JSON.stringify(shared)}: the second is dropped as a duplicate. Add to identity.key what tells them apart.`,
      );
    }
  for (const [index, pair] of repeated.entries()) {
    const [first, again] = pair.map((request, at) => keysOf(provider, request, `repeated[${index}][${at}]`));
    if (first === undefined || again === undefined) continue;
    problems.push(...[first, again].flatMap(({ problem }) => problem ?? []));
    if (first.keys.join('\n') !== again.keys.join('\n'))
      problems.push(
        `${first.name} has the key ${JSON.stringify(first.keys.join(', '))} and ${again.name} ${JSON.stringify(again.keys.join(', '))}: the repetition runs again. Leave out of identity.key what changes with it.`,
      );
  }
  return problems;
}

interface Keyed {
  readonly name: string;
  /** Of each event in the request. */
  readonly keys: readonly string[];
  readonly problem?: string;
}

function keysOf(provider: ProviderSpec, { body, headers = {} }: ProviderRequest, name: string): Keyed {
  const { bytes, contentType } = encodeBody(body);
  const { identity } = provider;
  // Without the last resort, the hash of the whole body.
  const strict = { ...provider, identity: { ...identity, key: [...identity.key, ['none'] as const] } };
  const found = identify(strict, bytes, { 'content-type': contentType, ...lowerCased(headers) });
  if (found.kind === 'nothing')
    return { name, keys: [], problem: `${name} is no event: the array that identity.items names is empty in it.` };
  const keys = found.kind === 'event' ? [found.key] : found.items.map(({ key }) => key);
  const known = keys.filter(key => key !== undefined);
  if (known.length === keys.length || identity.key.some(each => each.includes('none'))) return { name, keys: known };
  return {
    name,
    keys: known,
    problem: `${name} lacks a part of each alternative of identity.key, so its whole body is its key.`,
  };
}
