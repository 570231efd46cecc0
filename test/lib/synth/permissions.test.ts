import { beforeAll, describe, expect, it } from 'vitest';
import { runJourney, type Verdict } from '#test/proof/journeys/support/crash-run.ts';
import { JOURNEYS } from '#test/proof/journeys/support/journeys.ts';
import { type SynthesizedEnvironment, synthEnvironment } from './synth-environment.ts';

let prod: SynthesizedEnvironment;
beforeAll(async () => {
  prod = await synthEnvironment('prod');
});

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}
const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);
const statementsOf = (policy: { Properties?: { PolicyDocument?: { Statement: Statement[] } } }): Statement[] =>
  policy.Properties?.PolicyDocument?.Statement ?? [];

/** A resource as short text: what it is, without account, region and generated ids. */
function nameOf(resource: unknown): string {
  const text = JSON.stringify(resource);
  const known: readonly [RegExp, string][] = [
    [/StoreEvents.*index\/(\w+)/, 'events/'],
    [/StoreEvents/, 'events'],
    [/StorePayloads/, 'payloads'],
    [/StoreBodies.*\/\*/, 'bodies/*'],
    [/StoreBodies/, 'bodies'],
    [/WorkMain/, 'main queue'],
    [/WorkDead/, 'dead queue'],
    [/Logs[0-9A-F]{8}/, 'own log'],
    [/secret:(holdfast\/prod\/[a-z_*-]+(?:\/api)?-\?{6})/, ''],
    [/AlarmsTopicspage/, 'page topic'],
    [/AlarmsTopicsKey/, 'topic key'],
    [/HandlersPayments/, 'handlers: payments'],
    [/HandlersPushes/, 'handlers: pushes'],
    [/"(\w+)Function[0-9A-F]{8}"/, 'function '],
  ];
  for (const [pattern, name] of known) {
    const match = pattern.exec(text);
    if (match) return `${name}${match[1] ?? ''}`;
  }
  return text;
}

/** The conditions there are: items whose key begins like a control item's or a refused request's. Any other shows as it is. */
function conditionOf({ Condition }: Statement): string {
  if (Condition === undefined) return '';
  const text = JSON.stringify(Condition);
  const only = (keys: string) =>
    text === JSON.stringify({ 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [keys] } });
  if (only('_control#*')) return ' (control items)';
  return only('_refused#*') ? ' (refused requests)' : ` if ${text}`;
}

/** Who may do what: role to "action on resource", sorted. */
function permissions(): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const [id, policy] of Object.entries(prod.gateway.findResources('AWS::IAM::Policy'))) {
    const role = id.replace(/DefaultPolicy.*$/, '').replace(/Role$/, '');
    const rights = new Set<string>();
    for (const statement of statementsOf(policy)) {
      const effect = statement.Effect === 'Allow' ? '' : `${statement.Effect} `;
      for (const action of asList(statement.Action)) {
        for (const resource of asList(statement.Resource)) {
          rights.add(`${effect}${action} on ${nameOf(resource)}${conditionOf(statement)}`);
        }
      }
    }
    found[role] = [...rights].sort();
  }
  return found;
}
const BATCH = 'secretsmanager:BatchGetSecretValue on "*"';
const on = (target: string, ...actions: string[]): string[] => actions.map(action => `${action} on ${target}`);
const OWN_LOG = on('own log', 'logs:CreateLogStream', 'logs:PutLogEvents');
const QUERY = ['attention', 'timeline', 'watch'].map(index => `dynamodb:Query on events/${index}`);

