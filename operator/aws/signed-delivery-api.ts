/** `DeliveryApi` over HTTP with Signature Version 4, as API Gateway wants it of a route with IAM. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Credentials, signPost } from '#adapters/aws/signed/sign.ts';
import type { DeliveryApi, DeliveryCall } from '../delivery-api.ts';
import type { HttpAnswer, SendHttp } from '../gateway.ts';

interface Place {
  /** Origin of the API, with what is before `/v1`. */
  readonly url: string;
  readonly region: string;
  /** Read anew for each call: they may be of an hour only. */
  credentials(): Promise<Credentials>;
}

const TRIES = 4;
const PAUSE_MS = 500;

export function signedDeliveryApi(place: Place, http: SendHttp): DeliveryApi {
  return {
    url: place.url,
    async send(call) {
      for (let tries = 1; ; tries++) {
        const answer = await sendOnce(place, http, call);
        // Nothing was recorded, or the functions were still starting: every request of this API may be repeated.
        if (answer.status !== 503 || tries === TRIES) return answer;
        await wait(PAUSE_MS * tries);
      }
    },
  };
}

async function sendOnce(place: Place, http: SendHttp, call: DeliveryCall): Promise<HttpAnswer> {
  const { method, body } = call;
  const text = body === undefined ? '' : JSON.stringify(body);
  const path = `/v1/${call.path.map(encode).join('/')}`;
  const query = Object.entries(call.query ?? {})
    .flatMap(([name, value]) => (value === undefined ? [] : [`${encode(name)}=${encode(value)}`]))
    .sort()
    .join('&');
  const url = new URL(`${place.url}${path}${query === '' ? '' : `?${query}`}`);
  const credentials = await place.credentials();
  const headers: Record<string, string> = {
    host: url.host,
    'x-amz-date': new Date().toISOString().replace(/[-:]|\.\d+/g, ''),
    ...(text === '' ? {} : { 'content-type': 'application/json' }),
    ...(credentials.sessionToken === undefined ? {} : { 'x-amz-security-token': credentials.sessionToken }),
  };
  // API Gateway encodes the path once more before it compares, as every service but S3 does.
  const canonicalPath = path.split('/').map(encode).join('/');
  const line = `${method}\n${canonicalPath}\n${query}`;
  const authorization = signPost(headers, text, credentials, { region: place.region, service: 'execute-api' }, line);
  const bytes = text === '' ? {} : { body: new TextEncoder().encode(text) };
  return http(url.href, { method, headers: { ...headers, authorization }, ...bytes });
}

/** As the signature wants it: everything but letters, digits and `-_.~`. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, found => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);
}
