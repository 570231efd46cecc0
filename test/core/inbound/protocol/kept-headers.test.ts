import { expect, it } from 'vitest';
import { keptHeaders, QUERY_HEADER } from '#core/inbound/protocol/kept-headers.ts';
import { signatureHeadersOf } from '#core/provider/spec-defaults.ts';
import { PROVIDERS } from '#providers/index.ts';

const CREDENTIALS = {
  authorization: 'Bearer secret',
  'proxy-authorization': 'Basic c2VjcmV0',
  cookie: 'session=secret',
  'set-cookie': 'session=secret',
  'x-amz-security-token': 'secret',
};

it.each(Object.entries(PROVIDERS))('%s: no signature, cookie or credential is kept', (_name, spec) => {
  const signatures = Object.fromEntries(signatureHeadersOf(spec).map(name => [name, 'secret']));
  const kept = keptHeaders(spec, { ...CREDENTIALS, ...signatures, 'content-type': 'application/json' });
  expect(kept).toEqual({ 'content-type': 'application/json' });
});

it('keeps the headers that the identity is read from, cut to 1 KB, and nothing nobody asked for', () => {
  const { github } = PROVIDERS;
  if (!github) throw new Error('GitHub is a provider');
  const headers = {
    'x-github-delivery': 'd',
    'x-github-event': 'e'.repeat(2_000),
    'x-unasked': 'x',
    'user-agent': 'GitHub',
  };
  expect(keptHeaders(github, headers, 'a=b')).toEqual({
    'x-github-delivery': 'd',
    'x-github-event': 'e'.repeat(1_024),
    'user-agent': 'GitHub',
  });
});

it('keeps the query where the identity is read from it, and a traceparent only when it is one', () => {
  const { github } = PROVIDERS;
  if (!github) throw new Error('GitHub is a provider');
  const spec = { ...github, identity: { ...github.identity, key: [['query:id']] } } as unknown as typeof github;
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  expect(keptHeaders(spec, { traceparent }, 'id=7')).toEqual({ traceparent, [QUERY_HEADER]: 'id=7' });
  expect(keptHeaders(spec, { traceparent: 'not one' }, '')).toEqual({});
});
