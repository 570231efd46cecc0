/** docs/reference/providers.md and docs/providers/<id>.md, out of providers/. `npm run write` writes them. */

import { cell, renderProviderPage, STRENGTHS } from '#cli/render-provider-page.ts';
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
  const count = (strength: string) => specs.filter(spec => strengthOf(spec) === strength).length;
  const rows = specs.map(spec => `| ${columns(spec).map(cell).join(' | ')} |`);
  const strengths = Object.entries(STRENGTHS).map(([name, meaning]) => `- **${name}** (${count(name)}): ${meaning}`);
  return [
    '# Providers',
    `${specs.length} providers, one file each in \`providers/\`. One is missing? [Add a provider](../receive/add-a-provider.md).`,
    'A request is of the provider of its source, whatever its headers: several providers share header names.',
    strengths.join('\n'),
    'What a page says:',
    PAGE.map(line => `- ${line}`).join('\n'),
    'No strength below means `signed`; `…` means that the page names more.',
    ['| Provider | Id | Identity | Strength |', '|---|---|---|---|', ...rows].join('\n'),
    'Test vectors hold the signing rules. All else was looked up in the documentation on the day its page names. Dashboards change: take the set-up text as a guide.',
    'Made by `npm run write`.',
    '',
  ].join('\n\n');
}

const PAGE = [
  '**Set-up**: "this URL" is that of the source (`holdfast sources ls`); "the secret" is what you give to `holdfast sources set-secret`. Where no settings are shown, `provider` is all a source needs.',
  '**Proof**: what is signed, and where the signature is. Where it names no time, a request of any age is accepted.',
  '**Identity**: requests that agree in it are one event; the first alternative that is there counts. "Repeats may change" names what differs when the provider sends an event again.',
  '**Time**, **Order**: when an event happened, what events of one thing have in common.',
  '**Handshake**: a request that Holdfast answers by itself. It echoes plain tokens only.',
  '**Answer**: what Holdfast answers, where it is not 200 with a short JSON and 401; how long the provider waits, where that is known.',
  '**Source**: what was read, if not the documentation linked above.',
  '**Not confirmed**: what its documentation does not say, or was not read there. "Event fields" are those that identify, name and date an event; "new time on retries": whether a repeat is signed anew.',
];

/** Parts of an identity that the table shows. */
const SHOWN = 3;

function columns(spec: ProviderSpec): string[] {
  const [first = []] = spec.identity.key;
  const parts = first.map(part =>
    part === 'none' ? 'nothing' : part === 'hash:body' ? 'content' : part.replace(/^[a-z]+:|\?$/g, ''),
  );
  const more = parts.length > SHOWN ? ', …' : '';
  return [
    `[${spec.title}](../providers/${spec.id}.md)`,
    `\`${spec.id}\``,
    `${parts.slice(0, SHOWN).join(', ')}${more}`,
    strengthOf(spec) === 'signed' ? '' : strengthOf(spec),
  ];
}
