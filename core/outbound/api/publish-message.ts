/** `POST …/messages` and `POST /v1/broadcasts`: from the bytes of the request to `publish`, `data` byte for byte. */

import type { ItemStore } from '#core/outbound/ports.ts';
import { type EventTypeItem, FORMATS, type Format, type Mode } from '#core/outbound/protocol/items.ts';
import { eventTypeKey } from '#core/outbound/protocol/keys.ts';
import type { PublishPorts, PublishRules } from '#core/outbound/publish/publish.ts';
import { type Publication, publish } from '#core/outbound/publish/publish.ts';
import { mayPublish } from '#core/outbound/publish/publish-rate.ts';
import { findApplication } from '#core/outbound/registry/applications.ts';
import { type Check, number, object, oneOf, text } from '#core/problem.ts';
import { json, type Reply } from '#core/reply.ts';
import { fromBase64, textOf } from '#core/scan/bytes.ts';
import { parseJson } from '#core/scan/json-object.ts';
import { ROOT, scanJson } from '#core/scan/json-scan.ts';
import { parseIso, toIso } from '#core/time.ts';
import { problemsOf } from './api-call.ts';
import { apiVersion, channel, listUpTo, time, typeName } from './fields.ts';
import { refuse, refuseProblems } from './problem-reply.ts';

export interface PublishApiPorts extends PublishPorts {
  readonly store: Pick<ItemStore, 'get' | 'put' | 'update'>;
  /** What of the data breaks the schema. */
  readonly problemsOf: (schema: object, data: unknown) => readonly string[];
}
export interface PublishApiRules extends PublishRules {
  readonly environment: string;
  readonly eventTypes: 'any' | 'declared';
}
export interface PublishRequest {
  /** `{app}` of the path; undefined: a broadcast. */
  readonly app: string | undefined;
  readonly body: Uint8Array;
  readonly traceId: string | undefined;
}

/** Its body is base64 of raw bytes, or JSON with the members around them. */
const REQUEST_LIMIT = 400_000;
const BROADCAST = 'uid:broadcast';

const anything: Check = () => undefined;
const FIELDS = {
  key: text(/^[ -~]{1,256}$/, '1 to 256 printable ASCII characters', 'give the id of what happened'),
  type: typeName,
  data: anything,
  raw: text(/^[A-Za-z0-9+/]*={0,2}$/, 'base64', 'encode the bytes'),
  content_type: text(/^[\w.+-]+\/[\w.+-]+(?:; ?[\w=.-]+)*$/, 'a media type', 'e.g. "application/json"'),
  channels: listUpTo(5, channel),
  api_version: apiVersion,
  mode: oneOf('live', 'test'),
  timestamp: time,
  subject: text(/^[^\p{Cc}]{1,200}$/u, 'text of 1 to 200 characters', 'shorten it'),
  sequence: text(/^[!-~]{1,100}$/, '1 to 100 printable ASCII characters', 'shorten it'),
  max_attempts: number(1, 21, 'attempts'),
  format: oneOf(...FORMATS),
};
interface MessageBody {
  readonly key: string;
  readonly type: string;
  readonly raw?: string;
  readonly content_type?: string;
  readonly channels?: readonly string[];
  readonly api_version?: string;
  readonly mode?: Mode;
  readonly timestamp?: string;
  readonly subject?: string;
  readonly sequence?: string;
  readonly max_attempts?: number;
  readonly format?: Format;
}

export async function publishMessage(
  ports: PublishApiPorts,
  rules: PublishApiRules,
  request: PublishRequest,
): Promise<Reply> {
  // 1. What is given: every problem at once.
  const { body, data } = readBody(request.body);
  const application = await findApplication(ports.store, request.app ?? BROADCAST);
  if (application === undefined) {
    const missing = request.app ?? `${BROADCAST}: create it once`;
    return refuse(404, 'unknown_application', `there is no application ${missing.slice(0, 80)}`);
  }
  if (!(await mayPublish(ports.store, application, ports.clock.now()))) {
    const { publishPerSecond } = application.limits;
    const told = `${application.id} publishes more than ${publishPerSecond} messages a second, its limit: wait a second`;
    refuse(429, 'quota', told, { retry_after: 1 });
  }
  await checkType(ports, rules, body.type, data);
  const content = contentOf(body, data);
  // 2. Stored and queued; a broadcast walks over all applications.
  const broadcast = request.app === undefined;
  const { fanOutNow: _, ...withoutRows } = ports;
  const walk = {
    send: ([job]: readonly { msg?: string }[]) => ports.jobs.send([{ v: 1, walk: job?.msg ?? '' }], 'broadcast'),
  };
  const publishPorts = broadcast ? { ...withoutRows, jobs: walk as PublishPorts['jobs'] } : ports;
  const publication: Publication = {
    ...{ app: application.id, key: body.key, type: body.type, content, channels: body.channels },
    ...{ apiVersion: body.api_version, mode: body.mode, subject: body.subject, sequence: body.sequence },
    ...{ maxAttempts: body.max_attempts, format: body.format, traceId: request.traceId },
    timestamp: body.timestamp === undefined ? undefined : parseIso(body.timestamp),
  };
  const published = await publish(publishPorts, rules, publication, application);
  // 3. Only now may anything be promised.
  if (published.kind === 'accepted') {
    const { id, createdAt, duplicate } = published;
    return json(202, { id, created_at: toIso(createdAt), duplicate });
  }
  const status = { unknown_application: 404, erasing: 410, too_large: 413, key_reused: 409, refused_by_handler: 422 };
  return refuse(status[published.cause], published.cause, published.detail);
}