/** What each call of a port asks of AWS. */
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  'store.insert': ['dynamodb:PutItem on events'],
  'store.update': ['dynamodb:UpdateItem on events'],
  'store.note': ['dynamodb:UpdateItem on events'],
  'store.noted': ['dynamodb:BatchGetItem on events'],
  'store.transact': ['dynamodb:UpdateItem on events'],
  'store.get': ['dynamodb:GetItem on events'],
  'store.getMany': ['dynamodb:BatchGetItem on events'],
  'store.watchDue': ['dynamodb:Query on events/watch'],
  'store.timeline': ['dynamodb:Query on events/timeline'],
  'store.attention': ['dynamodb:Query on events/attention'],
  'store.occupied': ['dynamodb:Scan on events/attention', 'dynamodb:Scan on events/watch'],
  'store.scan': ['dynamodb:Scan on events'],
  // A body that lives too short is raised.
  'payloads.putBody': ['dynamodb:PutItem on payloads', 'dynamodb:UpdateItem on payloads'],
  'payloads.raiseBody': ['dynamodb:UpdateItem on payloads'],
  'payloads.getBody': ['dynamodb:GetItem on payloads'],
  'payloads.listRefused': ['dynamodb:Query on payloads (refused requests)'],
  'control.read': ['dynamodb:GetItem on events (control items)'],
  'control.write': ['dynamodb:PutItem on events (control items)'],
  'control.list': ['dynamodb:Query on events/timeline'],
  'blobs.put': ['s3:PutObject on bodies/*'],
  // Without the list, a missing body reads as a refusal.
  'blobs.get': ['s3:GetObject on bodies/*', 's3:ListBucket on bodies'],
  'queue.send': ['sqs:SendMessage on main queue'],
  'dead.send': ['sqs:SendMessage on dead queue'],
  'dead.receive': ['sqs:ReceiveMessage on dead queue'],
  'dead.delete': ['sqs:DeleteMessage on dead queue'],
  'gauge.main': ['sqs:GetQueueAttributes on main queue'],
  'gauge.dead': ['sqs:GetQueueAttributes on dead queue'],
  'secrets.fetch': ['secretsmanager:GetSecretValue on holdfast/prod/*-??????'],
};
const ROLES: Partial<Record<string, string>> = { ingest: 'Ingest', process: 'Process', sweep: 'Sweep', audit: 'Audit' };

