import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Handshake, ProviderSpec } from '#core/provider/provider-spec.ts';
import { ackOf, methodsOf, schemeId, signatureHeadersOf, strengthOf } from '#core/provider/spec-defaults.ts';
import { checkSpec } from '#core/verification/check-spec.ts';
import { template } from '#providers/_template.ts';
import { PROVIDERS, providerById } from '#providers/index.ts';
import { type OwnVector, recompute } from './recompute-own-vectors.ts';

interface SharedVectors {
  readonly vectors: readonly { readonly id: string; readonly scheme: string }[];
  readonly handshakes: readonly { readonly provider: string }[];
}

const read = <T>(path: string): T => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as T;
const shared = read<SharedVectors>('../fixtures/provider-vectors.json');
const own = read<{ readonly vectors: readonly OwnVector[] }>('../fixtures/own-vectors.json').vectors;
const files = readdirSync(new URL('../../providers', import.meta.url))
  .filter(name => name.endsWith('.ts'))
  .map(name => name.replace(/\.ts$/, ''))
  .filter(name => name !== 'index' && name !== '_template');
const specs = Object.values(PROVIDERS);

/** Settings that named code and key providers read without a `config:` in the spec. */
const READ_BY_CODE: Readonly<Record<string, readonly string[]>> = {
  'jira-connect': ['baseUrl'],
  plaid: ['clientId', 'environment'],
  sns: ['topicArn'],
};

/** Texts another request of the same source could consist of: a guard that lets one through is a signing oracle. */
const SIGNABLE = [
  '{"a":1}',
  '[]',
  'v0:1790000000:{"a":1}',
  '1790000000.{"a":1}',
  'a=1&b=2',
  ' ',
  '',
  'a\nb',
  'a'.repeat(5000),
];

function textOf(handshake: Handshake): string {
  return [handshake.respond.body ?? '', ...Object.values(handshake.respond.headers ?? {})].join('\n');
}

/** Sources a template names, e.g. `query:crc_token` of `{hmac(sha256,base64,query:crc_token)}`. */
function argumentsOf(template: string, name: string): string[] {
  return [...template.matchAll(new RegExp(`\\{${name}\\(([^)]*)\\)\\}`, 'g'))].flatMap(match =>
    (match[1] ?? '').split(','),
  );
}

describe('the registry', () => {
  // That no file of ours is left out: test/architecture.test.ts. A person's own may be used by gateway.config.ts alone.
  it('holds provider files under their own names, and nothing else', () => {
    expect([...files]).toEqual(expect.arrayContaining(Object.keys(PROVIDERS)));
    for (const [id, spec] of Object.entries(PROVIDERS)) expect(spec.id).toBe(id);
    expect(files.length).toBeGreaterThanOrEqual(60);
    expect(Object.values(PROVIDERS)).not.toContain(template);
  });

  it('finds a provider by id and names near matches when there is none', () => {
    expect(providerById('stripe')).toBe(PROVIDERS['stripe']);
    expect(() => providerById('shopify-eventz')).toThrow(/"shopify-eventz".*Did you mean shopify\?/);
    expect(() => providerById('toString')).toThrow(RangeError);
  });

  it('holds a template that could be used as it stands', () => {
    expect(checkSpec(template)).toEqual([]);
  });

  it('is given by data alone', () => {
    for (const spec of [...specs, template]) expect(JSON.parse(JSON.stringify(spec))).toStrictEqual(spec);
  });
});

