/**
 * docs/reference/configuration.md out of the code: meanings and defaults from the docstrings of gateway-config.ts, what is allowed
 * from the checks themselves (each is given a wrong value and says what it wants), numbers from the executed defaults.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GatewayConfig } from '#core/config/gateway-config.ts';
import { validateConfig } from '#core/config/validate-config.ts';
import { PROVIDERS } from '#providers/index.ts';

const ROOT = join(import.meta.dirname, '../../..');
export const CONFIG = 'core/config/gateway-config.ts';

/** Keys that are described in a section of their own, and not in the table that they stand in. */
const OWN: readonly string[] = ['reconcile', 'retry', 'queue', 'outbound', 'otlp', 'domain', 'edge', 'portal'];

export interface Key {
  readonly name: string;
  readonly required: boolean;
  readonly meaning: string;
  /** Who sets it: a key that nobody has a reason to set is a constant. */
  readonly when: string;
  readonly fallback: string;
}

/** The keys of an interface with their docstrings, read from its source. */
export function keysOf(file: string, name: string): readonly Key[] {
  const source = readFileSync(join(ROOT, file), 'utf8');
  const block = new RegExp(`export interface ${name} \\{\\n([\\s\\S]*?)\\n\\}`).exec(source)?.[1];
  if (block === undefined) throw new Error(`${file} has no interface ${name}`);
  const entry = /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*)?readonly (\w+)(\??):/g;
  return [...block.matchAll(entry)].map(([, doc = '', key = '', optional]) => {
    const text = doc
      .replaceAll(/\n\s*\*/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim();
    const [said = '', fallback = ''] = text.split('@default ');
    const [meaning = '', when = ''] = said.split('@when ').map(part => part.trim());
    return { name: key, required: optional === '', meaning, when, fallback: fallback.trim() };
  });
}

/** What the check at a place of the configuration allows, in its own words. */
function allowedAt(path: string): string {
  const wrong = () => undefined;
  const config: Record<string, unknown> = { sources: { name: { provider: 'generic' } }, environments: { name: {} } };
  const keys = path.split('.');
  let at = config;
  for (const key of keys.slice(0, -1)) {
    at[key] ??= {};
    at = at[key] as Record<string, unknown>;
  }
  at[keys.at(-1) ?? ''] = wrong;
  const found: string[] = [];
  validateConfig(config as unknown as GatewayConfig, PROVIDERS, problem => {
    if (problem.path === path) found.push(problem.allowed);
  });
  const [allowed] = found;
  if (allowed === undefined) throw new Error(`No check looks at ${path}`);
  const grouped = allowed.replaceAll(/\b\d{4,}\b/g, digits => Number(digits).toLocaleString('en-US'));
  return grouped.replace(/one of the \d+ ids/, 'an id');
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows.map(row => row.map(cell))].map(row => `| ${row.join(' | ')} |`);
  return lines.toSpliced(1, 0, `|${'---|'.repeat(head.length)}`).join('\n');
}

/** What a key may be, and in bold what it is where nobody sets it: each said once. */
function values(allowed: string, fallback: string): string {
  const plain = allowed
    .replace(/^a(?: whole)? number of (.+) from ([\d,]+) to ([\d,]*\d)/, '$2 to $3 $1')
    .replace(/^(?:true or false|an object|a list)$/, '');
  if (fallback === '') return `required${plain === '' ? '' : `: ${plain}`}`;
  const [, first = '', rest = ''] = /^'?([^;]*?)'?(;.*)?$/.exec(fallback) ?? [];
  if (plain.includes(`"${first}"`)) return `${plain.replace(`"${first}"`, `**"${first}"**`)}${rest}`;
  return `**${first}**${rest}${plain === '' ? '' : ` (${plain.replace(/^(?:an? |the )/, '')})`}`;
}

const linked = (text: string): string => text.replaceAll(/docs\/([\w/-]*?)([\w-]+)\.md/g, '[$2](../$1$2.md)');

