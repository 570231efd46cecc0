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
