/** docs/reference/providers.md and docs/providers/<id>.md, out of providers/. `npm run write` writes them. */
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { PROVIDERS } from '#providers/index.ts';
import { cell, duration, renderProviderPage, STRENGTHS } from './render-provider-page.ts';

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
  const count = (strength: string) => specs.filter(spec => spec.strength === strength).length;
  const rows = specs.map(spec => `| ${columns(spec).map(cell).join(' | ')} |`);
  const strengths = Object.entries(STRENGTHS).map(([name, meaning]) => `- **${name}** (${count(name)}): ${meaning}`);
  return [
    '# Providers',
    `${specs.length} providers are described in \`providers/\`, one file each: how they sign, what identifies an event, what they want as an answer, when they try again. A provider that is missing: [add a provider](../receive/add-a-provider.md).`,
    'The provider of a request is the one of its source, never guessed from its headers: several providers use the same header names with different rules.',
    strengths.join('\n'),
    [
      '| Provider | Id | Strength | Tells events apart by | Waits | Handshake | Not confirmed |',
      '|---|---|---|---|---|---|---|',
      ...rows,
    ].join('\n'),
    'The signing rules are held by test vectors. Retries, deadlines and the fields of an event were looked up in the documentation of the provider on the date its page names; what was not found there is on the page under "Not confirmed", and the last column counts it. Consoles move their menus: read the set-up texts as a direction.',
    'Made by `npm run write`.',
    '',
  ].join('\n\n');
}

function columns(spec: ProviderSpec): string[] {
  const [first = []] = spec.identity.key;
  const key = first
    .map(part => (part === 'none' ? 'nothing' : part === 'hash:body' ? 'content' : part.replace(/^[a-z]+:|\?$/g, '')))
    .join(' + ');
  return [
    `[${spec.title}](../providers/${spec.id}.md)`,
    `\`${spec.id}\``,
    spec.strength,
    `\`${key}\`${spec.identity.items === undefined ? '' : ' (each item)'}`,
    duration(spec.ack.deadlineMs / 1000),
    [...new Set(spec.handshakes.map(handshake => handshake.when.method))].join(', '),
    String(spec.unconfirmed?.length ?? 0),
  ];
}