function readBody(bytes: Uint8Array): { body: MessageBody; data: Uint8Array | undefined } {
  if (bytes.length > REQUEST_LIMIT)
    refuse(413, 'too_large', `the request has ${bytes.length} bytes; at most ${REQUEST_LIMIT}`);
  const document = scanJson(bytes);
  if (document?.kind(ROOT) !== 'object') return refuse(400, 'invalid_request', 'the body is no JSON object');
  const fields: Record<string, unknown> = Object.create(null);
  for (const { name, value } of document.members(ROOT))
    fields[name] = name === 'data' ? null : parseJson(textOf(document.slice(value)) ?? 'null');
  const problems = [...problemsOf({ ...fields }, object(FIELDS, ['key', 'type']))];
  const given = ['data', 'raw'].filter(name => name in fields);
  if (given.length !== 1)
    problems.push({
      path: 'data',
      given: given.join(' and ') || 'nothing',
      allowed: 'data or raw',
      fix: 'give one of them',
    });
  if ('raw' in fields !== 'content_type' in fields)
    problems.push({
      path: 'content_type',
      given: 'without raw, or raw without it',
      allowed: 'both or none',
      fix: 'give both',
    });
  refuseProblems(problems);
  const node = document.member(ROOT, 'data');
  return { body: fields as unknown as MessageBody, data: node === undefined ? undefined : document.slice(node) };
}

function contentOf(body: MessageBody, data: Uint8Array | undefined): Publication['content'] {
  if (data !== undefined) return { kind: 'data', json: data };
  const bytes = fromBase64(body.raw ?? '');
  if (bytes === undefined) return refuse(400, 'invalid_request', 'raw: this is not base64');
  return { kind: 'raw', bytes, contentType: body.content_type ?? 'application/octet-stream' };
}

/** The catalogue's word: an unknown type where types are declared, and data that breaks a schema that is to be kept. */
async function checkType(
  ports: PublishApiPorts,
  rules: PublishApiRules,
  name: string,
  data: Uint8Array | undefined,
): Promise<void> {
  const type = await typeOf(ports, rules, name);
  if (type === undefined && rules.eventTypes === 'declared')
    refuse(422, 'unknown_type', `${name} is not in the catalogue: PUT /v1/event-types/${name}`);
  if (type?.schema === undefined || type.validate === 'off' || data === undefined) return;
  const problems = ports.problemsOf(type.schema as object, parseJson(textOf(data) ?? 'null'));
  if (problems.length === 0) return;
  if (type.validate === 'reject')
    refuse(422, 'schema_mismatch', `data breaks the schema of ${name}: ${problems.slice(0, 5).join('; ')}`);
  ports.telemetry.count('PublishSchemaMismatch');
}

const TYPE_MS = 15_000;
const KEPT = 500;
const kept = new WeakMap<object, Map<string, { readonly type: EventTypeItem | undefined; readonly until: number }>>();
/** Kept for 15 s, the absence of one as well. */
async function typeOf({ store, clock }: PublishApiPorts, { environment }: PublishApiRules, name: string) {
  const known = kept.get(store) ?? new Map();
  kept.set(store, known);
  const there = known.get(name);
  if (there && there.until > clock.now()) return there.type;
  const type = await store.get(eventTypeKey(environment, name), 'eventual');
  if (known.size >= KEPT) known.clear();
  known.set(name, { type, until: clock.now() + TYPE_MS });
  return type;
}
