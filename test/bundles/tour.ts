/** What the journeys do not reach: each function once more, so that each file is read and each call is made. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readAll } from '#test/kit/forward.ts';
import { REGION, ROUTED_TYPE } from './configurations.ts';
import { asked } from './journeys/sending.ts';
import type { Stage } from './stage.ts';
import {
  alarmEvent,
  apiEvent,
  call,
  insist,
  large,
  logEvent,
  payment,
  poison,
  post,
  postAs,
  record,
  settle,
} from './visits.ts';

const APP = 'uid:routed';
const WHY = { why: 'the suite' };

/** The receiving half, with every kind of request and target. */
export async function tourReceiving(stage: Stage): Promise<void> {
  // Requests: through the edge, refused, again with other bytes, of a spread source, for all targets.
  const throughEdge = { 'x-holdfast-edge': 'edge-secret', 'x-forwarded-for': '198.51.100.7' };
  await insist(stage, { ...payment('edge'), headers: throughEdge });
  await post(stage, { ...payment('refused'), secret: 'wrong' });
  await insist(stage, payment('conflict'));
  await insist(stage, { ...payment('conflict'), data: { object: { id: 'conflict', amount: 6 } } });
  await insist(stage, { ...payment('busy'), source: 'busy' });
  await settle(stage, 'edge');
  // Bodies that deflate with the dictionary of their provider.
  const push = { 'x-github-event': 'push', 'x-github-delivery': 'd1' };
  await postAs(stage, 'github', { ref: 'main', repository: { full_name: 'a/b' } }, push);
  const created = Math.floor(stage.now() / 1_000);
  await postAs(stage, 'stripe', { id: 'evt_1', object: 'event', type: 'invoice.paid', created, data: { object: {} } });
  const order = { 'x-shopify-topic': 'orders/create', 'x-shopify-event-id': 'o1', 'x-shopify-webhook-id': 'o1' };
  await postAs(stage, 'signed', { type: 'invoice.paid' }, { 'webhook-id': 'signed-1' });
  await postAs(stage, 'shopify', { id: 1, email: 'a@example.com' }, order);
  await stage.deliver(/WorkMain/, 'Process');
  await insist(stage, { id: 'routed', type: ROUTED_TYPE, data: { order: 'o1' } });
  await settle(stage, 'routed');
  await insist(stage, large('large'));
  await settle(stage, 'large');
  await insist(stage, poison('poison'));
  await settle(stage, 'poison');
  stage.advance(5);
  await stage.invoke('Sweep', {});
  await askApi(stage);
  await stage.invoke('Audit', {});
  await stage.invoke('Probe', {});
  const pages = stage.deployed.functions['Notify']?.environment['PAGE_TOPIC'] ?? '';
  await stage.invoke('Notify', alarmEvent('holdfast-everything-new-dead-letters', `arn:aws:sns:${REGION}:x:y`));
  await stage.invoke('Notify', alarmEvent('holdfast-everything-dead-letters-default', pages));
  const lines = stage.printed.map(({ line }) => line).filter(line => line.startsWith('{'));
  await stage.invoke('Otlp', logEvent(lines.slice(-50)));
}

async function askApi(stage: Stage): Promise<void> {
  const id = 'evt_default.poison';
  await call(stage, 'Api', 'GET /health');
  await call(stage, 'Api', 'GET /events');
  await call(stage, 'Api', 'GET /events/{event_id}', { event_id: id });
  await call(stage, 'Api', 'GET /dead-letters');
  await call(stage, 'Api', 'POST /events/{event_id}/replay', { event_id: id }, WHY);
  await settle(stage, 'poison');
  await call(stage, 'Api', 'POST /sources/{source}/pause', { source: 'default' }, WHY);
  await call(stage, 'Api', 'POST /sources/{source}/resume', { source: 'default' }, {});
  const job = await call(stage, 'Api', 'POST /replay-jobs', {}, { status: 'dead_letter', since: '1h', ...WHY });
  for (let n = 0; n < 3; n++) {
    stage.advance(2);
    await stage.invoke('Sweep', {});
    await stage.deliver(/WorkMain/, 'Process');
  }
  await call(stage, 'Api', 'GET /replay-jobs/{job_id}', { job_id: String(job.json.job_id ?? job.json.id) });
  const status = (await record(stage, 'poison'))?.['status'];
  if (status !== 'dead_letter') throw new Error(`poison is ${String(status)} after its replay`);
}

