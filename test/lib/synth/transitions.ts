/**
 * What CloudFormation does when an environment that was deployed with one configuration is deployed with another: which
 * exports it refuses to take away, which resources it makes anew, and which it keeps without managing them.
 */
import { fullDiff, ResourceImpact } from '@aws-cdk/cloudformation-diff';
import { Template } from 'aws-cdk-lib/assertions';
import { Stack } from 'aws-cdk-lib/core';
import type { EnvironmentConfig, GatewayConfig, SourceConfig } from '#core/config/gateway-config.ts';
import type { GatewayStage } from '#lib/stacks/gateway-stage.ts';

// biome-ignore lint/suspicious/noExplicitAny: a template is untyped JSON
type Json = any;

/** A stack: its name and its template. Nested stacks are stacks here. */
export interface StackOf {
  readonly name: string;
  readonly template: Json;
}

const SOURCES: Readonly<Record<string, SourceConfig>> = {
  stripe: { provider: 'stripe' },
  github: { provider: 'github' },
  default: { provider: 'generic' },
};
const KEY = 'arn:aws:kms:eu-central-1:123456789012:key/0a1b2c3d-0000-1111-2222-333344445555';
const of = (environment: EnvironmentConfig, sources = SOURCES): GatewayConfig => ({
  sources,
  environments: { prod: { account: '123456789012', region: 'eu-central-1', ...environment } },
});

/** Ten configurations of one environment. Each pair of them, in both orders, is a change that a person can make. */
export const CONFIGURATIONS: Readonly<Record<string, GatewayConfig>> = {
  base: of({}),
  essential: of({ alarms: 'essential' }),
  none: of({ alarms: 'none' }),
  'no probe': of({ probe: false }),
  outbound: of({ outbound: {} }),
  'outbound, essential alarms, a portal and a route': of({
    outbound: { portal: { name: 'Acme' } },
    alarms: 'essential',
    routes: { stripe: { 'invoice.*': ['outbound:acme'] } },
  }),
  'outbound with a key of yours': of({ outbound: {}, encryptionKey: KEY }),
  everything: of(
    {
      outbound: {},
      otlp: { endpoint: 'https://otlp.example.com' },
      edge: { apiUrl: 'https://a1b2c3.execute-api.eu-central-1.amazonaws.com', requestsPerMinute: 2_000 },
      alarmTargets: { page: [{ pagerDuty: 'oncall' }, { email: 'a@example.com' }], ticket: [{ slack: 'team' }] },
      ingestProvisionedConcurrency: 1,
      canary: { percent: 10, minutes: 5 },
    },
    {
      ...SOURCES,
      stripe: { provider: 'stripe', reconcile: { types: ['*'] }, throttle: 7 },
      shopify: { provider: 'shopify', apiCredential: true, silence: 60 },
    },
  ),
  'disposable, with outbound': of({ disposable: true, outbound: {} }),
  'one source, and no alarms': of({ alarms: 'none', outbound: {} }, { stripe: { provider: 'stripe' } }),
};

/** The stacks of a stage in the order in which they are deployed. */
export function stacksOf(stage: GatewayStage): readonly StackOf[] {
  const top = [stage.data, stage.gateway, stage.delivery, stage.edge].filter(each => each !== undefined);
  return top.flatMap(stack =>
    stack.node
      .findAll()
      .filter(Stack.isStack)
      .map(each => ({
        name: each === stack ? stack.stackName : `${stack.stackName}/${each.node.id}`,
        template: Template.fromStack(each).toJSON(),
      })),
  );
}

/** What is exported: name to value. */
export function exportsOf(template: Json): ReadonlyMap<string, string> {
  const outputs = Object.values<Json>(template.Outputs ?? {}).filter(each => each.Export !== undefined);
  return new Map(outputs.map(each => [String(each.Export.Name), JSON.stringify(each.Value)]));
}

