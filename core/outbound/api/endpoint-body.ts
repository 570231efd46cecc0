/**
 * Every field of an endpoint, once: what the API calls it, what it may hold, what a new endpoint begins with, whether its
 * customer decides it. The checks, the change, what is shown, what customers may give, and the request schemas of the
 * OpenAPI documents are made of this table. A field of the item without a row does not compile.
 */
import type { ScheduleName } from '#core/outbound/drain/schedule.ts';
import { type EndpointItem, KEY_ID_PLACES, SIGNATURE_PROFILES } from '#core/outbound/protocol/items.ts';
import type { EndpointChange, NewEndpoint } from '#core/outbound/registry/endpoints.ts';
import { type GivenForm, nearestForm } from '#core/outbound/sign/signature-form.ts';
import { boolean, type Check, type ConfigProblem, number, object, oneOf, show } from '#core/problem.ts';
import { toIso } from '#core/time.ts';
import { waitsOf } from './applications-api.ts';
import { MASKED } from './customer.ts';
import {
  apiVersion,
  autoDisableDays,
  channels,
  compatibilityCheck,
  filter,
  headersCheck,
  metadata,
  orNull,
  schedule,
  signatureHeader,
  typePatterns,
  url,
  why,
} from './fields.ts';

type Value<Item extends keyof EndpointChange> = NonNullable<EndpointChange[Item]>;

interface Row<Item extends keyof EndpointChange> {
  /** As the API writes it. */
  readonly name: string;
  /** `prefix`: of our own headers. */
  readonly check: Check | { readonly with: (prefix: string) => Check };
  /** Its customer may give and see it, in the portal, too. */
  readonly customer?: true;
  /** Of kind pull, too: it says what is wanted, not how it is sent. */
  readonly pull?: true;
  /** Of a new endpoint; absent: required, or absent until it is given. */
  readonly preset?: Value<Item>;
  /** From what the API writes to what is stored, and back. @default the same */
  readonly read?: (written: never) => Value<Item>;
  readonly write?: (stored: Value<Item>) => unknown;
}
type Rows = { readonly [Item in keyof Required<EndpointChange>]: Row<Item> };

export const ENDPOINT = {
  kind: { name: 'kind', check: oneOf('push', 'pull'), customer: true, pull: true },
  url: { name: 'url', check: url, customer: true, preset: '' },
  description: { name: 'description', check: why, customer: true, pull: true, preset: '' },
  types: { name: 'types', check: typePatterns, customer: true, pull: true, preset: [] },
  channels: { name: 'channels', check: channels, customer: true, pull: true, preset: [] },
  mode: { name: 'mode', check: oneOf('live', 'test'), customer: true, pull: true, preset: 'live' },
  apiVersion: { name: 'api_version', check: orNull(apiVersion), customer: true, pull: true },
  filter: { name: 'filter', check: orNull(filter), customer: true, pull: true },
  headers: { name: 'headers', check: { with: headersCheck }, customer: true, preset: {} },
  signature: { name: 'signature', check: oneOf(...SIGNATURE_PROFILES), customer: true, preset: 'standard' },
  signatureHeader: {
    name: 'signature_header',
    check: { with: prefix => orNull(signatureHeader(prefix)) },
    customer: true,
    read: (written: string) => written.toLowerCase(),
  },
  keyId: { name: 'key_id_in', check: orNull(oneOf(...KEY_ID_PLACES)), customer: true },
  compatibility: { name: 'compatibility', check: { with: prefix => orNull(compatibilityCheck(prefix)) } },
  schedule: {
    name: 'schedule',
    check: orNull(schedule),
    read: (written: ScheduleName | readonly number[]) => waitsOf(written),
  },
  rate: {
    name: 'rate',
    check: orNull(
      object<Rate>({ per_second: number(0.01, 1_000, 'requests', 'any'), burst: number(1, 10_000, 'requests') }, [
        'per_second',
        'burst',
      ]),
    ),
    customer: true,
    read: ({ per_second: perSecond, burst }: Rate) => ({ perSecond, burst }),
    write: ({ perSecond, burst }): Rate => ({ per_second: perSecond, burst }),
  },
  maxConcurrency: { name: 'max_concurrency', check: number(1, 100, 'requests'), preset: 32 },
  timeoutMs: {
    name: 'timeout_seconds',
    check: number(1, 30, 'seconds'),
    customer: true,
    read: (seconds: number) => seconds * 1_000,
    write: ms => ms / 1_000,
  },
  connectMs: {
    name: 'connect_timeout_seconds',
    check: orNull(number(1, 10, 'seconds')),
    customer: true,
    read: (seconds: number) => seconds * 1_000,
    write: ms => ms / 1_000,
  },
  ordered: { name: 'ordered', check: boolean, customer: true, preset: false },
  headOfLineHours: { name: 'head_of_line_hours', check: orNull(number(1, 720, 'hours')) },
  batch: {
    name: 'batch',
    check: orNull(
      object<Batch>({ max_events: number(2, 100, 'messages'), max_bytes: number(1_024, 262_144, 'bytes') }, [
        'max_events',
        'max_bytes',
      ]),
    ),
    customer: true,
    read: ({ max_events: maxEvents, max_bytes: maxBytes }: Batch) => ({ maxEvents, maxBytes }),
    write: ({ maxEvents, maxBytes }): Batch => ({ max_events: maxEvents, max_bytes: maxBytes }),
  },
  payload: { name: 'payload', check: oneOf('full', 'thin'), customer: true, preset: 'full' },
  autoDisableDays: { name: 'auto_disable_days', check: orNull(autoDisableDays) },
  metadata: { name: 'metadata', check: metadata, pull: true, preset: {} },
} as const satisfies Rows;

