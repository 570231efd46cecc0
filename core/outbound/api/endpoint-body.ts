/** An endpoint between the names of the API and those of its item. */
import type {
  Compatibility,
  ContentFilter,
  EndpointItem,
  Mode,
  SignatureProfile,
} from '#core/outbound/protocol/items.ts';
import type { EndpointChange, NewEndpoint } from '#core/outbound/registry/endpoints.ts';
import { toIso } from '#core/time.ts';
import { waitsOf } from './applications-api.ts';

export interface EndpointBody {
  readonly url?: string;
  readonly description?: string;
  readonly types?: readonly string[];
  readonly channels?: readonly string[];
  readonly mode?: Mode;
  readonly api_version?: string | null;
  readonly filter?: ContentFilter | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signature?: SignatureProfile;
  readonly compatibility?: Compatibility | null;
  readonly schedule?: Parameters<typeof waitsOf>[0] | null;
  readonly rate?: { readonly per_second: number; readonly burst: number } | null;
  readonly max_concurrency?: number;
  readonly timeout_seconds?: number;
  readonly ordered?: boolean;
  readonly head_of_line_hours?: number | null;
  readonly batch?: { readonly max_events: number; readonly max_bytes: number } | null;
  readonly payload?: 'full' | 'thin';
  readonly auto_disable_days?: number | false | null;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** What a body changes; null takes an optional field away. */
export function changeOf(body: EndpointBody): EndpointChange {
  const { schedule, rate, batch, timeout_seconds: seconds } = body;
  const all = {
    url: body.url,
    description: body.description,
    types: body.types,
    channels: body.channels,
    mode: body.mode,
    apiVersion: body.api_version,
    filter: body.filter,
    headers: body.headers,
    signature: body.signature,
    compatibility: body.compatibility,
    schedule: schedule && waitsOf(schedule),
    rate: rate && { perSecond: rate.per_second, burst: rate.burst },
    maxConcurrency: body.max_concurrency,
    timeoutMs: seconds === undefined ? undefined : seconds * 1_000,
    ordered: body.ordered,
    headOfLineHours: body.head_of_line_hours,
    batch: batch && { maxEvents: batch.max_events, maxBytes: batch.max_bytes },
    payload: body.payload,
    autoDisableDays: body.auto_disable_days,
    metadata: body.metadata,
  };
  const given = Object.entries(all).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, value ?? undefined])) as EndpointChange;
}

/** A new endpoint: what the body says, over the defaults. */
export function newEndpointOf(
  body: EndpointBody & { readonly url: string; readonly uid?: string },
  defaults: { readonly timeoutMs: number; readonly apiVersion?: string | undefined },
): NewEndpoint {
  const { apiVersion } = defaults;
  const whole = {
    ...{ url: body.url, description: '', types: [], channels: [], mode: 'live' as const, headers: {} },
    ...{ signature: 'standard' as const, maxConcurrency: 32, timeoutMs: defaults.timeoutMs, ordered: false },
    ...{ payload: 'full' as const, metadata: {} },
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...changeOf(body),
    ...(body.uid === undefined ? {} : { uid: body.uid }),
  };
  return Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined)) as unknown as NewEndpoint;
}

/** Never with a secret. */
export function showEndpoint(item: EndpointItem) {
  const { rate, batch } = item;
  return {
    id: item.id,
    uid: item.uid ?? null,
    application: item.app,
    ...{ url: item.url, description: item.description, types: item.types, channels: item.channels, mode: item.mode },
    api_version: item.apiVersion ?? null,
    filter: item.filter ?? null,
    headers: item.headers,
    signature: item.signature,
    compatibility: item.compatibility ?? null,
    schedule: item.schedule ?? null,
    rate: rate ? { per_second: rate.perSecond, burst: rate.burst } : null,
    max_concurrency: item.maxConcurrency,
    timeout_seconds: item.timeoutMs / 1_000,
    ordered: item.ordered,
    head_of_line_hours: item.headOfLineHours ?? null,
    batch: batch ? { max_events: batch.maxEvents, max_bytes: batch.maxBytes } : null,
    payload: item.payload,
    auto_disable_days: item.autoDisableDays ?? null,
    metadata: item.metadata,
    version: item.version,
    created_at: toIso(item.createdAt),
    updated_at: toIso(item.changedAt ?? item.createdAt),
  };
}
