/** `POST …/messages` and `POST /v1/broadcasts`: from the bytes of the request to `publish`, `data` byte for byte. */

import { given } from '#core/given.ts';
import {
  type CataloguePorts,
  type CatalogueRules,
  type Finding,
  type Judgement,
  judgePublication,
} from '#core/outbound/catalogue/judge-publication.ts';
import type { ItemStore } from '#core/outbound/ports.ts';
import { FORMATS } from '#core/outbound/protocol/items.ts';
import { BROADCAST } from '#core/outbound/protocol/keys.ts';
import type { PublishPorts, PublishRules } from '#core/outbound/publish/publish.ts';
import { type Publication, publish } from '#core/outbound/publish/publish.ts';
import { mayPublish } from '#core/outbound/publish/publish-rate.ts';
import { findApplication } from '#core/outbound/registry/applications.ts';
import type { Telemetry } from '#core/ports.ts';
import { number, object, oneOf, problemsOf, text } from '#core/problem.ts';
import { refuse, refuseProblems } from '#core/problem-reply.ts';
import { json, type Reply } from '#core/reply.ts';
import { fromBase64, textOf } from '#core/scan/bytes.ts';
import { parseJson } from '#core/scan/json-object.ts';
import { ROOT, scanJson } from '#core/scan/json-scan.ts';
import { parseIso, toIso } from '#core/time.ts';
import type { Body } from './api-call.ts';
import { anything, apiVersion, channel, listUpTo, time, typeName } from './fields.ts';

export interface PublishApiPorts extends PublishPorts, Pick<CataloguePorts, 'judge'> {
  readonly store: Pick<ItemStore, 'get' | 'put' | 'update'>;
  readonly telemetry: Pick<Telemetry, 'count' | 'log'>;
}
export type PublishApiRules = PublishRules & CatalogueRules;
export interface PublishRequest {
  /** `{app}` of the path; undefined: a broadcast. */
  readonly app: string | undefined;
  readonly body: Uint8Array;
  readonly traceId: string | undefined;
}

/** Its body is base64 of raw bytes, or JSON with the members around them. */
const REQUEST_LIMIT = 400_000;
const TO_ALL = `uid:${BROADCAST}`;

/** What a message may hold. */
export const MESSAGE_FIELDS = {
  key: text(/^[ -~]{1,256}$/, '1 to 256 printable ASCII characters', 'give the id of what happened'),
  type: typeName,
  data: anything,
  raw: text(/^[A-Za-z0-9+/]*={0,2}$/, 'base64', 'encode the bytes'),
  content_type: text(
    /^(?=.{3,200}$)[\w.+-]+\/[\w.+-]+(?:; ?[\w=.-]+)*$/,
    'a media type of up to 200 characters',
    'e.g. "application/json"',
  ),
  channels: listUpTo(5, channel),
  api_version: apiVersion,
  mode: oneOf('live', 'test'),
  timestamp: time,
  subject: text(/^[^\p{Cc}]{1,200}$/u, 'text of 1 to 200 characters', 'shorten it'),
  request_id: text(/^[!-~]{1,100}$/, '1 to 100 printable ASCII characters', 'shorten it'),
  sequence: text(/^[!-~]{1,100}$/, '1 to 100 printable ASCII characters', 'shorten it'),
  max_attempts: number(1, 21, 'attempts'),
  format: oneOf(...FORMATS),
};
type MessageBody = Body<typeof MESSAGE_FIELDS, 'key' | 'type'>;

