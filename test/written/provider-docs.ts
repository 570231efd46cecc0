/** docs/reference/providers.md and docs/providers/<id>.md, out of providers/. `npm run write` writes them. */

import { renderProviderPage, STRENGTHS } from '#cli/render-provider-page.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { strengthOf } from '#core/provider/spec-defaults.ts';
import { PROVIDERS } from '#providers/index.ts';

const PAGES = 'docs/providers';

/** Every page by its path from the repository's root. */
export function renderProviderDocs(): ReadonlyMap<string, string> {
  const specs = Object.values(PROVIDERS).sort((a, b) => a.title.localeCompare(b.title, 'en'));
  return new Map([
    ['docs/reference/providers.md', renderTable(specs)],
    ...specs.map(spec => [`${PAGES}/${spec.id}.md`, renderProviderPage(spec)] as const),
  ]);
}

function renderTable(specs: readonly ProviderSpec[]): string {
  const of = (strength: string) => specs.filter(spec => strengthOf(spec) === strength);
  const strengths = Object.entries(STRENGTHS).map(([name, meaning]) => {
    const these = name === 'signed' ? '' : ` ${of(name).map(linked).join(', ')}.`;
    return `- **${name}** (${of(name).length}): ${meaning}${these}`;
  });
  return [
    '# Providers',
    `${specs.length} providers, one file each in \`providers/\`. One is missing? [Add a provider](../receive/add-a-provider.md).`,
    'A request is of the provider of its source, whatever its headers: several providers share header names. Where a page names no strength, it is `signed`.',
    strengths.join('\n'),
    'What a page says:',
    PAGE.map(line => `- ${line}`).join('\n'),
    'Test vectors hold the signing rules. All else was looked up in the linked documentation on the day behind the link. Dashboards change: take the set-up text as a guide.',
    'Each, behind its id:',
    specs.map(spec => `- ${linked(spec)} ${spec.title}`).join('\n'),
    'Made by `npm run write`.',
    '',
  ].join('\n\n');
}

const linked = ({ id }: ProviderSpec): string => `[\`${id}\`](../providers/${id}.md)`;

const PAGE = [
  '**Set-up**: "this URL" is that of the source (`holdfast sources ls`); "the secret" is what you give to `holdfast sources set-secret`. Settings go under `sources` in `gateway.config.ts`; where none are shown, `provider` is all a source needs.',
  '**Proof**: what is signed, and where the signature is. Where it names no time, a request of any age is accepted.',
  '**Identity**: requests that agree in it are one event; the first alternative that is there counts. `content`: the SHA-256 of the body; `none`: every request is a new event. "Repeats may change" names what differs when the provider sends an event again.',
  '**Time**, **Order**: when an event happened, what events of one thing have in common.',
  '**Handshake**: a request that Holdfast answers by itself. It echoes plain tokens only.',
  '**Answer**: what Holdfast answers, where it is not 200 with a short JSON and 401; how long the provider waits. Where no time is named, nobody states one.',
  '**Source**: what was read, if not the documentation linked above.',
  '**Not confirmed**: what its documentation does not say, or was not read there. "Event fields" are those that identify, name and date an event; "new time on retries": whether a repeat is signed anew.',
];
