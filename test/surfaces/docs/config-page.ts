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

/** Where this page describes what a docstring refers to. */
const LINKS: Readonly<Record<string, string>> = {
  QueueSettings: '[below](#queue)',
  silence: 'see `silence`',
  OutboundConfig: '[below](#outbound)',
  EdgeConfig: '[below](#edge)',
  PortalConfig: '[below](#portal)',
};

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
  const lines = [head, head.map(() => '---'), ...rows.map(row => row.map(cell))];
  return lines.map(row => `| ${row.join(' | ')} |`).join('\n');
}

/** Keys whose docstrings say it all. */
function described(file: string, name: string, at: string): string {
  const rows = keysOf(file, name).map(({ name: key, required, meaning, when, fallback }) => [
    `\`${key}\``,
    allowedAt(`${at}.${key}`),
    required && fallback === '' ? 'required' : fallback.replace(/^see `(\w+)`$/, (_, it) => LINKS[it] ?? it),
    meaning,
    when,
  ]);
  return table(['key', 'allowed', 'default', 'meaning', 'set it when'], rows);
}

/** The one key beside sources and environments. */
function prefixLine(): string {
  const found = keysOf(CONFIG, 'GatewayConfig').find(({ name }) => name === 'prefix');
  return `\`prefix\`, for ${found?.when}: ${allowedAt('prefix')}. ${found?.meaning}`;
}

export function renderConfigPage(): string {
  return `${[
    '# Configuration',
    '`gateway.config.ts` is the one file to edit. It is checked as a whole at synth, deploy and `npm start`: every mistake is named at once, with what is allowed and what to do. What runs is the result, baked into the functions: a change takes effect with the next `npm run deploy -- <environment>`. Every key but `provider` may be left out.',
    prefixLine(),
    '## Sources',
    '`sources.<name>`: one URL with its own secret, `/webhooks/<name>`. An environment may change single keys: `environments.prod.sources.<name>`.',
    described(CONFIG, 'SourceConfig', 'sources.name'),
    '`reconcile`: what the provider says it delivered is compared with what arrived ([guide](../receive/missing-events.md)).',
    described('core/config/reconcile-config.ts', 'ReconcileConfig', 'sources.name.reconcile'),
    '`retry` waits `random(half, all) of min(cap, 2 × 2^(attempt − 1)) + 1` seconds before the next attempt:',
    described(CONFIG, 'RetryConfig', 'sources.name.retry'),
    '## Environments',
    '`environments.<name>`: two stacks, `holdfast-<name>-data` and `holdfast-<name>-gateway`, and one more each for `outbound` and `edge`.',
    described(CONFIG, 'EnvironmentConfig', 'environments.name'),
    '## Queue',
    '`environments.<name>.queue`. A message stays hidden for six process timeouts, and a dead one is kept for 14 days.',
    described(CONFIG, 'QueueSettings', 'environments.name.queue'),
    '## Outbound',
    '`environments.<name>.outbound`: webhooks to your customers ([protocol](../understand/how-sending-works.md), [API](../api/delivery.md)). Without it nothing of this is deployed.',
    described('core/config/outbound-config.ts', 'OutboundConfig', 'environments.name.outbound'),
    '## OpenTelemetry',
    '`environments.<name>.otlp` ([guide](../operate/traces.md)). Without it nothing of this is deployed.',
    described('core/config/otlp-config.ts', 'OtlpConfig', 'environments.name.otlp'),
    '## Domain',
    '`environments.<name>.domain`: a host of yours in front of the API ([guide](../operate/deploy.md)).',
    described('core/config/domain-config.ts', 'DomainConfig', 'environments.name.domain'),
    '## Edge',
    '`environments.<name>.edge`: CloudFront and AWS WAF before the front door ([guide](../operate/address-limit.md)). Without it nothing of this is deployed.',
    described('core/config/edge-config.ts', 'EdgeConfig', 'environments.name.edge'),
    '## Portal',
    '`environments.<name>.outbound.portal`: a page and an API for your customers ([guide](../send/portal.md)). Without it nothing of this is deployed.',
    described('core/config/portal-config.ts', 'PortalConfig', 'environments.name.outbound.portal'),
    '## Secrets',
    'Secrets are not in this file. Each source that verifies by one has its own in Secrets Manager, `holdfast/<environment>/<source>`; until it is set the source answers 503, and `npm run deploy` prints the command that sets it. [How to set, rotate and replace it](../operate/secrets.md).',
    '## Handlers',
    'Tables, grants, secrets and environment variables of your handlers are code: `handlers/resources.ts`.',
    'Made from the code: `npm run write` writes this page again.',
  ].join('\n\n')}\n`;
}
