/**
 * GitHub's API: deliveries of repository, organisation and App hooks, and objects.
 * https://docs.github.com/en/rest/repos/webhooks (repository deliveries, redelivery),
 * https://docs.github.com/en/rest/apps/webhooks (App deliveries; they take a JWT of the App),
 * https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
 * Credential: a token (fine-grained: repository permission Webhooks, read and write), or for the hook of an App
 * `{ "appId": "…", "privateKey": "-----BEGIN RSA PRIVATE KEY-----…" }`.
 */
import { createSign } from 'node:crypto';
import { given } from '#core/given.ts';
import type { Fetched, Fetcher } from '#core/handler/ordering/fetch-latest.ts';
import type {
  ApiAnswer,
  DeliveryApi,
  DeliveryContent,
  DeliveryPage,
  ListedDelivery,
} from '#core/inbound/reconcile/delivery-api.ts';
import { utf8 } from '#core/scan/bytes.ts';
import { decodeJsonObject } from '#core/scan/json-object.ts';
import { type JsonDocument, ROOT, scanJson } from '#core/scan/json-scan.ts';
import { parseIso } from '#core/time.ts';
import { parseObject, toFetched } from './fetched.ts';
import { garbage, header, ProviderApi, type ProviderApiOptions } from './provider-api.ts';

const GITHUB_URL = 'https://api.github.com';
const LIST_BYTES = 4 * 1_048_576;
/** GitHub caps a webhook's payload at 25 MB; the gateway's own largest is far below. */
const DETAIL_BYTES = 8 * 1_048_576;

const githubApi = (options: ProviderApiOptions): ProviderApi =>
  new ProviderApi(GITHUB_URL, options, credential => ({
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
    authorization: `Bearer ${bearerOf(credential)}`,
  }));

/**
 * Makes a fetcher of one kind of object. `pathOf` makes the path from the id (escaped, except for `/`), e.g.
 * `number => '/repos/acme/shop/pulls/' + number`. `idOf` reads the same id from the answer (default: its `id`).
 * @example
 * const credential = secretCredential(handlerEnv('API_SECRET_GITHUB'));
 * const pulls = githubFetcher<{ state: string }>(number => `/repos/acme/shop/pulls/${number}`, { credential }, it => it['number']);
 */
export function githubFetcher<T = Readonly<Record<string, unknown>>>(
  pathOf: (id: string) => string,
  options: ProviderApiOptions,
  idOf: (object: Readonly<Record<string, unknown>>) => unknown = object => object['id'],
): Fetcher<T> {
  const api = githubApi(options);
  return {
    async fetch(id, signal): Promise<Fetched<T>> {
      const steps = id.split('/');
      if (steps.includes('..') || steps.includes('.'))
        return { kind: 'refused', reason: 'the id is not one of GitHub' };
      const path = pathOf(steps.map(encodeURIComponent).join('/'));
      return toFetched(await api.call({ method: 'GET', path, signal }), ({ text }) => {
        const object = parseObject(text);
        return { id: idOf(object), object };
      });
    },
  };
}

