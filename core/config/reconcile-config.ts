/** Which sources are compared with what their provider says it delivered, and how. */

import { given } from '#core/given.ts';
import { boolean, type Check, listOf, number, object, type Report, show, text } from '#core/problem.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';

/** How often a provider's own list of deliveries is compared with what arrived. */
export interface ReconcileConfig {
  /** Minutes between two runs, 10 to 360. @default 60 */
  readonly everyMinutes?: number;
  /**
   * The event types the provider delivers to this source, as registered there; a final `*` matches any rest. Stripe lists
   * every event of the account, so it is required there. @default GitHub: all that are listed
   */
  readonly types?: readonly string[];
  /** GitHub only, required: `repos/<owner>/<repo>/hooks/<id>`, `orgs/<org>/hooks/<id>`, or `app`. */
  readonly hooks?: readonly string[];
  /** Origin (and path) of the API, for GitHub Enterprise Server. @default the provider's own */
  readonly apiUrl?: string;
  /** How far back the first run looks. Later ones go on where the last one stopped. @default 24 */
  readonly lookbackHours?: number;
  /** Deliveries younger than this may still arrive by themselves: 1 to 60. @default 15 */
  readonly settleMinutes?: number;
  /** Calls of the provider's API. @default 5 */
  readonly callsPerSecond?: number;
  /** Pages of up to 100 deliveries in one run; the next run goes on. @default 200 */
  readonly maxPagesPerRun?: number;
  /** Report what is missing, heal nothing. @default false */
  readonly dryRun?: boolean;
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
  readonly dryRun: boolean;
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
export const reconcileShape: Check = object<ReconcileConfig>({
  everyMinutes: number(10, 360, 'minutes'),
  types: listOf(eventType),
  hooks: listOf(hook),
  apiUrl: text(
    /^https:\/\/[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}(?:\/[\w./-]*[\w-])?$/,
    'an https URL such as "https://github.example.com/api/v3", without port and final slash',
    'correct it',
  ),
  lookbackHours: number(1, 720, 'hours'),
  settleMinutes: number(1, 60, 'minutes'),
  callsPerSecond: number(0.1, 50, 'calls per second', 'any'),
  maxPagesPerRun: number(1, 5_000, 'pages'),
  dryRun: boolean,
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
  if (provider.requires !== 'hooks' && reconcile.hooks !== undefined) {
    report({ path: `${path}.hooks`, given: show(reconcile.hooks), allowed: 'sources of GitHub', fix: 'remove it' });
  }
  if ((reconcile.lookbackHours ?? 0) > provider.memoryHours) {
    report({
      path: `${path}.lookbackHours`,
      given: show(reconcile.lookbackHours),
      allowed: `up to ${provider.memoryHours} hours, which is how far back ${source.spec.title} lists`,
      fix: `set it to ${provider.memoryHours}`,
    });
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
    lookbackMs: (reconcile.lookbackHours ?? 24) * HOUR_MS,
    memoryMs: provider.memoryHours * HOUR_MS,
    settleMs: (reconcile.settleMinutes ?? 15) * MINUTE_MS,
    callsPerSecond: reconcile.callsPerSecond ?? 5,
    maxPagesPerRun: reconcile.maxPagesPerRun ?? 200,
    dryRun: reconcile.dryRun ?? false,
  };
}
