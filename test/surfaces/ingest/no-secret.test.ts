/** Where a provider has no secret, its first request is accepted: nobody is asked to store one. */
import { expect, it } from 'vitest';
import { needsSecret } from '#core/provider/source-needs.ts';
import { ackOf } from '#core/provider/spec-defaults.ts';
import { verifyRequest } from '#core/verification/verify-request.ts';
import { PROVIDERS, providerById } from '#providers/index.ts';
import { genuineRequest, NOW_MS } from '../../providers/genuine-request.ts';
import { ProviderWorld } from './provider-world.ts';

it('App Store: certificates in the notification are enough', async () => {
  const spec = providerById('app-store');
  const [scheme] = spec.verify;
  if (!scheme) throw new Error('no scheme');
  const { spec: pinned, request, context } = genuineRequest(spec, scheme);
  const world = new ProviderWorld(pinned, { settings: context.settings });
  expect((await world.post(request)).status).toBe(ackOf(spec).status);
  expect(world.events()).toHaveLength(1);
});

const schemes = Object.values(PROVIDERS).flatMap(spec =>
  spec.verify.map((scheme, at) => [`${spec.id}, scheme ${at + 1}`, spec, scheme] as const),
);

it.each(schemes)('%s: a secret is asked for where nothing verifies without', async (_name, spec, scheme) => {
  const { spec: only, request, context } = genuineRequest(spec, scheme);
  const verdict = await verifyRequest(only, request, { ...context, secret: undefined, nowMs: NOW_MS });
  const stores = spec.handshakes?.some(({ store }) => store !== undefined) === true;
  expect(needsSecret(only)).toBe(verdict.kind !== 'verified' || stores);
});
