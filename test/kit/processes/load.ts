/** The generator: signed events of 5 KB with unique ids, at a steady rate or as fast as the answers come. */
import { createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export const SECRET = 'a secret of the side-by-side run, 32 bytes or more';
const BODY_BYTES = 5_000;
const ANSWER_LIMIT_MS = 10_000;

export interface Sent {
  readonly id: string;
  /** When it was due (epoch ms): a slow server does not slow the clock. */
  readonly dueAt: number;
  /** Of the first answer 200. */
  acceptedAt?: number;
  failures: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 512 });

/** An event whose handler records one payment. */
function bodyOf(id: string): Buffer {
  const event = {
    event_id: id,
    event_type: 'payment_intent.succeeded',
    created_at: new Date().toISOString(),
    data: { object: { id, amount: 1_999, currency: 'eur', note: '' } },
  };
  const room = BODY_BYTES - JSON.stringify(event).length;
  event.data.object.note = createHmac('sha512', id).update('note').digest('hex').repeat(40).slice(0, room);
  return Buffer.from(JSON.stringify(event));
}

/** Sends one event. Answers the status, 0 when there was no answer. Each receiver checks one of the two signatures. */
export function post(url: string, id: string): Promise<number> {
  const body = bodyOf(id);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const mac = (prefix: string): string =>
    `sha256=${createHmac('sha256', SECRET).update(prefix).update(body).digest('hex')}`;
  const headers = {
    'content-type': 'application/json',
    'content-length': body.length,
    'x-webhook-timestamp': timestamp,
    'x-webhook-signature': mac(`${timestamp}.`),
    'x-hub-signature-256': mac(''),
  };
  return new Promise(resolve => {
    const call = request(url, { method: 'POST', agent, headers, timeout: ANSWER_LIMIT_MS }, answer => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode ?? 0));
      answer.once('error', () => resolve(0));
    });
    call.once('timeout', () => call.destroy());
    call.once('error', () => resolve(0));
    call.end(body);
  });
}

let counter = 0;
/** Unique over all runs of this process. */
function newId(): string {
  counter += 1;
  return `pi_${process.pid}_${counter}`;
}

export interface LoadOptions {
  readonly perSecond: number;
  readonly seconds: number;
  /** Share of events sent a second time, one second later. */
  readonly duplicates: number;
  /** Send again after an answer other than 200, as providers do, for at most this long. */
  readonly retryForMs: number;
}

/** Open loop: every event is sent when it is due, whatever became of the others. */
export async function sendSteadily(url: string, options: LoadOptions): Promise<readonly Sent[]> {
  const events: Sent[] = [];
  const open = new Set<Promise<void>>();
  const startedAt = Date.now();
  const count = Math.round(options.perSecond * options.seconds);
  const every = Math.max(2, Math.round(1 / options.duplicates));
  for (let n = 0; n < count; n += 1) {
    const dueAt = startedAt + (n * 1_000) / options.perSecond;
    await sleep(Math.max(0, dueAt - Date.now()));
    const event: Sent = { id: newId(), dueAt, failures: 0 };
    events.push(event);
    const delivery: Promise<void> = deliver(url, event, options.retryForMs, n % every === 0).finally(() =>
      open.delete(delivery),
    );
    open.add(delivery);
  }
  await Promise.all(open);
  return events;
}

async function deliver(url: string, event: Sent, retryForMs: number, again: boolean): Promise<void> {
  for (;;) {
    const status = await post(url, event.id);
    if (status === 200) break;
    event.failures += 1;
    if (Date.now() - event.dueAt > retryForMs) return;
    await sleep(1_000);
  }
  event.acceptedAt = Date.now();
  if (!again) return;
  await sleep(1_000);
  await post(url, event.id);
}

/** Closed loop: some connections, each with its next event as soon as the last one is answered. */
export async function sendAtOnce(url: string, connections: number, seconds: number) {
  const until = Date.now() + seconds * 1_000;
  const result = { accepted: 0, refused: 0 };
  const connection = async (): Promise<void> => {
    while (Date.now() < until) {
      if ((await post(url, newId())) === 200) result.accepted += 1;
      else result.refused += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  return result;
}
