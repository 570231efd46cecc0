/** A person's calls of the delivery API: signed as AWS wants it, repeated where nothing was recorded, told in its own words. */
import { expect, it, vi } from 'vitest';
import { signedDeliveryApi } from '#operator/aws/signed-delivery-api.ts';
import { askDelivery } from '#operator/delivery-api.ts';
import type { HttpAnswer, SendHttp } from '#operator/http-answer.ts';

const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const answer = (status: number, body: unknown): HttpAnswer => ({
  ...{ status, headers: {}, ms: 1 },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

function apiThat(...answers: HttpAnswer[]) {
  const http = vi.fn<SendHttp>(() => Promise.resolve(answers.shift() ?? answer(500, 'no more')));
  const place = { url: 'https://abc.execute-api.eu-central-1.amazonaws.com', region: 'eu-central-1' };
  return { http, api: signedDeliveryApi({ ...place, credentials: () => Promise.resolve(KEYS) }, http) };
}

it('encodes path and query, sorts the query, and sends JSON', async () => {
  const { http, api } = apiThat(answer(200, { data: [] }), answer(202, {}));
  await askDelivery(api, {
    method: 'GET',
    path: ['apps', 'uid:a b/c', 'endpoints'],
    query: { limit: '2', cursor: 'x=/+', type: undefined },
  });
  await askDelivery(api, { method: 'POST', path: ['apps'], body: { name: 'Ä' } });
  const [[url, request] = [], [, second] = []] = http.mock.calls;
  expect(url).toBe(
    'https://abc.execute-api.eu-central-1.amazonaws.com/v1/apps/uid%3Aa%20b%2Fc/endpoints?cursor=x%3D%2F%2B&limit=2',
  );
  expect(request?.headers['authorization']).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/execute-api\//,
  );
  expect(new TextDecoder().decode(second?.body)).toBe('{"name":"Ä"}');
});

it('asks again after a 503, which has recorded nothing, and gives up with what was said', async () => {
  const busy = answer(503, { error: 'not_recorded', detail: 'dynamodb did not answer in time' });
  const { http, api } = apiThat(busy, answer(200, { id: 'app_1' }));
  expect(await askDelivery(api, { method: 'GET', path: ['apps', 'app_1'] })).toEqual({ id: 'app_1' });
  expect(http).toHaveBeenCalledTimes(2);
});

it('asks again after the 429 of API Gateway, which ran nothing, and not after our own', async () => {
  const throttled = apiThat(answer(429, { message: 'Too Many Requests' }), answer(200, { id: 'app_1' }));
  expect(await askDelivery(throttled.api, { method: 'GET', path: ['apps', 'app_1'] })).toEqual({ id: 'app_1' });
  expect(throttled.http).toHaveBeenCalledTimes(2);
  const full = apiThat(answer(429, { error: 'quota', detail: 'the application has 50 endpoints, which is its limit' }));
  const made = askDelivery(full.api, { method: 'POST', path: ['apps', 'app_1', 'endpoints'], body: {} });
  await expect(made).rejects.toThrow('which is its limit');
  expect(full.http).toHaveBeenCalledTimes(1);
});

it.each([
  [
    404,
    { error: 'unknown_application', detail: 'there is no application x' },
    'not_found',
    'there is no application x',
  ],
  [400, { error: 'invalid_request', detail: 'name: given nothing' }, 'usage', 'name: given nothing'],
  [409, { error: 'gate_closed', detail: 'the endpoint is paused' }, 'failure', 'the endpoint is paused'],
  [403, { message: 'User is not authorized' }, 'credentials', 'execute-api:Invoke'],
  [500, 'Internal Server Error', 'failure', 'GET /v1/apps was answered 500 Internal Server Error'],
] as const)('an answer %i with %j is an error of kind %s', async (status, body, kind, message) => {
  const { api } = apiThat(answer(status, body));
  const failed = askDelivery(api, { method: 'GET', path: ['apps'] });
  await expect(failed).rejects.toMatchObject({ kind, message: expect.stringContaining(message) });
});

it('takes no answer for empty that it cannot read: a list that was cut is no list without endpoints', async () => {
  const { api } = apiThat(answer(200, '{"data":[{"id":"ep_1"'), answer(204, ''));
  const listed = askDelivery(api, { method: 'GET', path: ['apps', 'a', 'endpoints'] });
  await expect(listed).rejects.toThrow('GET /v1/apps/a/endpoints was answered 200 with what is no JSON');
  expect(await askDelivery(api, { method: 'DELETE', path: ['apps', 'a'] })).toEqual({});
});

it.each(['..', '.', ''])('asks for nothing where an id is %j, which would lead to another route', async id => {
  const { http, api } = apiThat();
  const asked = askDelivery(api, { method: 'DELETE', path: ['apps', 'acme', 'endpoints', id] });
  await expect(asked).rejects.toMatchObject({ kind: 'usage', message: expect.stringContaining('as an id') });
  expect(http).not.toHaveBeenCalled();
});
