/** Sample events of the providers, from `providers/samples/` of Holdfast and of the project, with their ids and times made fresh on each use. */
import { randomInt, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#local/shell/workspace.ts';

const SAMPLES = join(import.meta.dirname, '../../providers/samples');
const GENERIC = 'generic';

export interface SampleEvent {
  readonly method: string;
  /** Without `?`; empty where there is none. */
  readonly rawQuery: string;
  /** Lower-case names; without the signature. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * An event a provider documents, and by what it is told from others: sources as in a spec, or `body` (every byte of it),
 * `item` (every byte of a batch's item), `text:…` (that text of a form or of XML).
 */
export interface DeclaredSample extends SampleEvent {
  readonly title: string;
  /** Another value in one of these is another event. */
  readonly identifiedBy: readonly string[];
  /** What differs when this event is sent again, besides signature and time of signing. */
  readonly redeliveryChanges: readonly string[];
  /** Why `identifiedBy` is as it is, where that is not plain. */
  readonly why?: string;
  /** Why a repetition cannot be told from a new event, and runs again. */
  readonly runsAgain?: string;
}

interface Declaration extends Partial<Omit<DeclaredSample, 'body'>> {
  readonly title: string;
  readonly query?: string;
  /** JSON, with its `content-type` unless `headers` have another, or a text that is sent as it is. */
  readonly body: unknown;
  readonly identifiedBy: readonly string[];
}

/** Providers with samples. */
export function sampleNames(): readonly string[] {
  return readdirSync(SAMPLES)
    .map(name => name.replace(/\.json$/, ''))
    .sort();
}

/** The first sample of a provider, unique on each call. A provider of your own without a file gets the generic one. */
export function sampleEvent(provider: string, now: Date = new Date(), type?: string): SampleEvent {
  const [sample] = declaredSamples(hasSamples(provider) ? provider : GENERIC, now);
  if (!sample) throw new RangeError(`${fileOf(provider)} has no event: add one`);
  return type === undefined ? sample : { ...sample, body: withType(sample.body, type) };
}

/** All samples of a provider. Throws when it has no file. */
export function declaredSamples(provider: string, now: Date): readonly DeclaredSample[] {
  const { events } = JSON.parse(readFileSync(fileOf(provider), 'utf8')) as { readonly events: readonly Declaration[] };
  return events.map(event => fillSample(event, now));
}

export const hasSamples = (provider: string): boolean => existsSync(fileOf(provider));

/** One of ours, else one of the project's own. */
function fileOf(provider: string): string {
  const file = `${provider}.json`;
  return existsSync(join(SAMPLES, file)) ? join(SAMPLES, file) : join(PROJECT_ROOT, 'providers/samples', file);
}

/**
 * In a sample `{{id}}` is 24 hex characters, `{{uuid}}` a UUID, `{{seconds}}`, `{{ms}}` and `{{iso}}` the time,
 * `{{number}}` a random one; a text that is only `{{seconds}}`, `{{ms}}` or `{{number}}` becomes a number.
 */
function fillSample(declared: Declaration, now: Date): DeclaredSample {
  const values: Readonly<Record<string, string>> = {
    id: randomUUID().replaceAll('-', '').slice(0, 24),
    uuid: randomUUID(),
    seconds: String(Math.floor(now.getTime() / 1_000)),
    ms: String(now.getTime()),
    iso: now.toISOString(),
    number: String(randomInt(1, 2 ** 47)),
  };
  const fill = (text: string): string => text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole);
  const { body, query = '', headers = {} } = declared;
  const isText = typeof body === 'string';
  const all = isText ? headers : { 'content-type': 'application/json', ...headers };
  const text = isText ? body : JSON.stringify(body);
  const numbered = text.replace(/"\{\{(seconds|ms|number)\}\}"/g, (_, name: string) => values[name] ?? '0');
  return {
    method: 'POST',
    redeliveryChanges: [],
    ...declared,
    rawQuery: fill(query),
    headers: Object.fromEntries(Object.entries(all).map(([name, value]) => [name, fill(value)])),
    body: fill(numbered),
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