describe.each(specs.map(spec => [spec.id, spec] as const))('%s', (_id, spec: ProviderSpec) => {
  const text = JSON.stringify(spec);

  it('says who it is, when it was checked and how it is set up', () => {
    expect(spec.id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(spec.title.length).toBeGreaterThan(0);
    expect(spec.docs).toMatch(/^https:\/\/|^docs\//);
    expect(spec.checkedOn).toMatch(/^2\d{3}-\d\d-\d\d$/);
    expect(spec.setup.length, 'setup: where to click, where the secret is found').toBeGreaterThan(60);
    expect(spec.retries.length).toBeGreaterThan(3);
    expect(ackOf(spec).deadlineMs).toBeGreaterThanOrEqual(1_000);
    expect(spec.identity.key.length).toBeGreaterThan(0);
    for (const note of spec.unconfirmed ?? []) expect(note, 'a clause: the page joins them').toMatch(/[^.;]$/);
  });

  it('passes the check that deployments make', () => {
    expect(checkSpec(spec)).toEqual([]);
  });

  it('names headers in lower case and lists those that carry a signature', () => {
    for (const match of text.matchAll(/"header:([^"]+)"|\{header:([^}]+)\}/g)) {
      const name = match[1] ?? match[2] ?? '';
      expect(name).toBe(name.toLowerCase());
    }
    for (const name of [...signatureHeadersOf(spec), ...(spec.keepHeaders ?? [])])
      expect(name).toBe(name.toLowerCase());
    for (const scheme of spec.verify) {
      for (const from of [scheme.sig.from].flat()) {
        if (from.startsWith('header:')) expect(signatureHeadersOf(spec)).toContain(from.slice('header:'.length));
      }
    }
  });

  it('explains every setting it reads, and no other', () => {
    const used = new Set([...text.matchAll(/config:([A-Za-z]+)/g)].map(match => match[1] ?? ''));
    for (const name of READ_BY_CODE[spec.id] ?? []) used.add(name);
    expect([...used].sort()).toEqual(Object.keys(spec.settings ?? {}).sort());
  });

  it('claims the strength its schemes have', () => {
    const algorithms = new Set(spec.verify.map(scheme => scheme.alg));
    if (algorithms.size === 0) expect(spec.strength).toBe('none');
    else if (algorithms.has('token') || algorithms.has('basic')) expect(strengthOf(spec)).toBe('shared-secret');
    else expect(['signed', 'origin']).toContain(strengthOf(spec));
  });

  it('answers handshakes on its own methods, and guards every text it echoes or signs', () => {
    for (const handshake of spec.handshakes ?? []) {
      expect(methodsOf(spec)).toContain(handshake.when.method);
      const template = textOf(handshake);
      const signed = argumentsOf(template, 'hmac').slice(2);
      if (signed.length > 0) {
        expect(handshake.guard?.src).toBe(signed[0]);
        expect(handshake.guard?.accept).toMatch(/^\^.*\$$/);
        const accept = new RegExp(handshake.guard?.accept ?? '');
        for (const signable of SIGNABLE) expect(accept.test(signable)).toBe(false);
      }
      const echoed = [...argumentsOf(template, 'echo'), ...argumentsOf(template, 'json')];
      if (handshake.verify === 'none' && echoed.some(src => !src.startsWith('config:')))
        expect(handshake.guard).toBeDefined();
    }
  });

  it('has a vector, or a handshake example when it has no authentication', () => {
    const schemes = new Set(spec.verify.map(scheme => schemeId(scheme, spec)));
    const found = [
      ...shared.vectors.filter(vector => schemes.has(vector.scheme)),
      ...own.filter(vector => vector.provider === spec.id),
    ];
    expect(found.length).toBeGreaterThan(0);
  });
});

describe('the vectors of this repository', () => {
  it('cover every scheme the shared ones leave out', () => {
    const covered = new Set([...shared.vectors.map(vector => vector.scheme), ...own.map(vector => vector.scheme)]);
    const missing = specs.flatMap(spec =>
      spec.verify.map(scheme => schemeId(scheme, spec)).filter(id => !covered.has(id)),
    );
    expect(missing).toEqual([]);
  });

  it.each(own.map(vector => [vector.id, vector] as const))('%s is what node:crypto computes', (_id, vector) => {
    const body = Buffer.from(vector.bodyBase64, 'base64');
    const spec = PROVIDERS[vector.provider];
    expect(spec?.verify.map(scheme => schemeId(scheme, spec)) ?? []).toEqual(
      vector.scheme === null ? [] : expect.arrayContaining([vector.scheme]),
    );
    if (vector.expect === 'unauthenticated') return;
    const advice = `${vector.id}: \`how\` is no formula of its header, and recompute-own-vectors.ts has no function for it`;
    expect(recompute(vector, body), advice).toBe(vector.expect === 'valid');
  });
});
