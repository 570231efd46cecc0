/** The files of a provider that nobody has described yet, out of `providers/_template.ts` and the examples of schemes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SchemeAlgorithm } from '#core/provider/provider-spec.ts';
import { SCHEME_EXAMPLES } from './scheme-examples.ts';

const TEMPLATE = join(import.meta.dirname, '../../providers/_template.ts');

/** Apart: the package's build takes it off what looks like an import of ours. */
export const EXTENSION = '.ts';

export interface NewProvider {
  /** Lower-case letters, digits and inner hyphens. */
  readonly id: string;
  readonly alg: SchemeAlgorithm;
  /** yyyy-mm-dd */
  readonly today: string;
}

/** No names in a module, and what the files that import a provider name themselves. */
const TAKEN = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval export extends false
  finally for function if implements import in instanceof interface let new null package private protected public return
  static super switch this throw true try typeof undefined var void while with yield
  all defineGateway event expect gateway it providerById providerProblems`.split(/\s+/),
);

/** What `import { … }` names: the id in camel case, `switchProvider` where that is taken. */
export function constantOf(id: string): string {
  const name = id.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return TAKEN.has(name) ? `${name}Provider` : name;
}

/** `providers/<id>.ts`: the template with its way to sign exchanged. */
export function providerText({ id, alg, today }: NewProvider): string {
  const { entry } = SCHEME_EXAMPLES[alg];
  const template = readFileSync(TEMPLATE, 'utf8');
  const own =
    alg === 'hmac-sha256'
      ? template
      : template.replace(/ {2}verify: \[\n[\s\S]*?\n {2}\],\n/, () => `  verify: [${literal({ alg, ...entry })}],\n`);
  return own
    .replace(/checkedOn: '.*'/, `checkedOn: '${today}'`)
    .replaceAll('acme', id)
    .replaceAll('Acme', titleOf(id))
    .replace('const template', `const ${constantOf(id)}`);
}

/** `providers/samples/<id>.json`: an event as the template reads it. */
export function samplesText(): string {
  const event = {
    title: 'something happened',
    body: { id: 'evt_{{id}}', type: 'thing.happened', created_at: '{{iso}}', attempt: 1, data: { thing: 'th_1' } },
    identifiedBy: ['json:id'],
    redeliveryChanges: ['json:attempt'],
  };
  return `${JSON.stringify({ events: [event] }, null, 2)}\n`;
}

/** `test/<id>-provider.test.ts`: the check of identity, to be filled with events of the provider. */
export function providerTestText(id: string): string {
  const name = constantOf(id);
  return `import { providerProblems } from 'holdfast/testing';
import { expect, it } from 'vitest';
import { ${name} } from '../providers/${id}${EXTENSION}';

const event = (id: string, attempt = 1) => ({
  body: { id, type: 'thing.happened', created_at: '2026-01-01T12:00:00Z', attempt, data: { thing: 'th_1' } },
});

it('tells its events apart, and knows a repetition', () => {
  // One event of each kind of its documentation, and two that are as alike as they can be.
  const distinct = [event('evt_1'), event('evt_2')];
  // The same event, as it is sent again.
  const repeated = [[event('evt_1'), event('evt_1', 2)]] as const;
  expect(providerProblems({ provider: ${name}, distinct, repeated })).toEqual([]);
});
`;
}

export function titleOf(id: string): string {
  return id.replace(/(^|-)(.)/g, (_, dash: string, letter: string) => `${dash && ' '}${letter.toUpperCase()}`);
}

/** A value as TypeScript on one line, as one writes it by hand. */
export function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' ? `'${value.replace(/[\\']/g, '\\$&')}'` : String(value);
  return `{ ${Object.entries(value)
    .map(([key, item]) => `${key}: ${literal(item)}`)
    .join(', ')} }`;
}
