/** Each field of an endpoint that the API takes is stored and shown again. The compiler asks for a sample of each new one. */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  changeOf,
  ENDPOINT,
  type EndpointBody,
  endpointFields,
  newEndpointOf,
  showEndpoint,
} from '#core/outbound/api/endpoint-body.ts';
import type { EndpointItem } from '#core/outbound/protocol/items.ts';
import { object } from '#core/problem.ts';
import { wordsOfCode } from '#test/kit/import-graph.ts';

const SAMPLE: Required<EndpointBody> = {
  kind: 'pull',
  url: 'https://hooks.example.com/in',
  description: 'Of the shop',
  types: ['invoice.*'],
  channels: ['eu'],
  mode: 'test',
  api_version: '2026-01',
  filter: { all: [{ path: 'data.amount', op: 'gt', value: 10 }] },
  headers: { 'x-shop': '7' },
  signature: 'body-sha256',
  signature_header: 'x-shop-signature',
  key_id_in: 'none',
  compatibility: { like: 'svix' },
  schedule: [5, 60],
  rate: { per_second: 2.5, burst: 10 },
  max_concurrency: 3,
  timeout_seconds: 7,
  connect_timeout_seconds: 3,
  ordered: true,
  head_of_line_hours: 4,
  batch: { max_events: 10, max_bytes: 2_048 },
  payload: 'thin',
  auto_disable_days: false,
  metadata: { team: 'shop' },
};
const stored = (body: EndpointBody): EndpointItem =>
  ({
    ...newEndpointOf({ ...body, url: body.url ?? 'https://a.example' }, { timeoutMs: 15_000 }, []),
    createdAt: 0,
  }) as EndpointItem;

describe('an endpoint', () => {
  it('shows every field as it was given, but no value of its headers', () => {
    expect(showEndpoint(stored(SAMPLE))).toMatchObject({ ...SAMPLE, headers: { 'x-shop': '…' } });
  });

  it('takes every field of the sample', () => {
    const found: unknown[] = [];
    object(endpointFields('x-webhook-'))(SAMPLE, '', problem => found.push(problem));
    expect(found).toEqual([]);
  });

  it.each(Object.values(ENDPOINT))('has a value of its own for $name in the sample', ({ name }) => {
    const plain: Readonly<Record<string, unknown>> = showEndpoint(stored({}));
    expect(plain[name]).not.toEqual(SAMPLE[name]);
  });

  it('has no field that is kept and never used', () => {
    const places = 'core/outbound/{address,drain,fan-out,gate,publish,registry,sign,tend}/**/*.ts';
    const words = new Set(globSync(places).flatMap(file => wordsOfCode(readFileSync(file, 'utf8'))));
    // Only its owner reads these two.
    const used = Object.keys(ENDPOINT).filter(key => !['description', 'metadata'].includes(key));
    expect(used.filter(key => !words.has(key))).toEqual([]);
  });

  it('loses an optional field by null, and no other by nothing', () => {
    expect(changeOf({ rate: null, api_version: null })).toEqual({ rate: undefined, apiVersion: undefined });
    expect(changeOf({ timeout_seconds: 3 })).toEqual({ timeoutMs: 3_000 });
  });
});
