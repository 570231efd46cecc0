/** A line of `holdfast out export-messages`, judged before anything is written. No error repeats a body. */
import { createHash } from 'node:crypto';
import { given } from '#core/given.ts';
import {
  contradictionOf,
  endpointId,
  messageCheck,
  type PortableMessage,
  type PortableRecord,
  recordCheck,
} from '#core/outbound/api/deliveries/moved-messages.ts';
import type { ImportedDelivery } from '#core/outbound/protocol/delivery-writes.ts';
import type { AppId, EndpointId } from '#core/outbound/protocol/ids.ts';
import { type Check, problemsOf } from '#core/problem.ts';
import { decodeJsonObject } from '#core/scan/json-object.ts';
import { DAY_MS } from '#core/time.ts';
import { type OperatorError, usageError } from '#operator/operator-error.ts';

export interface ReadDelivery {
  readonly ep: EndpointId;
  /** Of its endpoint: of a broadcast another than the message's. */
  readonly app: AppId;
  readonly record?: PortableRecord;
  readonly row?: NonNullable<ImportedDelivery['row']>;
}
export interface ReadMessage {
  readonly message: PortableMessage;
  /** Undefined: it is gone. */
  readonly body: Buffer | undefined;
  readonly deliveries: readonly ReadDelivery[];
}

/** Throws OperatorError (usage) that names the line. `now`: a message of another day than today or before is refused. */
export function readMessage(line: string, at: number, now: number): ReadMessage {
  const refuse = (what: string): never => {
    throw wrongLine(at, what);
  };
  const fits = (what: string, value: unknown, check: Check): void => {
    const [first] = problemsOf(value, check);
    if (first !== undefined) refuse(`${what}: ${first.path === '' ? '' : `${first.path}: `}allowed: ${first.allowed}`);
  };
  const written = decodeJsonObject(line) ?? refuse('no JSON object');
  fits('record', written['record'], messageCheck);
  const message = written['record'] as PortableMessage;
  const { id, createdAt, size } = message;
  if (written['id'] !== id) refuse(`the record of another message than ${id}`);
  if (createdAt > now + DAY_MS) refuse(`${id} is of a later day than today`);
  const body = bodyOf(written);
  const sha = body && createHash('sha256').update(body).digest('hex');
  if (sha !== written['body_sha256']) refuse(`the body of ${id} changed since it was exported`);
  if (body !== undefined && (body.length !== size || message.bodyRemovedAt !== undefined))
    refuse(`${id} has another body than its record says`);
  if (!Array.isArray(written['deliveries'])) refuse(`${id} has no deliveries`);
  const deliveries = (written['deliveries'] as readonly unknown[]).map((each): ReadDelivery => {
    const { endpoint, application, record, row } = (each ?? {}) as Readonly<Record<string, unknown>>;
    fits(`an endpoint of ${id}`, endpoint, endpointId);
    const what = `the delivery of ${id} to ${endpoint}`;
    if (record !== undefined) fits(what, record, recordCheck);
    const moved = record as PortableRecord | undefined;
    if (row !== undefined && row !== 'live' && row !== 'later') refuse(`${what}: row: allowed: live, later`);
    if (typeof application !== 'string' || (moved !== undefined && moved.app !== application))
      refuse(`${what}: another application than its record says`);
    const wrong = contradictionOf(moved, row as ReadDelivery['row']);
    if (wrong !== undefined) refuse(`${what}: ${wrong}`);
    return { ep: endpoint as EndpointId, app: application as AppId, ...given({ record: moved, row }) } as ReadDelivery;
  });
  const twice = deliveries.find(({ ep }, n) => deliveries.findIndex(each => each.ep === ep) !== n);
  if (twice !== undefined) refuse(`${id} goes to ${twice.ep} twice`);
  return { message, body, deliveries };
}

function bodyOf({ body, body_base64: base64 }: Readonly<Record<string, unknown>>): Buffer | undefined {
  if (typeof base64 === 'string') return Buffer.from(base64, 'base64');
  return typeof body === 'string' ? Buffer.from(body) : undefined;
}

export const wrongLine = (at: number, what: string): OperatorError =>
  usageError(`Line ${at} of the file: ${what}`, 'a line as holdfast out export-messages wrote it', 'export again');
