/** One call of the producer's API: what it brings, what it may use, and what it reads before it does anything. */

import { given } from '#core/given.ts';
import type { TargetRules } from '#core/outbound/address/target-url.ts';
import type { JudgeSchema } from '#core/outbound/catalogue/judge-publication.ts';
import { tellAbout } from '#core/outbound/drain/tell.ts';
import type { NoteRows } from '#core/outbound/fan-out/note-rows.ts';
import type { OutboundPorts } from '#core/outbound/ports.ts';
import type { AppId } from '#core/outbound/protocol/ids.ts';
import type { ApplicationItem, ContactKind, EndpointItem } from '#core/outbound/protocol/items.ts';
import { findApplication } from '#core/outbound/registry/applications.ts';
import { countCall, type LimitedCall } from '#core/outbound/registry/call-limits.ts';
import { findEndpoint } from '#core/outbound/registry/endpoints.ts';
import type { SignAttempt } from '#core/outbound/sign/attempt-to-sign.ts';
import type { GivenForm } from '#core/outbound/sign/signature-form.ts';
import type { SigningCrypto, Telemetry, Timer } from '#core/ports.ts';
import { allowing, type Check, type Checked, digits, object, problemsOf } from '#core/problem.ts';
import { refuse, refuseProblems } from '#core/problem-reply.ts';
import { json, type Reply } from '#core/reply.ts';
import { textOf, utf8 } from '#core/scan/bytes.ts';
import { decodeJsonObject, isShallow } from '#core/scan/json-object.ts';
import { ROOT, scanJson } from '#core/scan/json-scan.ts';
import { DAY_MS, MINUTE_MS } from '#core/time.ts';
import type { DeliveryRoute } from './api-routes.ts';
import type { Customer } from './customer.ts';

export interface ApiPorts extends Omit<OutboundPorts, 'slow' | 'sender' | 'random' | 'timer' | 'telemetry'> {
  /** How a test is signed and sent: loaded with the first one. */
  readonly sending: () => Promise<Pick<OutboundPorts, 'sender'> & { readonly sign: SignAttempt }>;
  readonly crypto: Pick<SigningCrypto, 'hash' | 'hmac' | 'publicEd25519' | 'equal'>;
  /** Under which portal tokens are signed, the newest first. */
  readonly portalKeys: readonly Uint8Array[];
  readonly noteRows: NoteRows;
  readonly timer: Pick<Timer, 'sleep'>;
  /** Of the examples of event types. */
  readonly judge: JudgeSchema;
  /** Bytes that nobody can guess. */
  readonly randomBytes: (count: number) => Uint8Array;
  readonly telemetry: Pick<Telemetry, 'count' | 'log'>;
}

export interface ApiRules {
  readonly environment: string;
  readonly retentionMs: number;
  /** Of an endpoint that has none of its own. */
  readonly timeoutMs: number;
  readonly target: TargetRules;
  /** Beginning of our informational headers, which no endpoint may set. */
  readonly headerPrefix: string;
  /** Of endpoints whose application names none. */
  readonly form: GivenForm;
  readonly replaysPerSecond: number;
  /** Where the portal is; absent: nowhere. */
  readonly portalUrl?: string;
  /** What a contact may be; absent: there are none. */
  readonly contacts?: readonly ContactKind[];
}

export interface ApiCall {
  /** Decoded. */
  readonly path: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly body: string | undefined;
  /** The caller's IAM identity. */
  readonly caller: string;
  readonly route: DeliveryRoute;
  readonly ports: ApiPorts;
  readonly rules: ApiRules;
  /** A customer asks, with a portal token; absent: the producer. */
  readonly customer?: Customer;
}

const BODY_LIMIT = 65_536;
/** As of a message's data. What is shown of a deeper one, no stack has room for. */
const BODY_LEVELS = 64;

type Fields = Readonly<Record<string, Check>>;
/** What the checks of its fields leave of a body. */
export type Body<F extends Fields, Needed extends keyof F = never> = {
  readonly [Name in keyof F]?: Checked<F[Name]>;
} & { readonly [Name in Needed]: Checked<F[Name]> };

