/** docs/reference/exports.md: what the package's entries export, each value with the beginning of its docstring. */
import { ENTRIES, exportsOf } from '#test/surfaces/sdk/public-exports.ts';

const ABOUT: Readonly<Record<string, string>> = {
  holdfast: 'what `gateway.config.ts`, `handlers/` and `providers/` import',
  'holdfast/testing': 'what tests of your handlers and providers import',
  'holdfast/publish': 'what a backend imports that publishes webhooks; also the package `holdfast-publish`',
  'holdfast/cdk': 'the gateway as a part of a CDK app of yours',
};

export function renderExportsPage(): string {
  const entries = Object.entries(ENTRIES).map(([entry, file]) => {
    const all = exportsOf(file);
    const byWords = new Map<string, string[]>();
    for (const { name, doc } of all.filter(({ isType }) => !isType).toSorted((a, b) => (a.name < b.name ? -1 : 1)))
      byWords.set(firstSentence(doc ?? ''), [...(byWords.get(firstSentence(doc ?? '')) ?? []), `\`${name}\``]);
    const rows = [...byWords].map(([words, names]) => `- ${names.join(', ')}: ${words}`);
    const types = all.filter(({ isType }) => isType).map(({ name }) => `\`${name}\``);
    return [
      `## ${entry}`,
      `${(ABOUT[entry] ?? '').replace(/^./, letter => letter.toUpperCase())}.`,
      '',
      ...rows,
      '',
      `Types: ${types.toSorted().join(', ')}.`,
      '',
    ].join('\n');
  });
  return `# Exports\n\nMade by \`npm run write\`. Your editor shows each docstring whole. An export changes only with a version that may break things ([UPGRADING](../../UPGRADING.md)).\n\n${entries.join('\n')}`;
}

function firstSentence(doc: string): string {
  const text = (doc.split('@example')[0] ?? '').replaceAll(/\s+/g, ' ').trim();
  const [sentence = ''] = /^.*?[.:;](?= |$)/.exec(text) ?? [text];
  return sentence.replace(/[.:;]$/, '');
}
