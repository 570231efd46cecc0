/** What only a deployed environment can show, for the time after a deploy: signed events go in and are read back. */

import { randomBytes, randomUUID } from 'node:crypto';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { parseSecret } from '#adapters/secrets/parse-secret.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { type EventKey, toEventPk } from '#core/glossary.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import { secretName } from '#core/names.ts';
import { toIso } from '#core/time.ts';
import { signRequest } from '#core/verification/sign-request.ts';
import { readStoredBody } from '#operator/events/show-event.ts';
import type { Operator } from '#operator/operator.ts';
import { type Check, guard, type Note } from './doctor.ts';

/** How long a probe may take to be completed; a first start of both functions is part of it. */
const LIMIT_MS = 30_000;
const POLL_MS = 250;
/** Does not compress: its body goes to S3. */
const LARGE_BYTES = 120_000;

/**
 * 1. a small event, 2. the same once more, 3. a forged one, 4. one whose body goes to S3: each answered, completed and read
 * back. A check that cannot be made is a finding.
 */
export function checkDeeply(operator: Operator): Promise<readonly Check[]> {
  return guard('probe', async note => {
    const probe = operator.deployment.probe?.source;
    if (probe !== undefined) return checkProbes(operator, probe, note);
    const fix = `set environments.${operator.environment}.probe: true in gateway.config.ts and deploy`;
    note('probe', 'warning', 'no event was sent: this environment has no probe', fix);
  });
}

async function checkProbes(operator: Operator, source: ResolvedSource, note: Note): Promise<void> {
  const { secrets } = await operator.gateway();
  const stored = await secrets.read(secretName(operator.deployment.config, source.id));
  const parsed = stored.kind === 'set' ? parseSecret(stored.text) : undefined;
  if (parsed?.kind !== 'secret') {
    note('probe', 'wrong', 'its secret is not set: deploy again; the stack makes one');
    return;
  }
  const secret = parsed.secret.current;
  const small = await send(operator, source, secret, {});
  await judgeEnd(operator, 'probe', small, note);
  const again = await post(operator, small);
  const repeated = again.status === 200 && again.body.includes('already_processed');
  note(
    'probe again',
    repeated ? 'ok' : 'wrong',
    repeated ? 'is recognised as the same event' : `answered ${again.status} ${again.body.slice(0, 80)}`,
  );
  const forged = await send(operator, source, `${secret}x`, {});
  const refused = forged.answer.status === 401;
  note(
    'forged probe',
    refused ? 'ok' : 'wrong',
    refused ? 'is refused with 401' : `answered ${forged.answer.status}, expected 401`,
  );
  const text = randomBytes(LARGE_BYTES).toString('base64');
  await judgeEnd(operator, 'large probe', await send(operator, source, secret, { text }), note);
}

interface Sent {
  readonly pk: ReturnType<typeof toEventPk>;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly at: number;
  readonly answer: { readonly status: number; readonly body: string };
}

async function send(operator: Operator, source: ResolvedSource, secret: string, data: object): Promise<Sent> {
  const { apiUrl } = await operator.gateway();
  const key = randomUUID();
  const at = operator.clock.now();
  const event = { event_id: key, event_type: 'probe', created_at: toIso(at), data };
  const body = new TextEncoder().encode(JSON.stringify(event));
  const signed = signRequest(source.spec, {
    ...{ body, secret, nowMs: at, crypto: nodeCrypto },
    headers: { 'content-type': 'application/json' },
  });
  const request = { pk: toEventPk(source.id, key as EventKey), url: `${apiUrl}${source.paths[0]}`, body, at };
  const answer = await post(operator, { ...request, headers: signed.headers });
  return { ...request, headers: signed.headers, answer };
}

async function post(
  operator: Operator,
  { url, headers, body }: Pick<Sent, 'url' | 'headers' | 'body'>,
): Promise<Sent['answer']> {
  return (await operator.gateway()).http(url, { method: 'POST', headers, body });
}

/** Its record is completed, and its stored body is the one that was sent. */
async function judgeEnd(operator: Operator, name: string, sent: Sent, note: Note): Promise<void> {
  const { store, timer } = await operator.gateway();
  if (sent.answer.status !== 200) {
    const text = `answered ${sent.answer.status} ${sent.answer.body.slice(0, 80)}`;
    return note(name, 'wrong', text, operator.command('refused ls'));
  }
  let item = await store.get(sent.pk);
  while (!(item && isTerminal(item.status)) && operator.clock.now() < sent.at + LIMIT_MS) {
    await timer.sleep(POLL_MS);
    item = await store.get(sent.pk);
  }
  if (item?.status !== 'completed') {
    const text = `was accepted and is ${item?.status ?? 'not recorded'} after ${LIMIT_MS / 1_000} s`;
    return note(name, 'wrong', text, operator.command('status'));
  }
  const stored = await readStoredBody(operator, item);
  if (stored === undefined || Buffer.compare(stored.body, sent.body) !== 0)
    return note(name, 'wrong', 'was completed, and its stored body is not the one that was sent');
  const took = operator.clock.now() - sent.at;
  const where = stored.inBlob ? 'S3' : 'the table';
  note(name, 'ok', `completed after ${took} ms; its body was read back from ${where}`);
}