interface Rate {
  readonly per_second: number;
  readonly burst: number;
}
interface Batch {
  readonly max_events: number;
  readonly max_bytes: number;
}

type Table = typeof ENDPOINT;
type Written<Item extends keyof Table> = Table[Item] extends { readonly read: (written: infer Given) => unknown }
  ? Given
  : EndpointItem[Item];
/** As the API takes it; null takes an optional field away. */
export type EndpointBody = {
  readonly [Item in keyof Table as Table[Item]['name']]?:
    | Written<Item>
    | (undefined extends EndpointItem[Item] ? null : never);
};

const ROWS = Object.entries(ENDPOINT) as unknown as readonly (readonly [
  keyof EndpointChange,
  Row<never> & { readonly read?: (written: unknown) => unknown; readonly write?: (stored: unknown) => unknown },
])[];

/** Of an endpoint, what its customer decides; the rest is the producer's. */
export const CUSTOMER_FIELDS: readonly string[] = ROWS.flatMap(([, { name, customer }]) => (customer ? [name] : []));

/** What the fields may hold, by the names of the API; `prefix`: of our own headers. */
export const endpointFields = (prefix: string): Readonly<Record<string, Check>> =>
  Object.fromEntries(ROWS.map(([, { name, check }]) => [name, 'with' in check ? check.with(prefix) : check]));

const PULL_FIELDS = ROWS.flatMap(([, { name, pull }]) => (pull ? [name] : []));
/** A body may have these as well, whatever the kind. */
const OF_ANY_KIND = ['uid', 'if_version'];

/** What an endpoint of its kind cannot have, or cannot be without. `there`: of one that is changed. */
export function kindProblems(
  body: EndpointBody,
  there: Pick<EndpointItem, 'kind'> | undefined,
  needsUrl: boolean,
): readonly ConfigProblem[] {
  const kind = there === undefined ? (body.kind ?? 'push') : (there.kind ?? 'push');
  if (body.kind !== undefined && body.kind !== kind)
    return [
      {
        ...{ path: 'kind', given: show(body.kind), allowed: `${show(kind)}: the kind of an endpoint never changes` },
        fix: 'make another endpoint',
      },
    ];
  if (kind === 'push') {
    const fix = 'add url, or make an endpoint of kind pull';
    return needsUrl && body.url === undefined
      ? [{ path: 'url', given: 'nothing', allowed: 'this key is required', fix }]
      : [];
  }
  const names = Object.entries(body).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const allowed = `of kind pull only ${PULL_FIELDS.join(', ')}, as nothing is sent`;
  return names
    .filter(name => !PULL_FIELDS.includes(name) && !OF_ANY_KIND.includes(name))
    .map(path => ({ path, given: 'a value', allowed, fix: 'leave it out' }));
}

/** What a body changes; null takes an optional field away. */
export function changeOf(body: EndpointBody): EndpointChange {
  const changes = ROWS.flatMap(([item, { name, read }]) => {
    const given = (body as Readonly<Record<string, unknown>>)[name];
    if (given === undefined) return [];
    return [[item, given === null ? undefined : (read?.(given) ?? given)]];
  });
  return Object.fromEntries(changes) as EndpointChange;
}

/** A new endpoint: what the body says, over the defaults. */
export function newEndpointOf(
  body: EndpointBody & { readonly uid?: string },
  defaults: { readonly timeoutMs: number; readonly apiVersion?: string | undefined },
  /** Of its application, then of the environment. */
  forms: readonly GivenForm[],
): NewEndpoint {
  const presets = ROWS.map(([item, { preset }]) => [item, preset]);
  const own = changeOf(body);
  const whole = { ...Object.fromEntries(presets), ...defaults, ...own, ...nearestForm([own, ...forms]), uid: body.uid };
  return Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined)) as unknown as NewEndpoint;
}

/** Never with a secret; values of its headers are shown to nobody: they are secrets of its customer. */
export function showEndpoint(item: EndpointItem) {
  const fields = ROWS.map(([key, { name, write }]) => {
    const stored = item[key];
    return [name, stored === undefined ? null : (write?.(stored) ?? stored)];
  });
  return {
    id: item.id,
    uid: item.uid ?? null,
    application: item.app,
    ...Object.fromEntries(fields),
    kind: item.kind ?? 'push',
    url: item.url === '' ? null : item.url,
    headers: Object.fromEntries(Object.keys(item.headers).map(name => [name, MASKED])),
    version: item.version,
    created_at: toIso(item.createdAt),
    updated_at: toIso(item.changedAt ?? item.createdAt),
  };
}
