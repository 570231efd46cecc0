import { setTimeout as wait } from 'node:timers/promises';
import type { Deployment } from '#core/config/deployment.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { MINUTE_MS } from '#core/time.ts';
import type { HttpAnswer } from '#operator/http-answer.ts';
import type { Operator } from '#operator/operator.ts';
import { OperatorError } from '#operator/operator-error.ts';
import { sampleEvent } from '#operator/sources/sample-event.ts';
import { sendToSource, waitForEnd } from '#operator/sources/send-request.ts';
import { type SignedAsProvider, signAsProvider } from '#operator/sources/sign-as-provider.ts';

const FINISH_LIMIT_MS = MINUTE_MS;
const SEND_TRIES = 5;
const PREFERRED = ['stripe', 'github'];

/** A sample that was really sent: the answer, and the record it left (absent when it never reached a final state). */
export interface SampleResult {
  readonly source: ResolvedSource;
  readonly answer: HttpAnswer;
  readonly item: EventItem | undefined;
  readonly succeeded: boolean;
  /** What is missing, when it did not succeed. */
  readonly problem?: string;
}

/** A fresh event of this source. */
function freshSample({ spec }: ResolvedSource) {
  const { body, ...request } = sampleEvent(spec.id);
  return { ...request, body: Buffer.from(body) };
}

/** The same with a valid signature, or undefined where its scheme cannot be signed here. */
export function signSample(source: ResolvedSource, secret: string): SignedAsProvider | undefined {
  try {
    return signAsProvider(source, freshSample(source), { secret, nowMs: Date.now() });
  } catch (error) {
    if (error instanceof OperatorError) return undefined;
    throw error;
  }
}

/** The sources the samples go to: Stripe and GitHub where they are configured, else the first that can be signed. */
export function chooseSampleSources(
  deployment: Deployment,
  secrets: ReadonlyMap<string, string>,
): readonly ResolvedSource[] {
  const able = deployment.sources
    .map(each => each.source)
    .filter(source => signSample(source, secrets.get(source.id) ?? '') !== undefined);
  const preferred = able.filter(source => PREFERRED.includes(source.spec.id));
  return preferred.length > 0 ? preferred : able.slice(0, 1);
}

/** Sends one signed event through the front door and waits until it is finished. Never throws for a bad outcome. */
export async function runSample(
  operator: Operator,
  source: ResolvedSource,
  signal: AbortSignal,
): Promise<SampleResult> {
  const sample = freshSample(source);
  const startedAt = Date.now();
  let answer = await sendToSource(operator, source, sample);
  // As a provider would: the first requests may come while everything is cold.
  for (let tries = 1; answer.status === 503 && tries < SEND_TRIES; tries += 1) {
    await wait(500);
    answer = await sendToSource(operator, source, sample);
  }
  if (answer.status < 200 || answer.status > 299) {
    const problem = `${source.id}: the gateway answered ${answer.status} ${answer.body.slice(0, 200)}`;
    return { source, answer, item: undefined, succeeded: false, problem };
  }
  const until = startedAt + FINISH_LIMIT_MS;
  const item = await waitForEnd(operator, source, { answer: answer.body, startedAt, until, signal });
  const succeeded = item?.status === 'completed' || item?.status === 'ignored';
  const seen = item
    ? `its status is ${item.status}${item.lastError ? ` (${item.lastError})` : ''}`
    : 'no record was found';
  const problem = `${source.id}: not completed within ${FINISH_LIMIT_MS / 1000} s; ${seen}`;
  return { source, answer, item, succeeded, ...(succeeded ? {} : { problem }) };
}
