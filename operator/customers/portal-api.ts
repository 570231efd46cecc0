/** The portal's API as a customer's own tools ask it: with the token of one application, and no AWS credentials. */
import { SECOND_MS } from '#core/time.ts';
import { askDelivery, type DeliveryApi, type DeliveryCall } from '#operator/delivery-api.ts';
import type { HttpAnswer } from '#operator/http-answer.ts';
import { OperatorError, usageError } from '#operator/operator-error.ts';

export interface PortalPlace {
  /** `https://…/portal`. */
  readonly url: string;
  /** `hfp_…`. */
  readonly token: string;
}

/** Who the token is, and what it allows. */
export interface PortalSession {
  readonly application: { readonly id: string; readonly name: string };
  readonly capabilities: readonly string[];
  readonly subject: string | null;
}

const TIMEOUT_MS = 30 * SECOND_MS;
/** An application may call 20 times a second. */
const TRIES = 4;

/**
 * Where a portal is. Throws OperatorError (usage); what was given is not repeated, because a link has a token behind its `#`.
 */
export function readPortalUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const allowed = 'the address of a portal alone: https://…/portal';
  if (url === undefined) throw usageError('--portal: no URL', allowed, 'copy it from the browser, up to the #');
  if (`${url.hash}${url.search}${url.username}${url.password}` !== '')
    throw usageError('--portal: an address with something secret in it', allowed, 'leave out all from the # or ? on');
  const isHere = url.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (url.protocol !== 'https:' && !isHere)
    throw usageError(`--portal: ${url.protocol}`, allowed, 'use https: a token goes over it');
  const path = url.pathname.endsWith('/') ? url.pathname.slice(0, -1) : url.pathname;
  if (!path.endsWith('/portal')) throw usageError('--portal: another page', allowed, 'it ends with /portal');
  return `${url.origin}${path}`;
}

/** A token as it is in the environment. Throws OperatorError (usage); the token is not repeated. */
export function readPortalToken(name: string, text: string | undefined): string {
  if (text !== undefined && /^hfp_[\w.-]+$/.test(text)) return text;
  const given = text === undefined || text === '' ? `No token (${name})` : `${name}: what is no token of a portal`;
  throw usageError(given, 'hfp_… in this variable of the environment', 'ask whoever sends you the webhooks for one');
}

/** Follows no redirect: the token is for this address alone. Throws OperatorError when nothing answers within 30 s. */
export function portalApi({ url, token }: PortalPlace): DeliveryApi {
  return {
    url,
    async send(call) {
      for (let tries = 1; ; tries++) {
        const answer = await sendOnce(url, token, call);
        if ((answer.status !== 429 && answer.status !== 503) || tries === TRIES) return answer;
        await new Promise(done => setTimeout(done, SECOND_MS));
      }
    },
  };
}

async function sendOnce(url: string, token: string, call: DeliveryCall): Promise<HttpAnswer> {
  const path = call.path.map(encodeURIComponent).join('/');
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(call.query ?? {})) if (value !== undefined) query.set(name, value);
  const search = query.size === 0 ? '' : `?${query}`;
  const json = call.body === undefined ? {} : { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/v1/${path}${search}`, {
    method: call.method,
    headers: { authorization: `Bearer ${token}`, ...json },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
  }).catch((cause: Error) => {
    // Of a fetch that failed only the cause says why.
    const why = cause.cause instanceof Error ? cause.cause.message : cause.message;
    const text = `No answer of a portal at ${url} (${why}): is the address right, and this machine online?`;
    throw new OperatorError(text, 'failure', { cause });
  });
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text(), ms: 0 };
}

/** Throws OperatorError: the token is not good (credentials), or there is no portal (failure). */
export async function portalSession(api: DeliveryApi): Promise<PortalSession> {
  const session = await askDelivery<Partial<PortalSession>>(api, { method: 'GET', path: ['session'] });
  const { application, capabilities, subject = null } = session;
  if (application === undefined || capabilities === undefined)
    throw new OperatorError(`What answers at ${api.url} is no portal of Holdfast: is the address right?`);
  return { application, capabilities, subject };
}
