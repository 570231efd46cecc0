/** Which sources are compared with what their provider says it delivered, and how. */

import { given } from '#core/given.ts';
import { type Check, listOf, number, type Report, show, text } from '#core/problem.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { GONE, objectWithout } from './gone-keys.ts';

/** How far back the first run looks; later ones continue where the last one stopped. */
const LOOKBACK_HOURS = 24;
/** Younger deliveries may still arrive by themselves. */
const SETTLE_MINUTES = 15;
const CALLS_PER_SECOND = 5;
/** Of up to 100 deliveries; the next run continues. */
const PAGES_PER_RUN = 200;

/** How often a provider's own list of deliveries is compared with what arrived. */
export interface ReconcileConfig {
  /** Minutes between two runs. @when an hour is too late @default 60 */
  readonly everyMinutes?: number;
  /**
   * Event types registered there for this source; a final `*` matches any rest. Stripe lists every event of the
   * account, so it needs them. @when always for Stripe @default GitHub: all listed
   */
  readonly types?: readonly string[];
  /**
   * Of GitHub: `repos/<owner>/<repo>/hooks/<id>`, `orgs/<org>/hooks/<id>`, or `app`. @when always for GitHub @default
   * none
   */
  readonly hooks?: readonly string[];
  /** Of GitHub Enterprise Server. @when you have it @default the provider's own */
  readonly apiUrl?: string;
}

/** The same with every default filled in. */
export interface ResolvedReconcile {
  readonly everyMinutes: number;
  readonly types?: readonly string[];
  /** Lists of deliveries; one with an empty name where the provider has one for all. */
  readonly lists: readonly string[];
  readonly apiUrl: string;
  readonly lookbackMs: number;
  readonly memoryMs: number;
  readonly settleMs: number;
  readonly callsPerSecond: number;
  readonly maxPagesPerRun: number;
}

interface ListingProvider {
  readonly apiUrl: string;
  /** How far back its list goes. */
  readonly memoryHours: number;
  readonly requires: 'types' | 'hooks';
}

/**
 * Providers whose API lists what they tried to deliver. Stripe keeps events for 30 days
 * (https://docs.stripe.com/api/events/list), GitHub deliveries for three
 * (https://docs.github.com/en/webhooks/testing-and-troubleshooting-webhooks/redelivering-webhooks). Shopify has none: its
 * deliveries are shown in the Dev Dashboard only (https://shopify.dev/docs/apps/build/webhooks/troubleshoot).
 */
const LISTING_PROVIDERS: Readonly<Record<string, ListingProvider>> = {
  stripe: { apiUrl: 'https://api.stripe.com', memoryHours: 30 * 24, requires: 'types' },
  github: { apiUrl: 'https://api.github.com', memoryHours: 72, requires: 'hooks' },
};

const eventType = text(/^[\x21-\x7e]{1,200}$/, 'an event type such as "invoice.paid" or "invoice.*"', 'correct it');
const hook = text(
  /^(?:repos\/[\w.-]+\/[\w.-]+\/hooks\/\d+|orgs\/[\w.-]+\/hooks\/\d+|app)$/,
  '"repos/<owner>/<repo>/hooks/<id>", "orgs/<org>/hooks/<id>" or "app"',
  'the id is the number at the end of the hook\'s settings page, e.g. "repos/acme/shop/hooks/12345"',
);

/** The shape of `reconcile`; what depends on the provider is `checkReconcile`'s. */
export const reconcileShape: Check = objectWithout<ReconcileConfig>(GONE.reconcile, {
  everyMinutes: number(10, 360, 'minutes'),
  types: listOf(eventType),
  hooks: listOf(hook),
  apiUrl: text(
    /^https:\/\/[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}(?:\/[\w./-]*[\w-])?$/,
    'an https URL such as "https://github.example.com/api/v3", without port and final slash',
    'correct it',
  ),
});

/** Reports what does not fit the provider of the source. */
export function checkReconcile(
  reconcile: ReconcileConfig,
  source: { readonly path: string; readonly spec: ProviderSpec; readonly dedupOnBody: boolean | undefined },
  report: Report,
): void {
  const path = `${source.path}.reconcile`;
  const provider = LISTING_PROVIDERS[source.spec.id];
  if (!provider) {
    const allowed = `a provider whose API lists its deliveries: ${Object.keys(LISTING_PROVIDERS).join(', ')}`;
    report({ path, given: `provider ${show(source.spec.id)}`, allowed, fix: 'remove reconcile from this source' });
    return;
  }
  if (source.dedupOnBody) {
    report({
      path,
      given: 'a source with dedupOnBody',
      allowed: "sources whose events are known by the provider's id",
      fix: 'remove dedupOnBody or reconcile: a fetched body is never the same byte for byte',
    });
  }
  if ((reconcile[provider.requires] ?? []).length === 0) {
    const [allowed, fix] =
      provider.requires === 'types'
        ? ['the event types this endpoint is registered for', "list them, e.g. types: ['invoice.*', 'charge.refunded']"]
        : ['the hooks that deliver to this source', "list them, e.g. hooks: ['repos/acme/shop/hooks/12345']"];
    report({ path: `${path}.${provider.requires}`, given: 'nothing', allowed, fix });
  }
  // Their names begin with the version of their API: https://docs.stripe.com/api/v2/core/events
  const thin = source.spec.id === 'stripe' ? reconcile.types?.find(type => /^v\d+\./.test(type)) : undefined;
  if (thin !== undefined) {
    report({
      path: `${path}.types`,
      given: show(thin),
      allowed: 'types of GET /v1/events: Stripe lists thin events elsewhere, so none of them would be missed',
      fix: 'leave it out',
    });
  }
  if (provider.requires !== 'hooks' && reconcile.hooks !== undefined) {
    report({ path: `${path}.hooks`, given: show(reconcile.hooks), allowed: 'sources of GitHub', fix: 'remove it' });
  }
}

/** Fills in the defaults. Undefined for a provider without a list, which `checkReconcile` reports. */
export function resolveReconcile(reconcile: ReconcileConfig, providerId: string): ResolvedReconcile | undefined {
  const provider = LISTING_PROVIDERS[providerId];
  if (!provider) return undefined;
  return {
    everyMinutes: reconcile.everyMinutes ?? 60,
    ...given({ types: reconcile.types }),
    lists: provider.requires === 'hooks' ? (reconcile.hooks ?? []) : [''],
    apiUrl: reconcile.apiUrl ?? provider.apiUrl,
    lookbackMs: LOOKBACK_HOURS * HOUR_MS,
    memoryMs: provider.memoryHours * HOUR_MS,
    settleMs: SETTLE_MINUTES * MINUTE_MS,
    callsPerSecond: CALLS_PER_SECOND,
    maxPagesPerRun: PAGES_PER_RUN,
  };
}
