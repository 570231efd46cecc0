/** A test: one signed request now, by the sender that delivers, outside of every queue, record and breaker; kept in a list of its own. */

import { askOrSkip } from '#core/ask.ts';
import { showAttempt } from '#core/outbound/api/deliveries/attempts-api.ts';
import { versionOf } from '#core/outbound/catalogue/judge-publication.ts';
import { classifyAnswer } from '#core/outbound/drain/classify-answer.ts';
import { exchanged, hideEchoes, maskedHeaders } from '#core/outbound/drain/exchanged.ts';
import { toBase32 } from '#core/outbound/protocol/ids.ts';
import type { ApplicationItem, EndpointItem, TestItem } from '#core/outbound/protocol/items.ts';
import { eventTypeKey, runtimeKey, secretsKey, testKey, testsRange } from '#core/outbound/protocol/keys.ts';
import { deliveryExpiry, keptOf, retentionOf } from '#core/outbound/protocol/timings.ts';
import { buildEnvelope, thinBody } from '#core/outbound/publish/envelope.ts';
import type { AttemptToSign, LiveKey } from '#core/outbound/sign/attempt-to-sign.ts';
import { openKey, signingKeys } from '#core/outbound/sign/signing-keys.ts';
import { refuse } from '#core/problem-reply.ts';
import { json, type Reply } from '#core/reply.ts';
import { textOf, utf8 } from '#core/scan/bytes.ts';
import { capText } from '#core/scan/text.ts';
import {
  type ApiCall,
  applicationOf,
  asGiven,
  bodyOf,
  countOrRefuse,
  endpointOf,
  endpointOfKind,
  listed,
  logAct,
  MOST_EXCHANGES,
  PAGE_QUERY,
  pageOf,
  queryOf,
} from './api-call.ts';
import { MASKED } from './customer.ts';
import { anything, typeName } from './fields.ts';

const SHOWN_BYTES = 2_048;
/** Of the body of a test that was sent. */
const KEPT_BYTES = 10_240;

type Tested = AttemptToSign['endpoint'] &
  Pick<EndpointItem, 'id' | 'url' | 'timeoutMs' | 'connectMs' | 'mode' | 'payload'>;
/** As the API shows one. */
export type TestAnswer = Awaited<ReturnType<typeof exchangeTest>>['shown'];

export const TEST_FIELDS = { type: typeName, data: anything };
/** Works for paused endpoints, not for disabled ones. */
export async function testOne(call: ApiCall): Promise<Reply> {
  const body = bodyOf(call, TEST_FIELDS);
  const { ports, rules } = call;
  const endpoint = await endpointOfKind(call, 'push');
  const runtime = await ports.store.get(runtimeKey(endpoint.id), 'consistent');
  if (runtime?.gate === 'disabled') refuse(409, 'gate_closed', 'the endpoint is disabled: enable it first');
  await countOrRefuse(call, 'test', endpoint.app);
  const type = body.type ?? 'test.webhook';
  const known = await ports.store.get(eventTypeKey(rules.environment, type), 'eventual');
  const secrets = await ports.store.get(secretsKey(endpoint.id), 'consistent');
  if (secrets === undefined) return refuse(404, 'unknown_endpoint', 'the endpoint was deleted');
  const keys = signingKeys(secrets.keys, ports.clock.now()).map(key => openKey(key, endpoint.id, ports.sealer));
  // Of the version the endpoint gets.
  const example = known && (versionOf(known, endpoint.apiVersion) ?? known).example;
  const { shown, item } = await exchangeTest(call, endpoint, keys, {
    application: await applicationOf(call),
    type,
    data: asGiven(call, 'data', body.data) ?? utf8(JSON.stringify(example ?? { test: true })),
  });
  await keepTest(call, endpoint, item);
  return json(200, shown);
}

