/**
 * One rule set for what makes two deliveries one event, over every provider and every sample it declares:
 *
 * 1. A repetition has the key of the first delivery: signed anew at another time, and with every value changed that the
 *    provider changes when it repeats.
 * 2. Another value in one of the fields that identify an event is another key.
 * 3. Another value anywhere else is the same key: nothing else is read in silence.
 * 4. What cannot keep to this says why: a key that cannot be told again (`runsAgain`), a key over whole bodies (`why`).
 * 5. Every alternative of every key is the one that some sample uses.
 * 6. A handler gets what each event is about, and when it happened, where the provider says so.
 */
import { describe, expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { subjectOf } from '#core/inbound/process/subject-of.ts';
import { itemHeaders, keptHeaders } from '#core/inbound/protocol/kept-headers.ts';
import type { Identity, ProviderSpec, Scheme } from '#core/provider/provider-spec.ts';
import { type Identification, identifyRequest } from '#core/verification/identify-request.ts';
import { verifyRequest } from '#core/verification/verify-request.ts';
import { type DeclaredSample, declaredSamples } from '#operator/sources/sample-event.ts';
import { PROVIDERS, providerById } from '#providers/index.ts';
import { changed, type Place, placesOf } from './changed-sample.ts';
import { type Genuine, genuineRequest, NOW_MS } from './genuine-request.ts';

const LATER_MS = NOW_MS + 60_000;

/** The sample as its provider would sign it. The first scheme that can carry it is taken. */
function signed(spec: ProviderSpec, sample: DeclaredSample, signedAtMs = NOW_MS): Genuine {
  const { body, headers, method, rawQuery } = sample;
  const scheme = schemeFor(spec, sample);
  const variation = { body: Buffer.from(body), headers, method, rawQuery, signedAtMs };
  if (scheme === undefined) return unsigned(spec, sample);
  const genuine = genuineRequest(spec, scheme, variation);
  return { ...genuine, context: { ...genuine.context, nowMs: signedAtMs } };
}

function schemeFor({ verify }: ProviderSpec, { body, headers }: DeclaredSample): Scheme | undefined {
  const isForm = headers['content-type']?.includes('form') === true && !body.startsWith('<');
  const reads = (scheme: Scheme, kind: string) => [scheme.sig.from].flat().some(src => src.startsWith(kind));
  const fits = verify.find(scheme => (isForm ? !reads(scheme, 'json:') : !reads(scheme, 'form:')));
  const covers = verify.find(scheme =>
    [scheme.sig.from].flat().some(src => headers[src.replace('header:', '')] !== undefined),
  );
  return covers ?? fits ?? verify[0];
}

function unsigned(spec: ProviderSpec, { body, headers, method, rawQuery }: DeclaredSample): Genuine {
  const request = { method, rawQuery, headers, body: Buffer.from(body), sourceIp: '192.0.2.1' };
  const context = { secret: undefined, nowMs: NOW_MS, settings: {}, crypto: nodeCrypto };
  return { spec, scheme: undefined as unknown as Scheme, request, context };
}

async function identify({ spec, request, context }: Genuine): Promise<Identification> {
  const verdict = await verifyRequest(spec, request, { ...context, nowMs: context.nowMs });
  if (verdict.kind !== 'verified') throw new Error(`does not verify: ${verdict.cause} ${verdict.hint ?? ''}`);
  const { crypto, settings } = context;
  return identifyRequest(spec, request, { crypto, settings, dedupOnBody: false, verdict });
}

/** Of a batch, its first item: samples have one. */
async function eventOf(genuine: Genuine) {
  const identified = await identify(genuine);
  if (identified.kind === 'nothing') throw new Error('it is no event');
  return identified.kind === 'event'
    ? { ...identified, path: '' }
    : { ...identified.items[0], path: identified.items[0]?.path ?? '' };
}

async function keyOf(spec: ProviderSpec, sample: DeclaredSample, signedAtMs?: number): Promise<string | undefined> {
  return (await eventOf(signed(spec, sample, signedAtMs))).key;
}

/** `events[0].id` as `events.0.id`. */
const dotted = (path: string): string => path.replaceAll(/\[(\d+)\]/g, '.$1').replace(/^\./, '');

function placeOf(src: string, itemPath: string): Place {
  const [, kind = '', name = ''] = /^(\w+):(.*)$/s.exec(src) ?? [];
  const prefix = itemPath === '' ? '' : `${dotted(itemPath)}.`;
  if (src === 'item:key') return { in: 'member', name: itemPath.replace(/\[.*/, '') };
  if (kind === 'claim') return { in: 'json', name };
  if (kind === 'json') return { in: 'json', name: `${prefix}${name}` };
  if (kind === 'root') return { in: 'json', name };
  if (kind === 'doc') return { in: 'text', name: xmlText(name) };
  if (kind === 'text') return { in: 'text', name };
  return { in: kind as 'header' | 'query' | 'form', name };
}

/** Times of XML samples are the only values named by their path. */
const xmlText = (path: string): string => (path.endsWith('timestamp') ? new Date(NOW_MS).toISOString() : path);

const samples = Object.values(PROVIDERS).flatMap(spec =>
  declaredSamples(spec.id, new Date(NOW_MS)).map(sample => [`${spec.id}: ${sample.title}`, spec, sample] as const),
);

describe.each(samples)('%s', (_name, spec, sample) => {
  const { identifiedBy, redeliveryChanges, runsAgain, why } = sample;

  it('verifies, and has a key unless it says why not', async () => {
    const event = await eventOf(signed(spec, sample));
    if (runsAgain === undefined) expect(event.key).toBeDefined();
    expect(identifiedBy.length > 0 || runsAgain !== undefined).toBe(true);
    if (identifiedBy.some(it => it === 'body' || it === 'item')) expect(why).toBeDefined();
  });

  it('is the same event when it is sent again', async () => {
    let again = sample;
    const { path } = await eventOf(signed(spec, sample));
    for (const src of redeliveryChanges) again = changed(again, placeOf(src, path));
    const [first, second] = [await keyOf(spec, sample), await keyOf(spec, again, LATER_MS)];
    if (runsAgain === undefined) expect(second).toBe(first);
    else expect(second === undefined || second !== first).toBe(true);
  });

  it('is another event with another value in what identifies it, and the same with another anywhere else', async () => {
    const { key, path } = await eventOf(signed(spec, sample));
    const whole = identifiedBy.includes('body') ? '' : identifiedBy.includes('item') ? dotted(path) : undefined;
    const named = identifiedBy.filter(it => it !== 'body' && it !== 'item').map(src => placeOf(src, path));
    for (const place of named) {
      expect(await keyOf(spec, changed(sample, place)), `another ${place.name} is the same event`).not.toBe(key);
    }
    if (runsAgain !== undefined && key === undefined) return;
    const names = new Set(named.map(place => `${place.in} ${place.name}`));
    for (const place of placesOf(sample)) {
      const inWhole = whole !== undefined && ['json', 'form'].includes(place.in) && place.name.startsWith(whole);
      if (names.has(`${place.in} ${place.name}`) || isSigned(spec, place)) continue;
      const next = await keyOf(spec, changed(sample, place));
      if (inWhole) expect(next, `another ${place.name} is the same event`).not.toBe(key);
      else if (!named.some(it => it.in === 'text')) expect(next, `${place.name} is read, and not declared`).toBe(key);
    }
  });
});

/** Signing writes the value itself. */
function isSigned({ verify }: ProviderSpec, place: Place): boolean {
  const written = verify.flatMap(({ sig, time, signedHeaders, claims = {}, alg }) => [
    ...[sig.from].flat(),
    time?.from ?? '',
    signedHeaders?.from ?? '',
    ...(alg === 'jwt' ? [] : Object.keys(claims).map(name => `json:${name}`)),
  ]);
  return (
    written.some(src => src.startsWith(`${place.in}:`) && place.name.endsWith(src.slice(place.in.length + 1))) ||
    ['content-type', 'TopicArn', 'Type'].includes(place.name)
  );
}

it.each(Object.values(PROVIDERS).map(spec => [spec.id, spec] as const))(
  '%s names the type of some event',
  async (_id, spec) => {
    const types: string[] = [];
    for (const sample of declaredSamples(spec.id, new Date(NOW_MS))) {
      types.push((await eventOf(signed(spec, sample))).eventType ?? '');
    }
    expect(types.every(type => type === 'unknown')).toBe(spec.identity.type.length === 0);
    const { character = '[^]', example = 'any' } = spec.types ?? {};
    for (const type of [...types, example]) expect(type).toMatch(new RegExp(`^${character}+$`));
  },
);

describe('what a handler gets', () => {
  /** As the record of the request, or of its first item, is read when its handler runs. */
  async function subject(spec: ProviderSpec, sample: DeclaredSample): Promise<string | undefined> {
    const genuine = signed(spec, sample);
    const { request, context } = genuine;
    const { settings } = context;
    const headers = keptHeaders(spec, request.headers, request.rawQuery);
    const identified = await identify(genuine);
    if (identified.kind !== 'batch') return subjectOf({}, { bytes: request.body, headers }, { spec, settings });
    const [item] = identified.items;
    if (!item) throw new Error('no item');
    return subjectOf(
      { itemPath: item.path },
      { bytes: item.bytes, headers: itemHeaders(headers, item) },
      { spec, settings },
    );
  }

  const ordered = Object.values(PROVIDERS).filter(({ identity }) => identity.ordering !== undefined);

  it.each(ordered.map(spec => [spec.id, spec] as const))('%s says what some event is about', async (_id, spec) => {
    const found = await Promise.all(declaredSamples(spec.id, new Date(NOW_MS)).map(sample => subject(spec, sample)));
    expect(found.some(text => text !== undefined)).toBe(true);
  });

  it.each([
    ['stripe', ['json:data.object.id', 'json:related_object.id']],
    ['terraform-cloud', ['root:run_id', 'json:details.workspace_id']],
  ])('%s says it and the time in each form', async (id, places) => {
    const spec = providerById(id);
    expect(spec.identity.ordering).toEqual(places);
    for (const sample of declaredSamples(id, new Date(NOW_MS)).filter(({ runsAgain }) => runsAgain === undefined)) {
      expect([sample.title, await subject(spec, sample)]).toEqual([sample.title, expect.any(String)]);
      expect((await eventOf(signed(spec, sample))).eventAtMs).toBeLessThanOrEqual(NOW_MS);
    }
  });

  const timed = Object.values(PROVIDERS).filter(({ identity }) => identity.time !== undefined);

  it.each(timed.map(spec => [spec.id, spec] as const))('%s says when some event happened', async (_id, spec) => {
    const samples = declaredSamples(spec.id, new Date(NOW_MS));
    const events = await Promise.all(samples.map(sample => eventOf(signed(spec, sample))));
    expect(events.some(({ eventAtMs }) => eventAtMs !== undefined)).toBe(true);
  });
});

describe('alternatives of keys', () => {
  /** The first alternative that a request has all parts of. */
  async function usedAlternative(spec: ProviderSpec, sample: DeclaredSample): Promise<number> {
    const keyWith = async (key: Identity['key']) =>
      (await eventOf(signed({ ...spec, identity: { ...spec.identity, key: [...key, ['none']] } }, sample))).key;
    for (const [index, alternative] of spec.identity.key.entries()) {
      if (alternative.includes('none') || (await keyWith([alternative])) !== undefined) return index;
    }
    return -1;
  }

  it.each(Object.values(PROVIDERS).map(spec => [spec.id, spec] as const))('of %s are all used', async (_id, spec) => {
    const used = new Set<number>();
    for (const sample of declaredSamples(spec.id, new Date(NOW_MS))) used.add(await usedAlternative(spec, sample));
    const unused = spec.identity.key.flatMap((alternative, index) =>
      used.has(index) || ['hash:body', 'none'].includes(alternative.join()) ? [] : [alternative],
    );
    expect(unused).toEqual([]);
  });
});