/** The JSON body, each field checked. Throws `Refused` with every problem. */
export function bodyOf<F extends Fields, Needed extends keyof F & string = never>(
  { body }: ApiCall,
  fields: F,
  required: readonly Needed[] = [],
): Body<F, Needed> {
  if ((body ?? '').length > BODY_LIMIT)
    refuse(413, 'too_large', `the body has ${body?.length} characters; at most ${BODY_LIMIT} are allowed`);
  const given = decodeJsonObject(body === undefined || body.trim() === '' ? '{}' : body);
  if (given === undefined) return refuse(400, 'invalid_request', 'the body is not a JSON object');
  if (!isShallow(given, BODY_LEVELS)) refuse(400, 'invalid_request', `the body is deeper than ${BODY_LEVELS} levels`);
  refuseProblems(problemsOf(given, object(fields, required)));
  return given as Body<F, Needed>;
}

/** JSON of a body's member as it was given, for it is sent or judged: no number loses a digit. `read`: as `bodyOf` has it. */
export function asGiven({ body }: ApiCall, name: string, read: unknown): Uint8Array | undefined {
  if (read === undefined) return undefined;
  const document = scanJson(utf8(body ?? ''));
  const node = document?.member(ROOT, name);
  return document && node !== undefined ? document.slice(node) : utf8(JSON.stringify(read));
}

/** The query, each parameter checked as text. */
export function queryOf(call: ApiCall, fields: Readonly<Record<string, Check>>): ApiCall['query'] {
  refuseProblems(problemsOf(call.query, object(fields)));
  return call.query;
}

/** The application of the path, an id or `uid:<uid>`. Throws `Refused` (404). */
export async function applicationOf(call: ApiCall, ref = call.path['app'] ?? ''): Promise<ApplicationItem> {
  const found = call.customer ? ownOf(call.customer, ref) : await findApplication(call.ports.store, ref);
  return (
    found ??
    refuse(404, 'unknown_application', `there is no application ${ref.slice(0, 80)}: give its id (app_…) or uid:<uid>`)
  );
}

/** The same, unless it is being erased. Throws `Refused` (404, 410). */
export async function activeOf(call: ApiCall): Promise<ApplicationItem> {
  const application = await applicationOf(call);
  return application.state === 'active' ? application : refuse(410, 'erasing', `${application.id} is being erased`);
}

/** For a customer there is one application. What others have does not exist: the answer is the same as for a typo. */
const ownOf = ({ application }: Customer, ref: string): ApplicationItem | undefined =>
  ref === application.id || ref === `uid:${application.uid}` ? application : undefined;

/** The endpoint of the path. Throws `Refused` (404). */
export async function endpointOf(call: ApiCall, ref = call.path['ep'] ?? ''): Promise<EndpointItem> {
  return endpointIn(call, (await applicationOf(call)).id, ref);
}

/** The endpoint of that application. Throws `Refused` (404). */
export async function endpointIn({ ports }: ApiCall, id: AppId, ref: string): Promise<EndpointItem> {
  const found = await findEndpoint(ports.store, id, ref);
  return (
    found ??
    refuse(
      404,
      'unknown_endpoint',
      `there is no endpoint ${ref.slice(0, 80)} in ${id}: give its id (ep_…) or uid:<uid>`,
    )
  );
}

const OF_KIND = {
  push: 'nothing is sent to it, and nothing is signed for it: its owner reads (GET …/messages)',
  pull: 'its messages are sent to its url: to read them, make an endpoint of kind pull',
} as const;

/** The endpoint of the path, where the call is for this kind. Throws `Refused` (404, 409). */
export async function endpointOfKind(call: ApiCall, wanted: 'push' | 'pull'): Promise<EndpointItem> {
  const endpoint = await endpointOf(call);
  const { kind = 'push' } = endpoint;
  return kind === wanted ? endpoint : refuse(409, 'wrong_kind', `the endpoint is of kind ${kind}: ${OF_KIND[wanted]}`);
}

/** The name in `uid:<uid>` of a PUT. Throws `Refused` (400). */
export function uidOf(ref: string, what: string): string {
  const name = ref.startsWith('uid:') ? ref.slice(4) : '';
  if (/^[A-Za-z0-9_.-]{1,100}$/.test(name)) return name;
  return refuse(400, 'invalid_request', `PUT needs uid:<uid>; to change ${what} by its id, use PATCH`);
}

