/** What `holdfast prove` sends, decided by the number of each event alone: who sends and who compares need no list. */
import { type EventPk, isEventKey, toEventPk, toSourceId } from '#core/glossary.ts';

/** `dies`: its handler's process ends a moment after it returned, before or after its writes were committed. */
export type Kind = 'plain' | 'duplicate' | 'fails' | 'dies' | 'poison' | 'forged';

/** A source that can be signed for, as the function that sends gets it. */
export interface ProveSource {
  readonly id: string;
  /** Of its provider. */
  readonly spec: string;
  readonly path: string;
  readonly secret: string;
}

export function kindOf(n: number): Kind {
  const place = n % 100;
  if (place === 0) return 'poison';
  if (place === 1) return 'forged';
  if (place < 7) return 'duplicate';
  if (place > 7) return 'plain';
  // Each ends a process with all that it works on: few are enough.
  return n % 500 === 7 ? 'dies' : 'fails';
}

/** Each kind goes to each source in turn. */
export function sourceOf<Source>(n: number, sources: readonly Source[]): Source {
  return sources[(n + Math.floor(n / 100) + Math.floor(n / 500)) % sources.length] as Source;
}

export function pkOf(run: string, n: number, source: string): EventPk {
  const key = keyOf(run, n);
  if (!isEventKey(key)) throw new RangeError(`"${run}" is no name of a run`);
  return toEventPk(toSourceId(source), key);
}

const keyOf = (run: string, n: number): string => `prove-${run}-${n}`;

const BEHAVES: Readonly<Record<Kind, Readonly<Record<string, unknown>>>> = {
  plain: {},
  duplicate: {},
  forged: {},
  fails: { behave: 'throw', failTimes: 1 },
  dies: { behave: 'exit' },
  poison: { behave: 'die' },
};

interface Unsigned {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const TYPE = 'prove.event';
type Shape = (key: string, data: unknown, nowMs: number) => readonly [body: object, headers?: Unsigned['headers']];

/** Where each provider says which event it is. */
const SHAPES: Readonly<Record<string, Shape>> = {
  generic: (event_id, data, now) => [{ event_id, event_type: TYPE, created_at: new Date(now).toISOString(), data }],
  stripe: (id, data, now) => [{ id, object: 'event', type: TYPE, created: Math.floor(now / 1_000), data }],
  github: (key, data) => [{ data }, { 'x-github-delivery': key, 'x-github-event': TYPE }],
  shopify: (key, data) => [{ data }, { 'x-shopify-webhook-id': key, 'x-shopify-topic': TYPE }],
  'standard-webhooks': (key, data, now) => [
    { type: TYPE, timestamp: new Date(now).toISOString(), data },
    { 'webhook-id': key },
  ],
};

export const isKnown = (spec: string): boolean => Object.hasOwn(SHAPES, spec);

/** The n-th event of a run, before it is signed. */
export function requestOf(run: string, n: number, spec: string, nowMs: number): Unsigned {
  const shape = SHAPES[spec];
  if (shape === undefined) throw new RangeError(`nobody knows how an event of ${spec} looks`);
  const data = { n, ms: 1 + (n % 40), ...BEHAVES[kindOf(n)] };
  const [body, headers = {}] = shape(keyOf(run, n), data, nowMs);
  return { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/** What the record and the effects of an event must say in the end. */
interface Seen {
  /** Of its record; undefined: there is none. */
  readonly status: string | undefined;
  /** How often its handler's write was applied. */
  readonly times: number;
}

/** `open`: not at its end yet. */
export type Verdict = 'right' | 'open' | 'lost' | 'twice' | 'forged';

/** An event that was acknowledged, or a forged one that must not have been. */
export function judge(kind: Kind, { status, times }: Seen): Verdict {
  if (kind === 'forged') return status === undefined && times === 0 ? 'right' : 'forged';
  if (times > 1) return 'twice';
  if (status === undefined) return 'lost';
  if (kind === 'poison') return status === 'dead_letter' ? 'right' : 'open';
  if (status !== 'completed')
    return ['dead_letter', 'rejected', 'ignored', 'closed'].includes(status) ? 'lost' : 'open';
  return times === 1 ? 'right' : 'lost';
}

/** How endpoints of customers answer: `once` refuses its first request, `slow` takes its time, the last two take nothing. */
export const ENDPOINT_KINDS = ['ok', 'once', 'slow', 'down', 'gone'] as const;
export type EndpointKind = (typeof ENDPOINT_KINDS)[number];
export const takesMessages = (kind: EndpointKind): boolean => kind !== 'down' && kind !== 'gone';

/** Row of the table in which the function counts what an endpoint got. */
export const receivedKey = (app: string, kind: string, n: number): string => `got#${app}#${kind}#${n}`;
export const secretKey = (app: string, kind: string): string => `secret#${app}#${kind}`;
