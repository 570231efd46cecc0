/**
 * docs/reference/configuration.md out of the code: meanings and defaults from the docstrings of gateway-config.ts, what is allowed
 * from the checks themselves (each is given a wrong value and says what it wants), numbers from the executed defaults.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_QUEUE, LOCAL_QUEUE, LOCAL_TIMINGS } from '#core/config/defaults.ts';
import type { GatewayConfig } from '#core/config/gateway-config.ts';
import { validateConfig } from '#core/config/validate-config.ts';
import { DEFAULT_TIMINGS } from '#core/inbound/protocol/timings.ts';
import { PROVIDERS } from '#providers/index.ts';

const ROOT = join(import.meta.dirname, '../../..');
export const CONFIG = 'core/config/gateway-config.ts';
const BACKOFF = 'core/retry/backoff.ts';
const TIMINGS = 'core/inbound/protocol/timings.ts';

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
    const [meaning = '', fallback = ''] = text.split('@default ');
    return { name: key, required: optional === '', meaning: meaning.trim(), fallback: fallback.trim() };
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
  const rows = keysOf(file, name).map(({ name: key, required, meaning, fallback }) => [
    `\`${key}\``,
    allowedAt(`${at}.${key}`),
    required && fallback === '' ? 'required' : fallback.replace(/^see `(\w+)`$/, (_, it) => LINKS[it] ?? it),
    meaning,
  ]);
  return table(['key', 'allowed', 'default', 'meaning'], rows);
}

/** Numbers with a production and a local default. */
function numbers(file: string, name: string, at: string, defaults: object, local: object): string {
  const shown = (values: object, key: string): string => Number(Reflect.get(values, key)).toLocaleString('en-US');
  const keys = keysOf(file, name);
  const withMeaning = keys.some(it => it.meaning !== '');
  const rows = keys.map(({ name: key, meaning }) => [
    `\`${key}\``,
    allowedAt(`${at}.${key}`),
    shown(defaults, key),
    shown(local, key),
    ...(withMeaning ? [meaning] : []),
  ]);
  return table(['key', 'allowed', 'default', 'in `local`', ...(withMeaning ? ['meaning'] : [])], rows);
}

export function renderConfigPage(): string {
  return `${[
    '# Configuration',
    '`gateway.config.ts` is the one file to edit. It is checked as a whole at synth, deploy and `npm start`: every mistake is named at once, with what is allowed and what to do. What runs is the result, baked into the functions: a change takes effect with the next `npm run deploy -- <environment>`. Every key but `provider` may be left out.',
    '## Sources',
    '`sources.<name>`: one URL with its own secret, `/webhooks/<name>`. An environment may change single keys: `environments.prod.sources.<name>`.',
    described(CONFIG, 'SourceConfig', 'sources.name'),
    '`throttle`:',
    described('core/config/throttle.ts', 'Throttle', 'sources.name.throttle'),
    '`retry` waits `random(half, all) of min(cap, base × 2^(attempt − 1)) + 1` seconds before the next attempt. All three together:',
    described(BACKOFF, 'RetryProfile', 'sources.name.retry'),
    '## Environments',
    '`environments.<name>`: two stacks, `holdfast-<name>-data` and `holdfast-<name>-gateway`, and one more each for `outbound` and `edge`.',
    described(CONFIG, 'EnvironmentConfig', 'environments.name'),
    '## Queue',
    '`environments.<name>.queue`. Numbers that cannot work together are refused: a message must stay hidden for six process timeouts, and the dead-letter queue must keep longer than the main queue.',
    numbers(CONFIG, 'QueueSettings', 'environments.name.queue', DEFAULT_QUEUE, LOCAL_QUEUE),
    '## Waits',
    '`environments.<name>.timings`. All other waits are constants of [the protocol](../understand/how-receiving-works.md).',
    numbers(TIMINGS, 'ConfiguredTimings', 'environments.name.timings', DEFAULT_TIMINGS, LOCAL_TIMINGS),
    '## Outbound',
    '`environments.<name>.outbound`: webhooks to your customers ([protocol](../understand/how-sending-works.md), [API](../api/delivery.md)). Without it nothing of this is deployed.',
    described('core/config/outbound-config.ts', 'OutboundConfig', 'environments.name.outbound'),
    '## Edge',
    '`environments.<name>.edge`: CloudFront and AWS WAF before the front door ([guide](../operate/address-limit.md)). Without it nothing of this is deployed.',
    described('core/config/edge-config.ts', 'EdgeConfig', 'environments.name.edge'),
    '## Portal',
    '`environments.<name>.outbound.portal`: a page and an API for your customers ([guide](../send/portal.md)). Without it nothing of this is deployed.',
    described('core/config/portal-config.ts', 'PortalConfig', 'environments.name.outbound.portal'),
    '## Secrets',
    'Secrets are not in this file. Each source that verifies by one has its own in Secrets Manager, `holdfast/<environment>/<source>`; until it is set the source answers 503, and `npm run deploy` prints the command that sets it. `npm run holdfast -- sources set-secret <source> --env <environment>` sets it. `npm run holdfast -- sources rotate <source> --env <environment>` keeps the old one valid for `--grace` (24 hours), in which you change it at the provider. A leaked secret gets no grace: `sources set-secret` replaces it at once, and requests signed with the old one are refused.',
    '## Handlers',
    'Tables, grants, secrets and environment variables of your handlers are code: `handlers/resources.ts`.',
    'Made from the code: `npm run write` writes this page again.',
  ].join('\n\n')}\n`;
}
