/**
 * Which alarms a page of docs/runbooks/ is about. An alarm whose id goes on behind a hyphen (`…-page`, a source, a table) is
 * on the page of the longest name that it begins with.
 */
const RUNBOOKS = {
  'dead-letters': [
    'process-new-dead-letters',
    'process-dead-letters-waiting',
    'process-dead-letters-open',
    'process-dead-letter-expiring',
  ],
  'handlers-fail': [
    'process-handler-failures',
    'process-handler-only-fails',
    'process-retry-rate',
    'process-error-rate',
  ],
  'events-wait': [
    ...['process-queue-age', 'process-queue-deep', 'process-not-consuming', 'process-in-flight-full', 'process-slow'],
  ],
  'processor-crashes': ['process-errors', 'process-lease-lost'],
  'events-overdue': [
    ...['processing-broken', 'sweep-not-running', 'sweep-oldest-unfinished', 'sweep-unsent-records'],
    ...['sweep-parked-overdue', 'deploying'],
  ],
  'paused-too-long': ['sweep-paused-too-long'],
  'providers-get-errors': [
    ...['ingest-broken', 'ingest-server-errors', 'ingest-errors', 'ingest-dependency-errors'],
    ...['ingest-unrecorded-accepted', 'ingest-slow', 'ingest-budget-burn'],
  ],
  'throttled-tables': ['ingest-table-throttled', 'delivery-table-throttled'],
  'no-concurrency': ['ingest-throttled', 'ingest-account-concurrency'],
  'too-many-requests': ['ingest-throttled-route'],
  'wrong-secret': ['ingest-signature-failures', 'ingest-signature-rejections'],
  'silent-source': ['ingest-silent-source'],
  probe: ['probe-missing-or-slow'],
  'odd-events': ['ingest-payload-conflicts', 'ingest-too-old-events', 'process-schema-changed'],
  audit: ['audit-ledger-mismatch', 'audit-not-running', 'audit-behind'],
  'missing-deliveries': ['reconcile-providers-gaps', 'reconcile-providers-behind'],
  'clocks-and-metrics': ['clock-difference', 'ingest-metrics', 'process-metrics', 'sweep-metrics'],
  'sending-falls-behind': [
    ...['delivery-fan-out-age', 'delivery-wake-age', 'delivery-waiting', 'delivery-first-attempt-slow'],
    ...['delivery-slots-full', 'delivery-backlog'],
  ],
  'sending-lost-work': [
    ...['delivery-not-tending', 'delivery-fan-out-lost', 'delivery-wake-lost', 'delivery-jobs-dead'],
    'delivery-wakes-dead',
  ],
  'endpoints-fail': [
    ...['delivery-first-success-low', 'delivery-retry-rate', 'delivery-dead', 'delivery-disabled-many'],
    'delivery-forbidden-address',
  ],
  'our-sending-fails': [
    'delivery-egress-suspect',
    'delivery-own-fault',
    'delivery-lease-lost',
    'delivery-publish-errors',
    ...['delivery-contacts-untold', 'delivery-mails-not-taken'],
  ],
} satisfies Readonly<Record<string, readonly string[]>>;

/** A page of docs/runbooks/, without its ending. */
export type Runbook = keyof typeof RUNBOOKS;

/** By the longest name: each is of an alarm of some environment (test/lib/synth/alarms.test.ts). */
export const ALARM_NAMES = Object.entries(RUNBOOKS)
  .flatMap(([page, names]) => names.map(name => ({ page, name })))
  .sort((a, b) => b.name.length - a.name.length);

/** The page of an alarm, by its id, and the name it is listed under there. Throws for one that stands on none. */
export function runbookOfAlarm(id: string): { readonly page: string; readonly name: string } {
  const found = ALARM_NAMES.find(({ name }) => id === name || id.startsWith(`${name}-`));
  if (found === undefined) throw new Error(`The alarm ${id} has no runbook: give it a page in lib/alarms/runbooks.ts`);
  return found;
}
