/** A test: one signed request now, by the sender that delivers, outside of every queue, record and breaker. */
import { any, lt, missing } from '#core/condition.ts';
import { versionOf } from '#core/outbound/catalogue/judge-publication.ts';
import { classifyAnswer } from '#core/outbound/drain/classify-answer.ts';
import type { LiveKey } from '#core/outbound/drain/drain-ports.ts';
import { signingKeys } from '#core/outbound/drain/signing-keys.ts';
import type { TableKey } from '#core/outbound/ports.ts';
import { toBase32 } from '#core/outbound/protocol/ids.ts';
import type { EndpointItem } from '#core/outbound/protocol/items.ts';
import { eventTypeKey, runtimeKey, secretsKey } from '#core/outbound/protocol/keys.ts';
import { buildEnvelope } from '#core/outbound/publish/envelope.ts';
import { json, type Reply } from '#core/reply.ts';
import { utf8 } from '#core/scan/bytes.ts';
import { capText } from '#core/scan/text.ts';
import { type ApiCall, bodyOf, endpointOf } from './api-call.ts';
import { MASKED } from './customer.ts';
import { typeName } from './fields.ts';
import { refuse } from './problem-reply.ts';

const TESTS_PER_MINUTE = 10;
const MINUTE_MS = 60_000;
const SHOWN_BYTES = 2_048;

type Tested = Pick<EndpointItem, 'id' | 'url' | 'headers' | 'signature' | 'compatibility' | 'timeoutMs' | 'mode'>;
export interface TestAnswer {
  readonly success: boolean;
  readonly status_code: number | null;
  readonly class: string;
  readonly detail: string | null;
  readonly response_body: string;
  readonly duration_ms: number;
  readonly request: { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly body: string };
}

/** Works for paused endpoints, not for disabled ones. */
export async function testOne(call: ApiCall): Promise<Reply> {
  const body = bodyOf<{ type?: string; data?: unknown }>(call, { type: typeName, data: () => undefined });
  const { ports, rules } = call;
  const endpoint = await endpointOf(call);
  const runtime = await ports.store.get(runtimeKey(endpoint.id), 'consistent');
  if (runtime?.gate === 'disabled') refuse(409, 'gate_closed', 'the endpoint is disabled: enable it first');
  await countTest(call, endpoint.app);
  const type = body.type ?? 'test.webhook';
  const known = await ports.store.get(eventTypeKey(rules.environment, type), 'eventual');
  const secrets = await ports.store.get(secretsKey(endpoint.id), 'consistent');
  const keys = signingKeys(secrets?.keys ?? [], ports.clock.now()).map(({ kid, alg, sealed }) => ({
    ...{ kid, alg },
    bytes: ports.sealer.open(sealed, endpoint.id),
  }));
  // Of the version the endpoint gets.
  const example = known && (versionOf(known, endpoint.apiVersion) ?? known).example;
  return json(200, await sendTest(call, endpoint, keys, { type, data: body.data ?? example ?? { test: true } }));
}

/** Sends it; the answer is what the endpoint said. */
export async function sendTest(
  { ports, caller, customer }: ApiCall,
  endpoint: Tested,
  keys: readonly LiveKey[],
  what: { readonly type: string; readonly data: unknown },
): Promise<TestAnswer> {
  const now = ports.clock.now();
  const id = `msg_test_${toBase32(ports.crypto.hash('sha256', utf8(ports.ids.uuid())))}`;
  const { bytes, contentType } = buildEnvelope('standard', {
    ...{ id, type: what.type, at: now, mode: endpoint.mode, app: '', key: id },
    data: utf8(JSON.stringify(what.data)),
  });
  const message = { type: what.type, contentType };
  const { headers } = ports.sign({ id, endpoint, keys, message, body: bytes, n: 1, now });
  const session = ports.sender.open(1);
  try {
    const sent = { ...headers, 'x-webhook-test': 'true' };
    const request = { url: endpoint.url, headers: sent, body: bytes, deadlineMs: Math.min(endpoint.timeoutMs, 20_000) };
    const answer = await session.send(request, new AbortController().signal);
    const verdict = classifyAnswer(answer, ports.clock.now());
    ports.telemetry.log('info', {
      message: 'a test was sent',
      endpoint: endpoint.id,
      class: verdict.class,
      by: caller,
    });
    const answered = answer.kind === 'answered';
    return {
      success: verdict.health === 'success',
      status_code: answered ? answer.status : null,
      class: verdict.class,
      detail: answered ? null : answer.detail,
      response_body: answered ? capText(new TextDecoder().decode(answer.body), SHOWN_BYTES) : '',
      duration_ms: Math.round(answer.timings.total),
      request: {
        url: endpoint.url,
        headers: customer === undefined ? sent : masked(sent, endpoint.headers),
        body: new TextDecoder().decode(bytes),
      },
    };
  } finally {
    session.close();
  }
}

/** Values of the endpoint's own headers are shown to nobody who may not see them in its configuration. */
function masked(sent: Readonly<Record<string, string>>, own: Readonly<Record<string, string>>) {
  const names = Object.keys(own).map(name => name.toLowerCase());
  const shown = Object.entries(sent).map(([name, value]) => [
    name,
    names.includes(name.toLowerCase()) ? MASKED : value,
  ]);
  return Object.fromEntries(shown) as Readonly<Record<string, string>>;
}

interface Counter {
  readonly count: number;
  readonly expiresAt: number;
}
/** Ten a minute and application: an endpoint of somebody else must not be a target. */
async function countTest({ ports }: ApiCall, app: string): Promise<void> {
  const now = ports.clock.now();
  const key: TableKey<Counter> = { table: 'registry', pk: `C#test#${app}#${Math.floor(now / MINUTE_MS)}`, sk: 'META' };
  const condition = any(missing('count'), lt('count', TESTS_PER_MINUTE));
  const set = { expiresAt: Math.floor(now / 1_000) + 3_600 };
  const counted = await ports.store.update<Counter>({ kind: 'update', key, condition, add: { count: 1 }, set });
  if (counted.kind === 'refused') refuse(429, 'quota', `${TESTS_PER_MINUTE} tests a minute: wait for the next one`);
}