/** What a customer, its portal and the producer may ask. */
export async function tourSending(stage: Stage, url: string): Promise<void> {
  const ask = (route: string, path: Readonly<Record<string, string>> = {}, body?: unknown) =>
    asked(stage, route, { app: APP, ...path }, body);
  const ep = String((await ask('GET /v1/apps/{app}/endpoints')).data[0].id);
  const ENDPOINT = '/v1/apps/{app}/endpoints/{ep}';
  await ask(`GET ${ENDPOINT}`, { ep });
  await ask(`GET ${ENDPOINT}/health`, { ep });
  await ask(`GET ${ENDPOINT}/secret`, { ep });
  await ask('POST /v1/apps/{app}/secrets/reseal');
  await ask(`POST ${ENDPOINT}/pause`, { ep }, WHY);
  await ask(`POST ${ENDPOINT}/resume`, { ep }, {});
  await ask(`POST ${ENDPOINT}/test`, { ep }, {});
  const type = { description: 'x', schema: { type: 'object' }, example: { key: 'k' } };
  await ask('PUT /v1/event-types/{name}', { name: 'invoice.paid' }, type);
  await ask('POST /v1/apps/{app}/messages/match', {}, { type: 'invoice.paid', data: { key: 'k' } });
  const msg = String((await ask('GET /v1/apps/{app}/messages')).data[0].id);
  await ask('GET /v1/apps/{app}/messages/{msg}/body', { msg });
  await ask('GET /v1/apps/{app}/feed');
  const pull = { ep: String((await ask('POST /v1/apps/{app}/endpoints', {}, { kind: 'pull' })).id) };
  await stage.invoke(
    'Publish',
    apiEvent('POST /v1/apps/{app}/messages', { app: APP }, { key: 'pulled', type: 'invoice.paid', data: {} }),
  );
  await stage.deliver(/DeliveryJobs(?!Dead)/, 'FanOut');
  await ask(`POST ${ENDPOINT}/ack`, pull, { cursor: (await ask(`GET ${ENDPOINT}/messages`, pull)).cursor });
  await ask(`POST ${ENDPOINT}/deliveries/{msg}/replay`, { ep, msg }, { request_id: 'tour', ...WHY });
  await stage.invoke('Portal', apiEvent('GET /portal'));
  // A contact that confirms, is looked after, and is taken away in the portal.
  const asks: string[] = [];
  const server = createServer(async (request, response) => {
    asks.push((await readAll(request)).toString());
    response.writeHead(204).end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const to = `http://127.0.0.1:${(server.address() as AddressInfo).port}/contact`;
  const contact = await ask('POST /v1/apps/{app}/contacts', {}, { url: to });
  await stage.invoke('Contacts', {});
  const confirm = /confirm=([\w.-]+)/.exec(asks.join())?.[1] ?? 'nobody';
  await stage.invoke('Portal', apiEvent('POST /portal', {}, undefined, {}, { confirm }));
  const [{ state }] = (await ask('GET /v1/apps/{app}/contacts')).data;
  if (state !== 'confirmed') throw new Error(`the contact is ${state}; it was asked ${asks.join() || 'nothing'}`);
  stage.advance(80);
  await stage.invoke('Contacts', {});
  server.close();
  const { token, application } = await ask('POST /v1/apps/{app}/portal-tokens', {}, { expires_in_seconds: 600 });
  const bearer = { authorization: `Bearer ${token}` };
  const inPortal = (route: string, path = {}, body?: unknown) =>
    stage.invoke('Portal', apiEvent(route, { app: application, ...path }, body, bearer));
  await inPortal('GET /portal/v1/apps/{app}/contacts');
  await inPortal('POST /portal/v1/apps/{app}/endpoints/{ep}/test', { ep }, {});
  await ask('POST /v1/apps/{app}/secrets/reseal');
  await inPortal('DELETE /portal/v1/apps/{app}/contacts/{contact}', { contact: String(contact.id) });
  // An endpoint that goes away, a broadcast, a large body.
  const gone = await ask('POST /v1/apps/{app}/endpoints', {}, { url: `${url}/gone` });
  await ask(`DELETE ${ENDPOINT}`, { ep: String(gone.id) });
  const send = (route: string, body: unknown) => stage.invoke('Publish', apiEvent(route, { app: APP }, body));
  await ask('PUT /v1/apps/{app}', { app: 'uid:broadcast' }, { name: 'All' });
  await send('POST /v1/broadcasts', { key: 'b1', type: 'invoice.paid', data: { key: 'b' } });
  // Messages that go in one request.
  const batched = { app: 'uid:batched' };
  await ask('PUT /v1/apps/{app}', batched, { name: 'Batched' });
  const batch = { max_events: 10, max_bytes: 100_000 };
  await ask('POST /v1/apps/{app}/endpoints', batched, { url: `${url}/batched`, batch });
  for (const key of ['one', 'two']) {
    const body = { key, type: 'invoice.paid', data: { key } };
    await stage.invoke('Publish', apiEvent('POST /v1/apps/{app}/messages', batched, body));
  }
  for (let n = 0; n < 3; n++) {
    await stage.deliver(/DeliveryJobs(?!Dead)/, 'FanOut');
    await stage.deliver(/WakeFast/, 'DrainFast');
    await stage.deliver(/WakeSlow/, 'DrainSlow');
    stage.advance(15);
    await stage.invoke('Tend', {});
  }
}
