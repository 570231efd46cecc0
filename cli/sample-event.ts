/** Sample events: one realistic request per provider in `fixtures/`, with its ids and times made fresh on each use. */
import { randomInt, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FIXTURES = join(import.meta.dirname, 'fixtures');
const GENERIC = 'generic';

export interface SampleEvent {
  readonly body: Buffer;
  /** Lower-case names; without the signature. */
  readonly headers: Readonly<Record<string, string>>;
}

interface Fixture {
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, or a text that is sent as it stands. */
  readonly body: unknown;
}

/** Providers with a sample of their own. */
export function sampleNames(): readonly string[] {
  return readdirSync(FIXTURES)
    .map(name => name.replace(/\.json$/, ''))
    .sort();
}

/**
 * A sample of a provider, unique on each call. Providers without one get the generic one. In a fixture `{{id}}` is 24 hex
 * characters, `{{uuid}}` a UUID, `{{seconds}}`, `{{ms}}` and `{{iso}}` the time, `{{number}}` a random one; a text that
 * is only `{{seconds}}`, `{{ms}}` or `{{number}}` becomes a number.
 */
export function sampleEvent(provider: string, now: Date, type?: string): SampleEvent {
  const name = sampleNames().includes(provider) ? provider : GENERIC;
  const fixture = JSON.parse(readFileSync(join(FIXTURES, `${name}.json`), 'utf8')) as Fixture;
  return fillSample(fixture, now, type);
}

function fillSample({ headers, body }: Fixture, now: Date, type: string | undefined): SampleEvent {
  const uuid = randomUUID();
  const values: Readonly<Record<string, string>> = {
    id: randomUUID().replaceAll('-', '').slice(0, 24),
    uuid,
    seconds: String(Math.floor(now.getTime() / 1_000)),
    ms: String(now.getTime()),
    iso: now.toISOString(),
    number: String(randomInt(1, 2 ** 47)),
  };
  const fill = (text: string): string => text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const numbered = text.replace(/"\{\{(seconds|ms|number)\}\}"/g, (_, name: string) => values[name] ?? '0');
  const filled = fill(numbered);
  return {
    body: Buffer.from(type === undefined ? filled : withType(filled, type)),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)])),
  };
}

/** The sample with another event type, where the body says it in one of the usual places. */
function withType(text: string, type: string): string {
  try {
    const body = JSON.parse(text) as Record<string, unknown>;
    for (const name of ['type', 'event_type', 'event', 'action']) {
      if (typeof body[name] === 'string') return JSON.stringify({ ...body, [name]: type });
    }
  } catch {
    // A form has its type elsewhere.
  }
  return text;
}