interface Wanted {
  /** Whose messages it is like. */
  readonly application: Pick<ApplicationItem, 'id' | 'format'>;
  readonly type: string;
  /** JSON. */
  readonly data: Uint8Array;
}
/** Sends it, and keeps nothing: `shown` is what the endpoint said. */
export async function exchangeTest(call: ApiCall, endpoint: Tested, keys: readonly LiveKey[], what: Wanted) {
  const { ports, caller } = call;
  const now = ports.clock.now();
  const id = `msg_test_${toBase32(ports.crypto.hash('sha256', utf8(ports.ids.uuid())))}`;
  const { id: app, format } = what.application;
  const { type, data } = what;
  const about = { id, type, at: now, mode: endpoint.mode, app, key: id, pendingWebhooks: 1, data };
  const built =
    format === 'raw'
      ? { bytes: data, contentType: 'application/json', dataAt: undefined }
      : buildEnvelope(format, about);
  const { contentType } = built;
  const bytes = endpoint.payload === 'thin' ? thinBody(built.bytes, built.dataAt) : built.bytes;
  const message = { type, contentType };
  const { sign, sender } = await ports.sending();
  const { headers } = sign({ id, endpoint, keys, message, body: bytes, n: 1, now });
  const session = sender.open(1);
  try {
    const sent = { ...headers, 'x-webhook-test': 'true' };
    const request = {
      url: endpoint.url,
      headers: sent,
      body: bytes,
      deadlineMs: Math.min(endpoint.timeoutMs, 20_000),
      connectMs: endpoint.connectMs,
    };
    const answer = await session.send(request, new AbortController().signal);
    const verdict = classifyAnswer(answer, ports.clock.now());
    logAct(call, 'a test was sent', { endpoint: endpoint.id, class: verdict.class });
    const answered = answer.kind === 'answered';
    const shown = {
      success: verdict.fault === 'none',
      status_code: answered ? answer.status : null,
      class: verdict.class,
      detail: answered ? null : answer.detail,
      response_body: answered
        ? capText(hideEchoes(new TextDecoder().decode(answer.body), endpoint.headers), SHOWN_BYTES)
        : '',
      duration_ms: Math.round(answer.timings.total),
      request: {
        url: endpoint.url,
        headers: maskedHeaders(sent, endpoint.headers, MASKED),
        body: new TextDecoder().decode(bytes),
      },
    };
    const kept = bytes.length <= KEPT_BYTES ? { body: ports.codec.deflate(bytes) } : {};
    const exchange = exchanged(ports.codec, { ...request, own: endpoint.headers }, answer, verdict.class);
    const made = { id, type, by: caller, at: now, gen: 1, n: 1 };
    const item = { kind: 'test' as const, ...made, ...exchange, ...kept };
    return { shown, item };
  } finally {
    session.close();
  }
}

/** Best effort: who asked has the answer. */
async function keepTest(call: ApiCall, endpoint: EndpointItem, item: Omit<TestItem, 'expiresAt'>): Promise<void> {
  const { ports, rules } = call;
  const asker = { telemetry: ports.telemetry, stage: 'test_record', fields: { endpoint: endpoint.id } };
  await askOrSkip(asker, async () => {
    const kept = keptOf(await applicationOf(call), rules.retentionMs);
    const expiresAt = deliveryExpiry(item.at, item.at, retentionOf(kept, rules.retentionMs));
    await ports.store.put({ kind: 'put', key: testKey(endpoint.id, item.at, item.id), item: { ...item, expiresAt } });
  });
}

/** Tests of an endpoint with what was sent and answered, the newest first. */
export async function listTests(call: ApiCall): Promise<Reply> {
  queryOf(call, PAGE_QUERY);
  const { store, codec } = call.ports;
  const endpoint = await endpointOf(call);
  const page = await store.query({ ...testsRange(endpoint.id), newestFirst: true, ...pageOf(call, MOST_EXCHANGES) });
  const data = page.items.map(item => {
    const { at, class: of, code, detail, timings_ms, request, response } = showAttempt(codec, item);
    const body = item.body === undefined ? null : textOf(codec.inflate(item.body, KEPT_BYTES));
    return {
      id: item.id,
      type: item.type,
      at,
      class: of,
      code,
      detail,
      timings_ms,
      request: { ...request, body },
      response,
    };
  });
  return listed(call, data, page.cursor);
}
