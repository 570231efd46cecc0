/** The delivery API of an environment, as a person's tools call it (docs/api/delivery.md). */

import { everyPage } from '#core/pages.ts';
import type { HttpAnswer } from './http-answer.ts';
import { type FailureKind, OperatorError, usageError } from './operator-error.ts';
import { parseJson } from './parse-json.ts';

export interface DeliveryCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Segments of the path behind `/v1`, not encoded: `['apps', 'uid:acme', 'endpoints']`. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** Asks the API with AWS credentials. Every call may be repeated. */
export interface DeliveryApi {
  /** What a person sees of where it is. */
  readonly url: string;
  /** Throws when nothing answers. */
  send(call: DeliveryCall): Promise<HttpAnswer>;
}

interface Problem {
  readonly error?: string;
  readonly detail?: string;
  readonly message?: string;
}

/**
 * The JSON of a 2xx. Throws OperatorError with the API's own words for a refusal, for an answer of another kind, and for an id
 * that would lead a step up in the path, to another route.
 */
export async function askDelivery<T>(api: DeliveryApi, call: DeliveryCall): Promise<T> {
  const up = call.path.find(segment => /^\.{0,2}$/.test(segment));
  if (up !== undefined) throw usageError(`"${up}" as an id`, 'an id of a list, or uid:<uid>', 'copy it from there');
  return readAnswer<T>(call, await api.send(call));
}

/** An application, an endpoint or another thing, as the API shows it. */
export type Shown = Readonly<Record<string, unknown>> & { readonly id: string };

/** Every page of a list, or of work that is done page by page. */
export async function* pagesOf<Page extends { readonly cursor: string | null }>(
  api: DeliveryApi,
  call: Omit<DeliveryCall, 'query'>,
): AsyncGenerator<Page> {
  yield* everyPage(cursor => askDelivery<Page>(api, { ...call, query: { limit: '250', cursor } }));
}

/** All of a list of the API. */
export async function allOf<T = Shown>(api: DeliveryApi, path: readonly string[]): Promise<readonly T[]> {
  const found: T[] = [];
  const pages = pagesOf<{ readonly data: readonly T[]; readonly cursor: string | null }>(api, { method: 'GET', path });
  for await (const { data } of pages) found.push(...data);
  return found;
}

/** As `askDelivery`, of an answer that is there. */
export function readAnswer<T>(call: DeliveryCall, { status, body }: Pick<HttpAnswer, 'status' | 'body'>): T {
  const told = parseJson(body || 'null');
  const what = `${call.method} /v1/${call.path.join('/')}`;
  if (status >= 200 && status < 300) {
    if (told === undefined) throw new OperatorError(`${what} was answered ${status} with what is no JSON`);
    return (told ?? {}) as T;
  }
  const { error, detail, message } = (told ?? {}) as Problem;
  if (status === 403 && error === undefined) {
    throw new OperatorError(
      `You may not call ${what} (${message ?? 403}): you need execute-api:Invoke on this route (docs/api/README.md)`,
      'credentials',
    );
  }
  const kinds: Readonly<Record<number, FailureKind>> = {
    400: 'usage',
    401: 'credentials',
    404: 'not_found',
    422: 'usage',
  };
  const kind = kinds[status] ?? 'failure';
  throw new OperatorError(detail ?? `${what} was answered ${status} ${body.slice(0, 200)}`, kind);
}

/** What the API itself says against a call; undefined for an answer that is not its own. */
export function refusalOf({ status, body }: Pick<HttpAnswer, 'status' | 'body'>): string | undefined {
  const { error, detail } = (parseJson(body) ?? {}) as Problem;
  return status < 500 && error !== undefined ? detail : undefined;
}