/** What GitHub tried to deliver through one hook: `repos/<owner>/<repo>/hooks/<id>`, `orgs/<org>/hooks/<id>` or `app`. */
export function githubDeliveries(hook: string, options: ProviderApiOptions): DeliveryApi {
  const folder = hook === 'app' ? '/app/hook/deliveries' : `/${hook}/deliveries`;
  const lists = githubApi({ maxBytes: LIST_BYTES, timeoutMs: 20_000, ...options });
  const details = githubApi({ maxBytes: DETAIL_BYTES, timeoutMs: 20_000, ...options });
  const pathOf = ({ attemptId }: ListedDelivery): string => `${folder}/${encodeURIComponent(attemptId)}`;
  return {
    async list(_window, cursor): Promise<ApiAnswer<DeliveryPage>> {
      const query = new URLSearchParams({ per_page: '100', ...given({ cursor }) });
      const answer = await lists.call({ method: 'GET', path: `${folder}?${query}` });
      if (answer.kind !== 'answered') return answer;
      const next = nextCursor(header(answer.value, 'link'));
      const deliveries = readDeliveries(answer.value.text);
      return { kind: 'answered', value: { deliveries, ...given({ next }) } };
    },
    async fetch(delivery): Promise<ApiAnswer<DeliveryContent>> {
      const answer = await details.call({ method: 'GET', path: pathOf(delivery) });
      return answer.kind === 'answered' ? { kind: 'answered', value: readContent(answer.value.text) } : answer;
    },
    async redeliver(delivery): Promise<ApiAnswer<undefined>> {
      const answer = await details.call({ method: 'POST', path: `${pathOf(delivery)}/attempts` });
      return answer.kind === 'answered' ? { kind: 'answered', value: undefined } : answer;
    },
  };
}

function readDeliveries(text: string): ListedDelivery[] {
  const document = scanJson(utf8(text));
  if (document?.kind(ROOT) !== 'array') throw garbage('a list of deliveries');
  return (
    document
      .elements(ROOT)
      .map(node => readDelivery(document, node))
      // A ping is a handshake: it is answered, never stored.
      .filter(({ eventType }) => eventType !== 'ping')
  );
}

/** The ids of deliveries have more digits than a JavaScript number holds: they are read as text. */
function readDelivery(document: JsonDocument, node: number): ListedDelivery {
  const read = (name: string): string | undefined => document.textAt(name, node);
  const [attemptId, guid, event, action] = [read('id'), read('guid'), read('event'), read('action')];
  const at = parseIso(read('delivered_at') ?? '');
  if (!attemptId || !guid || !event || at === undefined) throw garbage('a delivery with id, guid, event, delivered_at');
  return {
    providerEventId: guid,
    eventType: action ? `${event}.${action}` : event,
    at,
    attemptId,
    ...(read('redelivery') === 'true' ? { isRedelivery: true } : {}),
  };
}

/** `request.headers` and `request.payload` of one delivery; the payload is JSON whatever the hook's content type is. */
function readContent(text: string): DeliveryContent {
  const document = scanJson(utf8(text));
  const request = document?.member(ROOT, 'request');
  const payload = request === undefined ? undefined : document?.member(request, 'payload');
  const sent = request === undefined ? undefined : document?.member(request, 'headers');
  if (!document || payload === undefined || sent === undefined || document.kind(payload) !== 'object')
    throw garbage('a delivery with its request');
  const headers: Record<string, string> = {};
  for (const { name, value } of document.members(sent)) headers[name.toLowerCase()] = document.text(value) ?? '';
  return { headers: { ...headers, 'content-type': 'application/json' }, body: document.slice(payload) };
}

/** The cursor of the next page, never its address: only our own base URL is asked. */
function nextCursor(link: string | undefined): string | undefined {
  const address = /<([^<>]{1,2000})>;\s*rel="next"/.exec(link ?? '')?.[1];
  if (address === undefined || !URL.canParse(address)) return undefined;
  return new URL(address).searchParams.get('cursor') ?? undefined;
}

function bearerOf(credential: string): string {
  const app = credential.startsWith('{') ? decodeJsonObject(credential) : undefined;
  if (!app) return credential;
  const { appId, privateKey } = app;
  if ((typeof appId !== 'string' && typeof appId !== 'number') || typeof privateKey !== 'string')
    throw new TypeError('The credential of a GitHub App is {"appId": "…", "privateKey": "…"}');
  return appToken(String(appId), privateKey, Math.floor(Date.now() / 1_000));
}

/** RS256, valid for nine of the ten minutes GitHub allows, from a minute ago: clocks differ. */
function appToken(appId: string, privateKey: string, nowSeconds: number): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const claims = { iat: nowSeconds - 60, exp: nowSeconds + 540, iss: appId };
  const signed = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url')}`;
}
