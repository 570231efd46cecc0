/** The portal's API, asked with the token. It comes in the fragment of the address or from the page around this one. */
import { setServerNow } from '../../../ui/clock.ts';
import { type Loaded, useLoading } from '../../../ui/load.ts';
import { ApiProblem, fetchOr } from '../../../ui/problem.ts';

const KEY = 'holdfast-portal-token';
/** What this page says to the page around it. It holds nothing that others may not know. */
const READY = 'holdfast-portal-ready';
const ENDED = 'holdfast-portal-ended';
/** What the page around it answers: `{ type, token }`. */
const TOKEN = 'holdfast-portal-token';

/** Where a path of the portal's API is, as this page reaches it. */
export const addressOf = (path: string): string => new URL(`portal/v1${path}`, location.href).href;

const SILENT = { problem: 'The server does not answer', fix: 'Are you online? It is tried again.' };

let token: string | undefined;
/** Its storage may be shut in a frame: then a reload asks for a token again. */
const storage = {
  get: (): string | undefined => attempt(() => sessionStorage.getItem(KEY) ?? undefined),
  set: (value: string): void => attempt(() => sessionStorage.setItem(KEY, value)),
};
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Takes the token out of the address, so that it is in no screenshot, bookmark or pasted link. True: there was one. */
export function takeToken(): boolean {
  const found = /^#token=(hfp_[\w.-]+)$/.exec(location.hash)?.[1];
  if (found === undefined) {
    token ??= storage.get();
    return false;
  }
  token = found;
  storage.set(found);
  history.replaceState(null, '', location.pathname);
  return true;
}

/** What a message to a contact brought here. */
export interface Link {
  readonly act: 'confirm' | 'leave';
  readonly proof: string;
}

/** Takes a link's proof out of the address, as a token. Undefined: there is none. */
export function takeLink(): Link | undefined {
  const query = new URLSearchParams(location.search);
  const act = (['confirm', 'leave'] as const).find(name => query.has(name));
  if (act === undefined) return undefined;
  history.replaceState(null, '', location.pathname);
  return { act, proof: query.get(act) ?? '' };
}

/** Does what the link is for. Throws `ApiProblem`. */
export async function follow({ act, proof }: Link): Promise<void> {
  const path = `portal?${new URLSearchParams({ [act]: proof })}`;
  const response = await fetchOr(SILENT, path, { method: 'POST', credentials: 'omit' });
  if (!response.ok) throw new ApiProblem(problemIn(await response.text(), response.status), response.status);
}

/** Asks the page around this one, which only an origin of the configuration can be. `onToken`: a fresh one came. */
export function listenForToken(onToken: () => void): void {
  if (window.parent === window) return;
  addEventListener('message', event => {
    const { type, token: given } = (event.data ?? {}) as { type?: unknown; token?: unknown };
    if (event.source !== window.parent || type !== TOKEN || typeof given !== 'string') return;
    token = given;
    storage.set(given);
    onToken();
  });
  tellParent(READY);
}

function tellParent(type: string): void {
  if (window.parent !== window) window.parent.postMessage({ type }, '*');
}

export const hasToken = (): boolean => token !== undefined;

interface Asked {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly body?: object;
  readonly signal?: AbortSignal;
}

export async function ask<T>(path: string, { method, body, signal }: Asked = {}): Promise<T> {
  const response = await fetchOr(SILENT, addressOf(path), {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { authorization: `Bearer ${token ?? ''}`, 'content-type': 'application/json' },
    credentials: 'omit',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  if (response.ok) {
    const value = (text === '' ? {} : JSON.parse(text)) as T & { now?: unknown };
    if (typeof value.now === 'string') setServerNow(Date.parse(value.now));
    return value;
  }
  if (response.status === 401) tellParent(ENDED);
  throw new ApiProblem(problemIn(text, response.status), response.status);
}

function problemIn(text: string, status: number): { problem: string } {
  const { detail } = (attempt(() => JSON.parse(text)) ?? {}) as { detail?: unknown };
  return { problem: typeof detail === 'string' ? detail : `The server answered ${status}` };
}

export function useAsk<T>(path: string | undefined, everyMs?: number): Loaded<T> {
  return useLoading<T>(path, ask, everyMs);
}
