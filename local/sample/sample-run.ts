import { setTimeout as wait } from 'node:timers/promises';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import type { Deployment } from '#core/config/deployment.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { given } from '#core/given.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import { MINUTE_MS } from '#core/time.ts';
import { signRequest } from '#core/verification/sign-request.ts';
import type { EventFeed } from '#local/follow/event-feed.ts';
import type { GatewayAddress } from '#local/stacks/gateway-address.ts';
import { sendHttp } from '#operator/aws/send-http.ts';
import type { HttpAnswer } from '#operator/http-answer.ts';
import { sampleEvent } from '#operator/sources/sample-event.ts';

const FINISH_LIMIT_MS = MINUTE_MS;
const SEND_TRIES = 5;
const POLL_MS = 50;
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

export interface SignedSample {
  readonly method: string;
  readonly rawQuery: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A fresh event of this source with a valid signature, or undefined where its scheme cannot be signed here. */
export function signSample(source: ResolvedSource, secret: string, now = new Date()): SignedSample | undefined {
  const { body, headers, method, rawQuery } = sampleEvent(source.spec.id, now);
  const { spec, settings, publicUrl } = source;
  try {
    const signed = signRequest(spec, {
      body: Buffer.from(body),
      headers,
      method,
      rawQuery,
      secret,
      settings,
      nowMs: now.getTime(),
      crypto: nodeCrypto,
      ...given({ publicUrl }),
    });
    return {
      method,
      rawQuery: signed.rawQuery ?? '',
      headers: signed.headers,
      body: Buffer.from(signed.body ?? Buffer.from(body)).toString('utf8'),
    };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
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
  source: ResolvedSource,
  secret: string,
  gateway: GatewayAddress,
  feed: EventFeed,
  signal: AbortSignal,
): Promise<SampleResult> {
  const sample = signSample(source, secret);
  if (!sample) throw new Error(`No sample of ${source.spec.title} can be signed here.`);
  const sentAt = Date.now();
  const url = `${gateway.url}${source.paths[0]}${sample.rawQuery === '' ? '' : `?${sample.rawQuery}`}`;
  const request = { method: 'POST', headers: sample.headers, body: sample.body };
  let answer = await sendHttp(url, request);
  // As a provider would: the first requests may come while everything is cold.
  for (let tries = 1; answer.status === 503 && tries < SEND_TRIES; tries += 1) {
    await wait(500);
    answer = await sendHttp(url, request);
  }
  if (answer.status < 200 || answer.status > 299) {
    const problem = `${source.id}: the gateway answered ${answer.status} ${answer.body.slice(0, 200)}`;
    return { source, answer, item: undefined, succeeded: false, problem };
  }
  let item: EventItem | undefined;
  while (!signal.aborted && Date.now() < sentAt + FINISH_LIMIT_MS) {
    const pks = await feed.receivedSince(source.id, sentAt, Date.now());
    const items = await feed.read(pks);
    // Nothing else sends to a gateway that started a moment ago; on a shared one, the newest is ours.
    item = items.toSorted((a, b) => a.receivedAt - b.receivedAt).at(-1);
    if (item && isTerminal(item.status)) break;
    await wait(POLL_MS);
  }
  const succeeded = item?.status === 'completed' || item?.status === 'ignored';
  const seen = item
    ? `its status is ${item.status}${item.lastError ? ` (${item.lastError})` : ''}`
    : 'no record was found';
  const problem = `${source.id}: not completed within ${FINISH_LIMIT_MS / 1000} s; ${seen}`;
  return { source, answer, item, succeeded, ...(succeeded ? {} : { problem }) };
}
