/** `DeliveryApi` over HTTP with Signature Version 4, as API Gateway wants it of a route with IAM. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Credentials, encodeSegment, signForIam } from '#adapters/aws/sign-for-iam.ts';
import { type DeliveryApi, type DeliveryCall, refusalOf } from '#operator/delivery-api.ts';
import type { HttpAnswer, SendHttp } from '#operator/http-answer.ts';

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
        // Nothing was recorded, the functions were still starting, or API Gateway had too many: every request of this API
        // may be repeated. A limit of our own says so, and stays.
        const isBusy = answer.status === 503 || (answer.status === 429 && refusalOf(answer) === undefined);
        if (!isBusy || tries === TRIES) return answer;
        await wait(PAUSE_MS * tries);
      }
    },
  };
}

async function sendOnce(place: Place, http: SendHttp, call: DeliveryCall): Promise<HttpAnswer> {
  const { method } = call;
  const body = call.body === undefined ? '' : JSON.stringify(call.body);
  const path = `/v1/${call.path.map(encodeSegment).join('/')}`;
  const query = Object.entries(call.query ?? {})
    .flatMap(([name, value]) => (value === undefined ? [] : [`${encodeSegment(name)}=${encodeSegment(value)}`]))
    .sort()
    .join('&');
  const url = new URL(`${place.url}${path}${query === '' ? '' : `?${query}`}`);
  const own = { headers: body === '' ? {} : { 'content-type': 'application/json' } };
  const at = { region: place.region, now: Date.now() };
  const headers = await signForIam({ method, url, body, ...own }, await place.credentials(), at);
  return http(url.href, { method, headers, ...(body === '' ? {} : { body: new TextEncoder().encode(body) }) });
}
