/**
 * Which secret each role may read or write, by evaluating its statements as IAM does: what no statement allows is refused,
 * and a Deny wins. Judged against every secret of every stack, with all that an environment can have.
 */
import { Template } from 'aws-cdk-lib/assertions';
import { Stack } from 'aws-cdk-lib/core';
import { beforeAll, expect, it } from 'vitest';
import type { GatewayConfig } from '#core/config/gateway-config.ts';
import { secretName } from '#core/names.ts';
import { synthEnvironment } from './synth-environment.ts';

// biome-ignore lint/suspicious/noExplicitAny: a template is untyped JSON
type Json = any;
const listOf = (value: Json): Json[] => (Array.isArray(value) ? value : [value]);

const EVERYTHING: GatewayConfig = {
  sources: {
    stripe: { provider: 'stripe', reconcile: { types: ['*'] } },
    shopify: { provider: 'shopify', apiCredential: true },
    // Hands its secret over, which `ingest` writes.
    asana: { provider: 'asana' },
    // Called like a credential of a provider's API.
    'asks-api': { provider: 'generic' },
  },
  environments: {
    prod: {
      account: '123456789012',
      region: 'eu-central-1',
      probe: true,
      outbound: { portal: { name: 'Acme' } },
      otlp: { endpoint: 'https://otlp.example.com' },
      edge: { apiUrl: 'https://a1b2c3.execute-api.eu-central-1.amazonaws.com', requestsPerMinute: 2_000 },
      alarmTargets: { page: [{ pagerDuty: 'oncall' }], ticket: [{ slack: 'team' }] },
    },
  },
};

interface Secret {
  readonly name: string;
  readonly id: string;
  readonly tags: Readonly<Record<string, string>>;
}
interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource: Json;
  readonly Condition?: Json;
}

let secrets: readonly Secret[];
const statements = new Map<string, readonly Statement[]>();
beforeAll(async () => {
  const { stage } = await synthEnvironment('prod', EVERYTHING);
  const templates = stage.node
    .findAll()
    .filter(Stack.isStack)
    .map(stack => Template.fromStack(stack));
  secrets = templates.flatMap(template =>
    Object.entries<Json>(template.findResources('AWS::SecretsManager::Secret')).map(([id, { Properties: it }]) => ({
      id,
      name: it.Name,
      tags: Object.fromEntries((it.Tags ?? []).map((tag: Json) => [tag.Key, tag.Value])),
    })),
  );
  for (const template of templates) {
    for (const policy of Object.values<Json>(template.findResources('AWS::IAM::Policy'))) {
      for (const role of policy.Properties.Roles) {
        const name = String(role.Ref).replace(/Role[0-9A-F]{8}$/, '');
        statements.set(name, [...(statements.get(name) ?? []), ...policy.Properties.PolicyDocument.Statement]);
      }
    }
  }
});

/** `*` and `?` as IAM reads them. */
function matches(pattern: string, text: string): boolean {
  const escaped = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${escaped}$`, 's').test(text);
}

function names(resource: Json, { name, id }: Secret): boolean {
  if (resource === '*') return true;
  const text = typeof resource === 'string' ? resource : JSON.stringify(resource);
  const pattern = /:secret:([^"]+)/.exec(text)?.[1];
  // Secrets Manager appends a hyphen and six characters.
  if (pattern !== undefined) return matches(pattern, `${name}-Ab1Cd2`);
  return text.includes(id);
}

function holds(condition: Json, { tags }: Secret): boolean {
  return Object.entries<string>(condition?.StringEquals ?? {}).every(
    ([key, value]) => tags[key.replace('aws:ResourceTag/', '')] === value,
  );
}

function may(role: string, action: string, secret: Secret): boolean {
  const fitting = (statements.get(role) ?? []).filter(
    each =>
      listOf(each.Action).some(pattern => matches(pattern, action)) &&
      listOf(each.Resource).some(resource => names(resource, secret)) &&
      holds(each.Condition, secret),
  );
  return fitting.some(each => each.Effect === 'Allow') && !fitting.some(each => each.Effect === 'Deny');
}

const reach = (action: string): Record<string, readonly string[]> =>
  Object.fromEntries(
    [...statements.keys()].flatMap(role => {
      const reached = secrets.filter(secret => may(role, `secretsmanager:${action}`, secret)).map(each => each.name);
      return reached.length === 0 ? [] : [[role, reached.sort()] as const];
    }),
  );

it('every stack’s secrets are looked at', () => {
  expect(secrets.map(each => each.name).sort()).toEqual([
    'holdfast-alarms/prod/pagerDuty/oncall',
    'holdfast-alarms/prod/slack/team',
    'holdfast-otlp/prod',
    'holdfast/prod/_outbound',
    'holdfast/prod/asana',
    'holdfast/prod/asks-api',
    'holdfast/prod/holdfast-edge',
    'holdfast/prod/holdfast-probe',
    'holdfast/prod/shopify',
    'holdfast/prod/shopify/api',
    'holdfast/prod/stripe',
    'holdfast/prod/stripe/api',
  ]);
});

it('each role reads the secrets of this list, and no other', () => {
  const sealing = ['holdfast/prod/_outbound'];
  expect(reach('GetSecretValue')).toEqual({
    Ingest: ['asana', 'asks-api', 'holdfast-edge', 'holdfast-probe', 'shopify', 'stripe'].map(id =>
      secretName({ environment: 'prod' }, id),
    ),
    Process: ['holdfast/prod/shopify/api'],
    ReconcileProviders: ['holdfast/prod/stripe/api'],
    Probe: ['holdfast/prod/holdfast-probe'],
    Notify: ['holdfast-alarms/prod/pagerDuty/oncall', 'holdfast-alarms/prod/slack/team'],
    Otlp: ['holdfast-otlp/prod'],
    DeliveryApi: sealing,
    DrainFast: sealing,
    DrainSlow: sealing,
    Portal: sealing,
  });
});

it('only the secret that a provider hands over is written, by ingest', () => {
  expect(reach('PutSecretValue')).toEqual({ Ingest: ['holdfast/prod/asana'] });
});
