/** No change of settings makes a deploy fail or loses what is stored: ten configurations, each deployed over each other. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { synthEnvironment } from './synth-environment.ts';
import { CONFIGURATIONS, conflictsOf, onlyWhatIsStored, type StackOf, stacksOf } from './transitions.ts';

const stacks = new Map<string, readonly StackOf[]>();
beforeAll(async () => {
  for (const [name, config] of Object.entries(CONFIGURATIONS))
    stacks.set(name, stacksOf((await synthEnvironment('prod', config)).stage));
}, 120_000);

const names = Object.keys(CONFIGURATIONS);
const pairs = names.flatMap(from => names.filter(to => to !== from).map(to => [from, to] as const));

describe('from one configuration to another', () => {
  it('there are ninety ways', () => {
    expect(pairs).toHaveLength(90);
  });

  it.each(pairs)('%s → %s', (from, to) => {
    expect(conflictsOf(stacks.get(from) ?? [], stacks.get(to) ?? [])).toEqual([]);
  });
});

it('a change that loses something is found: a table made anew, one that is deleted, one that is kept by nobody, an export in use', () => {
  const table = (key: string, policy: string) => ({
    Type: 'AWS::DynamoDB::Table',
    DeletionPolicy: policy,
    UpdateReplacePolicy: policy,
    Properties: { KeySchema: [{ AttributeName: key, KeyType: 'HASH' }] },
  });
  const stack = (resources: object, outputs: object = {}): StackOf => ({
    name: 'data',
    template: { Resources: resources, Outputs: outputs },
  });
  const before = (policy: string) => [stack({ Events: table('pk', policy) })];
  const says = (conflicts: readonly string[]) => conflicts.join('; ');
  expect(says(conflictsOf(before('Delete'), [stack({ Events: table('id', 'Delete') })]))).toMatch(/replaced/);
  expect(says(conflictsOf(before('Delete'), [stack({})]))).toMatch(/deleted/);
  expect(says(conflictsOf(before('Retain'), [stack({})]))).toMatch(/orphaned/);
  const user: StackOf = { name: 'gateway', template: { Outputs: { A: { Value: { 'Fn::ImportValue': 'x' } } } } };
  const deployed = [stack({}, { X: { Value: 'arn', Export: { Name: 'x' } } }), user];
  expect(says(conflictsOf(deployed, [stack({}), user]))).toMatch(/in use by gateway/);
});

/** The stacks of four of them as 0.1.0 made them: their exports and imports, and what holds data. */
const BEFORE: Readonly<Record<string, readonly StackOf[]>> = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../fixtures/stacks/0.1.0.json'), 'utf8'),
);

describe('from the release before', () => {
  it.each(Object.keys(BEFORE).flatMap(from => names.map(to => [from, to] as const)))('%s → %s', (from, to) => {
    const next = (stacks.get(to) ?? []).map(({ name, template }) => ({ name, template: onlyWhatIsStored(template) }));
    expect(conflictsOf(BEFORE[from] ?? [], next)).toEqual([]);
  });
});