/** A place in a list as the caller carries it: sealed, for this route and path, good for a day. */
function sealCursor(call: ApiCall, place: unknown): string {
  const text = JSON.stringify({ place, until: call.ports.clock.now() + DAY_MS });
  return call.ports.sealer.seal(utf8(text), cursorOf(call));
}

/** The place of `?cursor=`; undefined: from the start. Throws `Refused` (400) for one that is not of this list. */
export function openCursor<T>(call: ApiCall): T | undefined {
  const { cursor } = call.query;
  if (cursor === undefined) return undefined;
  const opened = tryToOpen(call, cursor);
  if (opened === undefined || opened.until < call.ports.clock.now())
    return refuse(
      400,
      'invalid_cursor',
      'cursor: not valid here; give the cursor of the previous page of this list, less than a day old, or none to begin again',
    );
  return opened.place as T;
}

/** Of a page of exchanges, each with bodies of up to 20 KB, four times as long in an answer at worst: it has at most 6 MB. */
export const MOST_EXCHANGES = 50;

/** The page that is asked for, as a range takes it; `most`: of what is long. Throws `Refused` (400). */
export const pageOf = (call: ApiCall, most = MAX_PAGE): { readonly limit: number; readonly cursor?: string } => ({
  limit: Math.min(limitOf(call), most),
  ...given({ cursor: openCursor<string>(call) }),
});

/** A page of a list; `next`: where the next one begins, undefined: this was the last. */
export const listed = (call: ApiCall, data: readonly unknown[], next: unknown): Reply =>
  json(200, { data, cursor: cursorTo(call, next) });
export const cursorTo = (call: ApiCall, next: unknown): string | null =>
  next === undefined ? null : sealCursor(call, next);

function tryToOpen(call: ApiCall, cursor: string): { place: unknown; until: number } | undefined {
  try {
    return JSON.parse(textOf(call.ports.sealer.open(cursor, cursorOf(call))) ?? '');
  } catch {
    return undefined;
  }
}
const cursorOf = ({ route, path, customer }: ApiCall): string =>
  `cursor ${route} ${JSON.stringify(path)}${customer ? ` ${customer.application.id}` : ''}`;

const DEFAULT_PAGE = 50;
const MAX_PAGE = 250;
/** `?limit=` as text: 1 to 250. */
const limitCheck = /* @__PURE__ */ digits(1, MAX_PAGE);
/** Of a query: whoever reads it says what is wrong with it. */
export const anyText: Check = /* @__PURE__ */ allowing({ type: 'string' }, () => undefined);
export const PAGE_QUERY = { limit: limitCheck, cursor: anyText };
export const limitOf = ({ query }: ApiCall): number => Number(query['limit'] ?? DEFAULT_PAGE);

const CLOCKS_MS = MINUTE_MS;
/** A time that is over: what a clock is ahead is now. Throws `Refused` (400) for a time to come, until when all would be taken for old. */
export function pastOf(now: number, at: number, field: string): number {
  if (at > now + CLOCKS_MS) refuse(400, 'invalid_request', `${field}: give a time that is over`);
  return Math.min(at, now);
}

/** Throws `Refused` (429) where this application, or this address, had it too often. */
export async function countOrRefuse({ ports }: ApiCall, what: LimitedCall, whose: string): Promise<void> {
  const told = await countCall(ports, what, whose);
  if (told !== undefined) refuse(429, 'quota', told);
}

/** Tells what a person did to an endpoint, once an hour and kind; best effort, published by fan-out. */
export async function tellOperational(
  { ports }: ApiCall,
  type: string,
  endpoint: Pick<EndpointItem, 'id' | 'app'>,
  data: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await tellAbout(ports, { ep: endpoint.id, app: endpoint.app }, type, data);
}

/** Says in the log who did what. */
export const logAct = ({ ports, caller }: ApiCall, message: string, fields: Readonly<Record<string, unknown>>): void =>
  ports.telemetry.log('info', { message, ...fields, by: caller });