export function importsOf(template: Json): ReadonlySet<string> {
  return new Set(
    [...JSON.stringify(template).matchAll(/\{"Fn::ImportValue":"([^"]+)"\}/g)].map(([, name]) => String(name)),
  );
}

/** Types whose loss is a loss: what they hold is nowhere else. */
const HOLDS_DATA = /^AWS::(?:DynamoDB::|S3::Bucket$|SQS::Queue$|SecretsManager::Secret$)/;
const pick = (all: Json, wanted: (each: Json, id: string) => boolean): Json =>
  Object.fromEntries(Object.entries<Json>(all ?? {}).filter(([id, each]) => wanted(each, id)));

/** A template as `test/fixtures/stacks/*.json` keeps one: exports, imports, and the resources that hold data. */
export function onlyWhatIsStored(template: Json): Json {
  return {
    Outputs: pick(template.Outputs, each => each.Export !== undefined),
    Resources: pick(template.Resources, each => HOLDS_DATA.test(each.Type)),
    Imports: [...importsOf(template)].map(name => ({ 'Fn::ImportValue': name })),
  };
}

/** Properties that are names which a person chose: a second resource of that name is refused. */
const NAMES: Readonly<Record<string, string>> = {
  'AWS::SecretsManager::Secret': 'Name',
  'AWS::CloudWatch::Alarm': 'AlarmName',
  'AWS::CloudWatch::CompositeAlarm': 'AlarmName',
  'AWS::CloudWatch::Dashboard': 'DashboardName',
};
function namesOf({ template }: StackOf): ReadonlyMap<string, Json> {
  return new Map(
    Object.entries<Json>(template.Resources ?? {}).flatMap(([id, it]) => {
      const name = it.Properties?.[NAMES[it.Type] ?? ''];
      return typeof name === 'string' ? [[`${it.Type} ${name}`, { id, ...it }] as const] : [];
    }),
  );
}

/** What goes wrong, or is lost, when `next` is deployed over `deployed`: nothing, or sentences. */
export function conflictsOf(deployed: readonly StackOf[], next: readonly StackOf[]): readonly string[] {
  const found: string[] = [];
  const running = new Map(deployed.map(each => [each.name, each]));
  for (const stack of next) {
    const before = running.get(stack.name);
    if (before) {
      const others = [...running.values()].filter(each => each.name !== stack.name);
      found.push(...exportsInUse(before, stack, others), ...lostResources(before, stack));
    }
    found.push(...namesTaken(before, stack, [...running.values()]));
    running.set(stack.name, stack);
  }
  return found;
}

function exportsInUse(before: StackOf, after: StackOf, others: readonly StackOf[]): readonly string[] {
  const stays = exportsOf(after.template);
  return [...exportsOf(before.template)]
    .filter(([name, value]) => stays.get(name) !== value)
    .flatMap(([name]) =>
      others
        .filter(({ template }) => importsOf(template).has(name))
        .map(user => `export ${name} of ${before.name} is in use by ${user.name}`),
    );
}

function lostResources(before: StackOf, after: StackOf): readonly string[] {
  const found: string[] = [];
  for (const { id, type, impact } of changesOf(before.template, after.template)) {
    const named = NAMES[type] !== undefined;
    // A name cannot be taken twice, also not by what replaces it.
    if (impact === ResourceImpact.WILL_REPLACE && (HOLDS_DATA.test(type) || named))
      found.push(`${before.name} ${id} (${type}) is replaced`);
    if (!HOLDS_DATA.test(type)) continue;
    // Of a disposable environment a secret goes, and its name is free again.
    if (impact === ResourceImpact.WILL_DESTROY && !(named && before.template.Resources[id].DeletionPolicy === 'Delete'))
      found.push(`${before.name} ${id} (${type}) is deleted`);
    // A secret that leaves is found again by its name (local/adopt-secrets.ts); a table of a generated name is not.
    if (impact === ResourceImpact.WILL_ORPHAN && !isFoundAgain(before.template.Resources[id]))
      found.push(`${before.name} ${id} (${type}) is orphaned`);
  }
  return found;
}

interface Change {
  readonly id: string;
  readonly type: string;
  readonly impact: ResourceImpact;
}
/** By the texts of both: a setting leaves most stacks as they are, and several settings change a stack in the same way. */
const compared = new Map<string, readonly Change[]>();

function changesOf(before: Json, after: Json): readonly Change[] {
  const texts = [before, after].map(each => JSON.stringify(each));
  if (texts[0] === texts[1]) return [];
  const found = compared.get(texts.join('\n'));
  if (found) return found;
  const all: Change[] = [];
  // Nothing new is lost, nor what goes and holds nothing. With them each change would cost `fullDiff` a look at all changes.
  const [old, next] = [before.Resources ?? {}, after.Resources ?? {}];
  const stood = pick(old, ({ Type }, id) => id in next || HOLDS_DATA.test(Type));
  const stays = pick(next, (_, id) => id in old);
  fullDiff({ Resources: stood }, { Resources: stays }).resources.forEachDifference(
    (id, { oldResourceType: type = '', changeImpact: impact }) => all.push({ id, type, impact }),
  );
  compared.set(texts.join('\n'), all);
  return all;
}

/** CloudFormation imports only what says what becomes of it when it leaves. */
function isFoundAgain(resource: Json): boolean {
  return NAMES[resource.Type] !== undefined && /^Retain/.test(resource.DeletionPolicy ?? '');
}

function namesTaken(before: StackOf | undefined, after: StackOf, running: readonly StackOf[]): readonly string[] {
  const had = before ? namesOf(before) : new Map<string, Json>();
  return [...namesOf(after)].flatMap(([name, { id }]) => {
    // Another resource of the same stack: the new one is made before the old one goes.
    if (had.has(name)) return had.get(name).id === id ? [] : [`${name} moves from ${had.get(name).id} to ${id}`];
    const holder = running.find(each => each.name !== after.name && namesOf(each).has(name));
    return holder ? [`${name} is still held by ${holder.name}`] : [];
  });
}
