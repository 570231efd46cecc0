/** What only a deployed environment can show, for the time after a deploy: signed events go in and are read back. */

import { randomBytes, randomUUID } from 'node:crypto';
import { parseSecret } from '#adapters/secrets/parse-secret.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { utf8 } from '#core/scan/bytes.ts';
import { toIso } from '#core/time.ts';
import { readStoredBody } from '#operator/events/show-event.ts';
import type { HttpAnswer } from '#operator/http-answer.ts';
import type { Operator } from '#operator/operator.ts';
import { waitForEnd } from '#operator/sources/send-request.ts';
import { signAsProvider } from '#operator/sources/sign-as-provider.ts';
import { readStored } from '#operator/sources/stored-state.ts';
import { type Check, guard, type Note } from './doctor.ts';

/** How long a probe may take to be completed; a first start of both functions is part of it. */
const LIMIT_MS = 30_000;
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
  const { apiUrl, http } = await operator.gateway();
  const parsed = parseSecret((await readStored(operator, source.id)).text);
  if (parsed.kind !== 'secret') {
    note('probe', 'wrong', 'its secret is not set: deploy again; the stack makes one');
    return;
  }
  const { current } = parsed.secret;
  const send = async (data: object, secret = current): Promise<Sent> => {
    const at = operator.clock.now();
    const event = { event_id: randomUUID(), event_type: 'probe', created_at: toIso(at), data };
    const unsigned = { body: utf8(JSON.stringify(event)), headers: { 'content-type': 'application/json' } };
    const signed = signAsProvider(source, unsigned, { secret, nowMs: at });
    const post = () => http(`${apiUrl}${source.paths[0]}`, signed);
    return { at, body: signed.body, answer: await post(), post };
  };
  const small = await send({});
  await judgeEnd(operator, source, { name: 'probe', sent: small }, note);
  const again = await small.post();
  const repeated = again.status === 200 && again.body.includes('already_processed');
  note(
    'probe again',
    repeated ? 'ok' : 'wrong',
    repeated ? 'is recognised as the same event' : `answered ${again.status} ${again.body.slice(0, 80)}`,
  );
  const { answer } = await send({}, `${current}x`);
  const refused = answer.status === 401;
  note(
    'forged probe',
    refused ? 'ok' : 'wrong',
    refused ? 'is refused with 401' : `answered ${answer.status}, expected 401`,
  );
  const large = await send({ text: randomBytes(LARGE_BYTES).toString('base64') });
  await judgeEnd(operator, source, { name: 'large probe', sent: large }, note);
}

interface Sent {
  readonly at: number;
  readonly body: Uint8Array;
  readonly answer: HttpAnswer;
  /** Sends the same bytes once more. */
  post(): Promise<HttpAnswer>;
}

/** Its record is completed, and its stored body is the one that was sent. */
async function judgeEnd(
  operator: Operator,
  source: ResolvedSource,
  { name, sent: { at, body, answer } }: { readonly name: string; readonly sent: Sent },
  note: Note,
): Promise<void> {
  if (answer.status !== 200) {
    const text = `answered ${answer.status} ${answer.body.slice(0, 80)}`;
    return note(name, 'wrong', text, operator.command('refused ls'));
  }
  const item = await waitForEnd(operator, source, { answer: answer.body, startedAt: at, until: at + LIMIT_MS });
  if (item?.status !== 'completed') {
    const text = `was accepted and is ${item?.status ?? 'not recorded'} after ${LIMIT_MS / 1_000} s`;
    return note(name, 'wrong', text, operator.command('status'));
  }
  const stored = await readStoredBody(operator, item);
  if (stored === undefined || Buffer.compare(stored.body, body) !== 0)
    return note(name, 'wrong', 'was completed, and its stored body is not the one that was sent');
  const took = operator.clock.now() - at;
  const where = stored.inBlob ? 'S3' : 'the table';
  note(name, 'ok', `completed after ${took} ms; its body was read back from ${where}`);
}
