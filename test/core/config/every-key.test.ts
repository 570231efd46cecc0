/** A key that is accepted and documented has an effect: each of them changes what is resolved, and what is resolved is read. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EdgeConfig } from '#core/config/edge-config.ts';
import type { EnvironmentConfig, QueueSettings, RetryConfig, SourceConfig } from '#core/config/gateway-config.ts';
import type { OtlpConfig } from '#core/config/otlp-config.ts';
import type { OutboundConfig } from '#core/config/outbound-config.ts';
import type { PortalConfig } from '#core/config/portal-config.ts';
import type { ReconcileConfig } from '#core/config/reconcile-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { sourceFields } from '#core/config/validate-config.ts';
import type { Check, JsonSchema } from '#core/problem.ts';
import { PROVIDERS } from '#providers/index.ts';
import { wordsOfCode } from '#test/kit/import-graph.ts';

const RETRY: Required<RetryConfig> = { attempts: 7, capSeconds: 900 };
const RECONCILE: ReconcileConfig = { hooks: ['repos/acme/shop/hooks/1'] };
const EDGE: EdgeConfig = {
  apiUrl: 'https://a1b2c3.execute-api.eu-central-1.amazonaws.com',
  requestsPerMinute: 2_000,
};
const TARGET = 'arn:aws:sqs:eu-central-1:123456789012:invoices';
const KEY = 'arn:aws:kms:eu-central-1:123456789012:key/11111111-2222-3333-4444-555555555555';

/**
 * A value of each key that is not its default. Of a source only where its check names none (true and false, the ends of a
 * range, the words of a list); of the others the compiler asks for each new key.
 */
const SOURCE: Partial<SourceConfig> = {
  provider: 'shopify',
  // A provider asks for settings by name; any value is one of them.
  settings: { webhookId: 'another' },
  throttle: 50,
  allowList: ['192.0.2.0/24'],
  retry: RETRY,
  searchable: { order: '/id' },
  silence: 60,
  reconcile: RECONCILE,
};
const ENVIRONMENT: Required<EnvironmentConfig> = {
  account: '210987654321',
  region: 'eu-west-1',
  publicUrl: 'https://other.example.com',
  domain: {
    name: 'hooks.example.com',
    certificate: 'arn:aws:acm:eu-central-1:123456789012:certificate/11111111-2222',
  },
  sources: { shop: { dedupOnBody: true } },
  routes: { shop: { '*': [TARGET] } },
  outbound: {},
  otlp: { endpoint: 'https://otlp.example.com' },
  edge: EDGE,
  disposable: true,
  retentionDays: 40,
  deadRetentionDays: 100,
  handlerTimeoutSeconds: 20,
  retry: RETRY,
  queue: { batchSize: 5 },
  alarmTargets: 'nobody',
  alarms: 'essential',
  probe: false,
  thresholds: { 'process-slow': 900 },
  logLevel: 'debug',
  logArrivals: true,
  logRetentionDays: 7,
  ingestProvisionedConcurrency: 2,
  reservedConcurrency: { api: 20 },
  encryptionKey: KEY,
  warmWriteUnits: 21_000,
  ipv6: true,
  canary: { percent: 10, minutes: 5 },
  permissionsBoundary: 'arn:aws:iam::123456789012:policy/team/bounds',
  tags: { team: 'payments' },
};
const QUEUE: Required<QueueSettings> = {
  retentionDays: 5,
  batchSize: 5,
  maxConcurrency: 10,
  batchingWindowSeconds: 1,
};
const OUTBOUND: Required<OutboundConfig> = {
  slots: 100,
  schedule: [5, 10],
  timeoutSeconds: 10,
  throttle: 3_000,
  ports: [443, 8443],
  eventTypes: 'declared',
  attemptLog: 'all',
  autoDisableDays: false,
  longestHoldSeconds: 600,
  breaker: 'ten-failures',
  disable: 'nineteen-of-twenty',
  retentionDays: 50,
  signature: 't-v1',
  signatureHeader: 'Acme-Signature',
  keyId: 'none',
  headerPrefix: 'x-acme-',
  userAgent: 'Acme',
  portal: { name: 'Acme' },
  contacts: true,
  email: { from: 'alerts@acme.com', configurationSet: 'contacts' },
};
const PORTAL: Required<PortalConfig> = {
  name: 'Other',
  accent: '#112233',
  logo: 'data:image/png;base64,AAAA',
  frameAncestors: ['https://app.acme.com'],
  origins: ['https://app.acme.com'],
  url: 'https://hooks.acme.com',
  pageUrl: 'https://app.acme.com/{app}/{endpoint}',
};
const OTLP: Required<OtlpConfig> = { endpoint: 'https://other.example.com' };
const EDGES: Required<EdgeConfig> = {
  apiUrl: 'https://d4e5f6.execute-api.eu-central-1.amazonaws.com',
  requestsPerMinute: 3_000,
  certificate: 'arn:aws:acm:us-east-1:123456789012:certificate/11111111-2222',
  direct: 'refused',
};
const RECONCILES: Required<ReconcileConfig> = {
  everyMinutes: 30,
  types: ['push'],
  hooks: ['app'],
  apiUrl: 'https://github.example.com/api/v3',
};

