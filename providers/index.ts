/** Every provider this repository knows, by id. Users add theirs here or in gateway.config.ts. */
import type { ProviderSpec } from '#core/inbound/provider-spec.ts';
import { generic } from './generic.ts';
import { github } from './github.ts';
import { shopify } from './shopify.ts';
import { slack } from './slack.ts';
import { standardWebhooks } from './standard-webhooks.ts';
import { stripe } from './stripe.ts';

const all: readonly ProviderSpec[] = [generic, github, shopify, slack, standardWebhooks, stripe];

export const PROVIDERS: Readonly<Record<string, ProviderSpec>> = Object.fromEntries(all.map(spec => [spec.id, spec]));

/** The spec with this id. Throws RangeError, naming near matches, when there is none. */
export function providerById(id: string): ProviderSpec {
  const spec = Object.hasOwn(PROVIDERS, id) ? PROVIDERS[id] : undefined;
  if (spec) return spec;
  const near = Object.keys(PROVIDERS).filter(known => known.includes(id) || id.includes(known));
  throw new RangeError(
    `There is no provider "${id.slice(0, 60)}". ${near.length > 0 ? `Did you mean ${near.join(', ')}?` : 'All ids are listed in docs/providers.md.'} A provider of your own: docs/add-a-provider.md.`,
  );
}
