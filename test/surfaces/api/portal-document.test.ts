/** docs/api/portal-openapi.json: as the code's tables say. test/core/outbound/portal/answer-portal.test.ts holds each reply to it. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PORTAL_ROUTES, publicRoute } from '#core/outbound/portal/portal-routes.ts';
import { ApiDocument, type Schema } from '#test/kit/api-document.ts';

const document = new ApiDocument('portal-openapi.json');

it('has every route of the portal, and no other', () => {
  expect([...document.operations.keys()].sort()).toEqual(PORTAL_ROUTES.map(publicRoute).sort());
});

it('names nothing of the producer alone', () => {
  const text = readFileSync(new URL('../../../docs/api/portal-openapi.json', import.meta.url), 'utf8');
  const names = [...text.matchAll(/^ +"(\w+)": \{$/gm)].map(([, name]) => name);
  for (const name of ['max_concurrency', 'rate_per_second', 'auto_disable_days', 'metadata', 'uid', 'by', 'as_new'])
    expect(names, name).not.toContain(name);
  const body = document.bodySchemaOf('PATCH /portal/v1/apps/{app}/endpoints/{ep}') as Schema;
  expect(Object.keys(body.properties ?? {})).toEqual(expect.arrayContaining(['url', 'types', 'if_version']));
});