describe('who may do what', () => {
  it('is this list and nothing else', () => {
    const wanted: Record<string, string[]> = {
      Ingest: [
        ...OWN_LOG,
        ...on('events', 'dynamodb:PutItem', 'dynamodb:UpdateItem'),
        'dynamodb:GetItem on events (control items)',
        ...on('payloads', 'dynamodb:PutItem', 'dynamodb:UpdateItem'),
        ...on('bodies/*', 's3:PutObject'),
        ...on('main queue', 'sqs:SendMessage', 'sqs:GetQueueAttributes'),
        BATCH,
        'secretsmanager:GetSecretValue on holdfast/prod/*-??????',
        'Deny secretsmanager:GetSecretValue on holdfast/prod/*/api-??????',
        'Deny secretsmanager:GetSecretValue on holdfast/prod/_*-??????',
      ],
      Process: [
        ...OWN_LOG,
        ...on('events', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'),
        ...on('payloads', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'),
        ...on('bodies/*', 's3:GetObject', 's3:PutObject'),
        ...on('bodies', 's3:ListBucket'),
        ...on('main queue', 'sqs:SendMessage', 'sqs:ReceiveMessage', 'sqs:DeleteMessage'),
        ...on('main queue', 'sqs:ChangeMessageVisibility', 'sqs:GetQueueAttributes', 'sqs:GetQueueUrl'),
        ...on('dead queue', 'sqs:SendMessage'),
        ...on('handlers: payments', 'dynamodb:UpdateItem'),
        ...on('handlers: pushes', 'dynamodb:PutItem'),
      ],
      Sweep: [
        ...OWN_LOG,
        ...QUERY,
        'dynamodb:Scan on events/attention',
        'dynamodb:Scan on events/watch',
        ...on('events', 'dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'),
        ...on('payloads', 'dynamodb:PutItem', 'dynamodb:UpdateItem'),
        'dynamodb:Query on payloads (refused requests)',
        ...on('main queue', 'sqs:SendMessage', 'sqs:GetQueueAttributes'),
        ...on('dead queue', 'sqs:SendMessage', 'sqs:GetQueueAttributes'),
        ...on('dead queue', 'sqs:ReceiveMessage', 'sqs:DeleteMessage'),
      ],
      Audit: [
        ...OWN_LOG,
        ...on('events', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Scan', 'dynamodb:UpdateItem'),
        ...on('payloads', 'dynamodb:GetItem', 'dynamodb:UpdateItem'),
        's3:GetObject on bodies/*',
        's3:PutObject on bodies/*',
        's3:ListBucket on bodies',
      ],
      Api: [
        ...OWN_LOG,
        ...QUERY,
        ...on('events', 'dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem'),
        'dynamodb:PutItem on events (control items)',
        ...on('payloads', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'),
        ...on('main queue', 'sqs:SendMessage'),
        'lambda:InvokeFunction on function Sweep',
      ],
      Probe: [
        ...OWN_LOG,
        ...on('events', 'dynamodb:GetItem'),
        'secretsmanager:GetSecretValue on holdfast/prod/holdfast-probe-??????',
      ],
      Notify: [
        ...OWN_LOG,
        'dynamodb:Query on events/attention',
        ...on('events', 'dynamodb:BatchGetItem'),
        ...on('page topic', 'sns:Publish'),
        ...on('topic key', 'kms:Decrypt', 'kms:GenerateDataKey'),
      ],
      ProbeSchedule: ['lambda:InvokeFunction on function Probe'],
      SweepSchedule: ['lambda:InvokeFunction on function Sweep'],
      AuditSchedule: ['lambda:InvokeFunction on function Audit'],
    };
    expect(permissions()).toEqual(
      Object.fromEntries(Object.entries(wanted).map(([role, list]) => [role, [...list].sort()])),
    );
  });

  it('has no wildcard action and no bare * resource, and no managed policy', () => {
    for (const rights of Object.values(permissions())) {
      for (const right of rights) {
        expect(right).not.toMatch(/^[^ ]*\*/);
        // It takes no resource, and answers with what GetSecretValue allows.
        if (right !== BATCH) expect(right).not.toMatch(/ on "?\*"?$/);
      }
    }
    for (const role of Object.values(prod.gateway.findResources('AWS::IAM::Role'))) {
      expect(role['Properties']).not.toHaveProperty('ManagedPolicyArns');
    }
  });

  it('lets nobody delete an item, purge a queue, or scan (but the audit, and the sweeper two sparse indexes)', () => {
    const all = Object.entries(permissions()).flatMap(([role, rights]) => rights.map(right => `${role}: ${right}`));
    expect(all.filter(right => /DeleteItem|PurgeQueue|DeleteObject|:Scan/.test(right))).toEqual([
      'Sweep: dynamodb:Scan on events/attention',
      'Sweep: dynamodb:Scan on events/watch',
      'Audit: dynamodb:Scan on events',
    ]);
  });

  it('allows each call that the journeys make: stores in memory allow everything', async () => {
    const calls = new Set<string>();
    const note = ({ stage }: Verdict): void => {
      for (const { role, name } of stage.calls) calls.add(`${role} ${name}`);
    };
    for (const journey of JOURNEYS) {
      const whole = await runJourney(journey);
      note(whole);
      // And those that repair what a crash left.
      for (const part of [0.2, 0.5, 0.8]) {
        const n = Math.ceil(part * whole.stage.calls.length);
        note(await runJourney(journey, new Map([[n, 'crash_after']]), 1));
      }
      await whole.stage.world.clock.complete(whole.stage.world.auditor.invoke({}));
      note(whole);
    }
    const allowed = permissions();
    const missing = [...calls].flatMap(call => {
      const [role = '', name = ''] = call.split(' ');
      // A person at the command line has the person's own rights.
      if (role === 'operator') return [];
      const rights = allowed[ROLES[role] ?? ''] ?? [];
      const has = (need: string): boolean => rights.includes(need) || rights.includes(need.replace(/ \(.*/, ''));
      return (NEEDS[name] ?? ['a row in NEEDS']).filter(it => !has(it)).map(it => `${call}: ${it}`);
    });
    expect(missing).toEqual([]);
    const seen = new Set([...calls].map(call => call.split(' ')[0]));
    expect(Object.keys(ROLES).filter(role => !seen.has(role))).toEqual([]);
  });
});