export async function publishMessage(
  ports: PublishApiPorts,
  rules: PublishApiRules,
  request: PublishRequest,
): Promise<Reply> {
  // 1. What is given: every problem at once.
  const { body, data } = readBody(request.body);
  const application = await findApplication(ports.store, request.app ?? TO_ALL);
  if (application === undefined) {
    const missing = request.app ?? `${TO_ALL}: create it once`;
    return refuse(404, 'unknown_application', `there is no application ${missing.slice(0, 80)}`);
  }
  if (!(await mayPublish(ports.store, application, ports.clock.now()))) {
    const { publishPerSecond } = application.limits;
    const told = `${application.id} may publish ${publishPerSecond} messages a second: wait a second`;
    refuse(429, 'quota', told, { retry_after: 1 });
  }
  const judgement = await judgePublication(ports, rules, {
    ...{ type: body.type, apiVersion: body.api_version },
    data: () => (data === undefined ? undefined : parseJson(textOf(data) ?? 'null')),
  });
  refuseBroken(judgement);
  const content = contentOf(body, data);
  // 2. Stored and queued; a broadcast walks over all applications.
  const broadcast = request.app === undefined;
  const { fanOutNow: _, countMatches: __, ...withoutRows } = ports;
  const walk = {
    send: ([job]: readonly { msg?: string; again?: true }[]) =>
      ports.jobs.send([{ v: 1, walk: job?.msg ?? '', ...given({ again: job?.again }) }], 'broadcast'),
  };
  const publishPorts = broadcast ? { ...withoutRows, jobs: walk as PublishPorts['jobs'] } : ports;
  const publication: Publication = {
    ...{ app: application.id, key: body.key, type: body.type, content, channels: body.channels },
    ...{ apiVersion: body.api_version, mode: body.mode, subject: body.subject, sequence: body.sequence },
    ...{ maxAttempts: body.max_attempts, format: body.format, traceId: request.traceId, requestId: body.request_id },
    timestamp: body.timestamp === undefined ? undefined : parseIso(body.timestamp),
    schemaVersion: judgement.version,
  };
  const published = await publish(publishPorts, rules, publication, application);
  // 3. Only now may anything be promised.
  if (published.kind === 'accepted') {
    const { id, createdAt, duplicate } = published;
    const reported = reportOf(judgement.finding);
    if (reported) {
      ports.telemetry.count('PublishReported');
      const line = { stage: 'catalogue', cause: reported.error, app: application.id, msg: id, type: body.type };
      ports.telemetry.log('warn', { ...line, problem: reported.detail });
    }
    return json(202, { id, created_at: toIso(createdAt), duplicate, ...(reported && { reported }) });
  }
  const status = { unknown_application: 404, erasing: 410, too_large: 413, key_reused: 409 };
  return refuse(status[published.cause], published.cause, published.detail);
}

function readBody(bytes: Uint8Array): { body: MessageBody; data: Uint8Array | undefined } {
  if (bytes.length > REQUEST_LIMIT)
    refuse(413, 'too_large', `the request has ${bytes.length} bytes; at most ${REQUEST_LIMIT}`);
  // What is no text would be stored as it is, and read by everybody in another way.
  if (textOf(bytes) === undefined)
    return refuse(400, 'invalid_request', 'the body is not UTF-8: encode it as UTF-8, or give bytes as raw in base64');
  const document = scanJson(bytes);
  if (document?.kind(ROOT) !== 'object')
    return refuse(400, 'invalid_request', 'the body is not a JSON object, or is nested deeper than 64 levels');
  const fields: Record<string, unknown> = Object.create(null);
  for (const { name, value } of document.members(ROOT))
    fields[name] = name === 'data' ? null : parseJson(textOf(document.slice(value)) ?? 'null');
  const problems = [...problemsOf({ ...fields }, object(MESSAGE_FIELDS, ['key', 'type']))];
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
  if (bytes === undefined)
    return refuse(400, 'invalid_request', 'raw: not base64; encode the bytes of the body as base64');
  return { kind: 'raw', bytes, contentType: body.content_type ?? 'application/octet-stream' };
}

function refuseBroken({ refused, finding }: Judgement): void {
  if (!refused || finding === undefined) return;
  const { error, detail, ...place } = reportOf(finding);
  refuse(422, error, detail, place);
}

/** As answers name it: what is wrong, and of data the first place, never what was there. */
function reportOf(finding: Finding): { readonly error: Finding['error']; readonly detail: string };
function reportOf(
  finding: Finding | undefined,
): { readonly error: Finding['error']; readonly detail: string } | undefined;
function reportOf(finding: Finding | undefined) {
  return finding && { error: finding.error, detail: finding.detail, ...finding.place };
}