function resolve(source: Partial<SourceConfig>, environment: EnvironmentConfig, name = 'prod'): unknown {
  const own: SourceConfig = { provider: 'github', ...source };
  // The other source asks for settings, and gets some.
  const config = { sources: { shop: own }, environments: { [name]: { region: 'eu-central-1', ...environment } } };
  return resolveDeployment(config, name, PROVIDERS);
}
const FIELDS: Readonly<Record<string, Check>> = sourceFields(() => undefined);
/** The sample above, else the values that the check says it allows. */
function samplesOf(key: string): readonly unknown[] {
  const own = SOURCE[key as keyof SourceConfig];
  const { type, enum: words, minimum, maximum }: JsonSchema = FIELDS[key]?.schema ?? {};
  if (own !== undefined) return [own];
  return type === 'boolean'
    ? [true, false]
    : ((words as unknown[]) ?? [minimum, maximum].filter(it => it !== undefined));
}
const keysOf = <T extends object>(samples: T) => Object.keys(samples) as (keyof T & string)[];

describe('each key changes what is resolved', () => {
  it.each(Object.keys(FIELDS))('sources.<name>.%s', key => {
    // PayPal wants `webhookId`, and no other of the shipped providers lets any setting pass.
    const before: Partial<SourceConfig> =
      key === 'settings' ? { provider: 'paypal', settings: { webhookId: 'one' } } : {};
    const values = samplesOf(key);
    expect(values, `a sample of sources.<name>.${key} in this file`).not.toEqual([]);
    const resolved = values.map(value => resolve({ ...before, [key]: value }, {}));
    expect(resolved).not.toEqual(values.map(() => resolve(before, {})));
  });

  it('prefix', () => {
    const config = { sources: { shop: { provider: 'github' } }, environments: { prod: { region: 'eu-central-1' } } };
    const resolved = resolveDeployment({ ...config, prefix: 'payments' }, 'prod', PROVIDERS);
    expect(resolved).not.toEqual(resolveDeployment(config, 'prod', PROVIDERS));
  });

  it.each(keysOf(ENVIRONMENT))('environments.<name>.%s', key => {
    expect(resolve({}, { [key]: ENVIRONMENT[key] })).not.toEqual(resolve({}, {}));
  });

  it.each(keysOf(QUEUE))('queue.%s', key => {
    expect(resolve({}, { queue: { [key]: QUEUE[key] } })).not.toEqual(resolve({}, {}));
  });

  it.each(keysOf(RETRY))('retry.%s', key => {
    expect(resolve({}, { retry: { [key]: RETRY[key] } })).not.toEqual(resolve({}, {}));
  });

  it.each(keysOf(OUTBOUND))('outbound.%s', key => {
    // A header of one's own goes with a form that has room for it.
    const beside: OutboundConfig =
      key === 'signatureHeader'
        ? { signature: 'body-sha256' }
        : key === 'contacts' || key === 'email'
          ? { portal: { name: 'Acme' }, contacts: key === 'email' }
          : {};
    const changed = resolve({}, { outbound: { ...beside, [key]: OUTBOUND[key] } });
    expect(changed).not.toEqual(resolve({}, { outbound: beside }));
  });

  it.each(keysOf(PORTAL))('outbound.portal.%s', key => {
    const portal = { name: 'Acme', [key]: PORTAL[key] };
    expect(resolve({}, { outbound: { portal } })).not.toEqual(resolve({}, { outbound: { portal: { name: 'Acme' } } }));
  });

  it.each(keysOf(OTLP))('otlp.%s', key => {
    expect(resolve({}, { otlp: { endpoint: OTLP[key] } })).not.toEqual(resolve({}, { otlp: ENVIRONMENT.otlp }));
  });

  it.each(keysOf(EDGES))('edge.%s', key => {
    const environment = { publicUrl: 'https://hooks.example.com', edge: { ...EDGE, certificate: EDGES.certificate } };
    const before = key === 'certificate' ? { ...environment, edge: EDGE } : environment;
    const edge = { ...environment.edge, [key]: EDGES[key] };
    expect(resolve({}, { ...environment, edge })).not.toEqual(resolve({}, before));
  });

  it.each(keysOf(RECONCILES))('reconcile.%s', key => {
    const reconcile = { ...RECONCILE, [key]: RECONCILES[key] };
    expect(resolve({ reconcile }, {})).not.toEqual(resolve({ reconcile: RECONCILE }, {}));
  });
});

describe('each key that is resolved', () => {
  const ROOT = join(import.meta.dirname, '../../..');
  const readers = globSync('{core,adapters,lambdas,lib}/**/*.ts', { cwd: ROOT }).filter(
    // These say what is written, allowed and resolved.
    file => !/^core\/config\/(?:[\w-]+-config|deployment|defaults)\.ts$/.test(file),
  );
  const words = new Set(readers.flatMap(file => wordsOfCode(readFileSync(join(ROOT, file), 'utf8'))));
  // A provider file is a person's own words, and so are the keys of these.
  const OWN = new Set(['spec', 'settings', 'tags', 'thresholds', 'searchable', 'reservedConcurrency']);
  const keysBelow = (value: unknown): string[] =>
    typeof value !== 'object' || value === null
      ? []
      : Array.isArray(value)
        ? value.flatMap(keysBelow)
        : Object.entries(value).flatMap(([key, below]) => (OWN.has(key) ? [key] : [key, ...keysBelow(below)]));

  it('is read by code that does not only pass it on', () => {
    const resolved = [
      // PayPal alone wants settings, and they are a person's own words.
      ...Object.keys(FIELDS).flatMap(key =>
        key === 'settings' ? [] : samplesOf(key).map(value => resolve({ [key]: value }, {})),
      ),
      ...keysOf(ENVIRONMENT).map(key => resolve({}, { [key]: ENVIRONMENT[key] })),
      resolve({}, { outbound: OUTBOUND }),
    ];
    const keys = [...new Set(keysBelow(resolved))];
    expect(keys.length).toBeGreaterThan(70);
    expect(keys.filter(key => !words.has(key))).toEqual([]);
  });
});