/** Keys whose docstrings say it all. */
function described(file: string, name: string, at: string): string {
  const rows = keysOf(file, name)
    .filter(key => !OWN.includes(key.name))
    .map(({ name: key, required, meaning, when, fallback }) => [
      `\`${key}\``,
      values(allowedAt(`${at}.${key}`), fallback),
      linked(meaning),
      required && fallback === '' ? '' : when,
    ]);
  return table(['key', 'values', 'meaning', 'set it when'], rows);
}

/** What stands above the table of a key with a section of its own. */
function section(file: string, name: string, key: string, place: string): string {
  const found = keysOf(file, name).find(it => it.name === key);
  if (found === undefined) throw new Error(`${file}: ${name} has no ${key}`);
  return `\`${place}.${key}\`. ${linked(found.meaning)} Set it when ${found.when}.`;
}

/** The one key beside sources and environments. */
function prefixLine(): string {
  const found = keysOf(CONFIG, 'GatewayConfig').find(({ name }) => name === 'prefix');
  return `\`prefix\`, for ${found?.when}: ${allowedAt('prefix')}. ${found?.meaning}`;
}

export function renderConfigPage(): string {
  const environment = 'environments.<name>';
  return `${[
    '# Configuration',
    '`gateway.config.ts` is checked by `npm test`, synth, deploy and `npm start`: they name each mistake, what is allowed and what to do. A change takes effect with the next `npm run deploy -- <environment>`. Of the values the **bold** one is the default. Made by `npm run write`.',
    prefixLine(),
    '## Sources',
    '`sources.<name>`: one URL with its own secret, `/webhooks/<name>`.',
    described(CONFIG, 'SourceConfig', 'sources.name'),
    '## Reconcile',
    section(CONFIG, 'SourceConfig', 'reconcile', 'sources.<name>'),
    described('core/config/reconcile-config.ts', 'ReconcileConfig', 'sources.name.reconcile'),
    '## Environments',
    '`environments.<name>`: the stacks `holdfast-<name>-data` and `holdfast-<name>-gateway`, and one more each for `outbound` and `edge`.',
    described(CONFIG, 'EnvironmentConfig', 'environments.name'),
    '## Retry',
    '`retry` of an environment or a source. The next attempt follows `random(half, all) of min(cap, 2 × 2^(attempt − 1)) + 1` seconds later.',
    described(CONFIG, 'RetryConfig', 'sources.name.retry'),
    '## Queue',
    section(CONFIG, 'EnvironmentConfig', 'queue', environment),
    described(CONFIG, 'QueueSettings', 'environments.name.queue'),
    '## Outbound',
    section(CONFIG, 'EnvironmentConfig', 'outbound', environment),
    described('core/config/outbound-config.ts', 'OutboundConfig', 'environments.name.outbound'),
    '## Portal',
    section('core/config/outbound-config.ts', 'OutboundConfig', 'portal', `${environment}.outbound`),
    described('core/config/portal-config.ts', 'PortalConfig', 'environments.name.outbound.portal'),
    '## OpenTelemetry',
    section(CONFIG, 'EnvironmentConfig', 'otlp', environment),
    described('core/config/otlp-config.ts', 'OtlpConfig', 'environments.name.otlp'),
    '## Domain',
    section(CONFIG, 'EnvironmentConfig', 'domain', environment),
    described('core/config/domain-config.ts', 'DomainConfig', 'environments.name.domain'),
    '## Edge',
    section(CONFIG, 'EnvironmentConfig', 'edge', environment),
    described('core/config/edge-config.ts', 'EdgeConfig', 'environments.name.edge'),
    '## Not in this file',
    'Secrets: each source that verifies by one has its own in Secrets Manager, `holdfast/<environment>/<source>`, and answers 503 until it is set ([how](../operate/secrets.md)). Tables, grants and environment variables of your handlers: `handlers/resources.ts`.',
  ].join('\n\n')}\n`;
}
