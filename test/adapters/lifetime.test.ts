import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { endCalls } from '#adapters/aws/end-calls.ts';
import { createDynamoDbClient } from '#adapters/dynamodb/create-dynamodb-client.ts';
import { DynamoDbPayloadStore } from '#adapters/dynamodb/dynamodb-payload-store.ts';
import { End, oneInvocation } from '#adapters/lifetime.ts';
import { createS3Calls } from '#adapters/s3/s3-client.ts';
import { createSecretsClient, SecretsManagerValues } from '#adapters/secrets/secrets-manager-values.ts';
import { createSnsClient, snsPager } from '#adapters/sns/sns-pager.ts';
import { createSqsClient } from '#adapters/sqs/create-sqs-client.ts';
import { sqsWorkQueue } from '#adapters/sqs/sqs-work-queue.ts';
import { systemTimer } from '#adapters/system.ts';
import { OutsideTargets } from '#adapters/targets/outside-targets.ts';
import { DependencyError } from '#core/errors.ts';
import { type EventKey, toEventPk, toSourceId } from '#core/glossary.ts';
import { environmentFor } from '#test/adapters/contracts/dynamodb-tables.ts';
import { livedTime } from '#test/kit/lived-time.ts';

type Environment = ReturnType<typeof environmentFor>;

/** A service that takes requests and never answers: what has left the process is what it has seen. */
interface Silence {
  readonly env: Environment;
  /** When each request came. */
  readonly seen: number[];
  /** Connections that are open now. */
  open: number;
}

async function silence(): Promise<Silence> {
  const seen: number[] = [];
  const server = createServer(request => {
    seen.push(performance.now());
    request.resume();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const service = { env: environmentFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), seen, open: 0 };
  server.on('connection', socket => {
    service.open += 1;
    socket.once('close', () => {
      service.open -= 1;
    });
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return service;
}

/** Longer than both tries of the SDK together: 0.8 s, up to 0.1 s between them, 0.8 s. */
const BOTH_TRIES_MS = 2_000;
const LIMIT_MS = 400;

/** Until its requests have come: what ends now ends on the way. */
const underWay = (service: Silence) => expect.poll(() => service.seen.length, { interval: 10 }).toBe(1);

/**
 * Work that its limit ends while its calls are under way, and what the service has seen afterwards. Once more where the
 * machine held this process up so long that they had not begun.
 */
async function cutOff<T>(work: (env: Environment) => Promise<T>, calls = 1) {
  for (let tries = 1; ; tries++) {
    const service = await silence();
    const ended = await systemTimer.limit(LIMIT_MS, () => work(service.env));
    await systemTimer.sleep(BOTH_TRIES_MS);
    if (service.seen.length >= calls || tries === 5) return { ended, seen: service.seen.length, open: service.open };
  }
}

const PK = toEventPk(toSourceId('s'), 'e' as EventKey);

const send = (env: Environment): Promise<void> =>
  sqsWorkQueue(createSqsClient(env), `${env['AWS_ENDPOINT_URL']}/queue`).send('body', { groupId: 'g' });
const route = (kind: string, address: string) => (env: Environment) =>
  new OutsideTargets(createSqsClient(env), { env }).send(
    { kind, address } as never,
    { source: toSourceId('s'), eventType: 't', keyHash: 'k', group: 'g', text: '{}' },
    new AbortController().signal,
  );

/** Each client of the product, with one call. */
const CALLS: Readonly<Record<string, (env: Environment) => Promise<unknown>>> = {
  DynamoDB: env => new DynamoDbPayloadStore(createDynamoDbClient(env), 'payloads').getBody(PK, 'sha'),
  SQS: send,
  S3: env => createS3Calls(endCalls, env).put('bodies', 'key', new Uint8Array(300_000)),
  'Secrets Manager': env =>
    new SecretsManagerValues(createSecretsClient(env), { environment: 'test' }).fetch(toSourceId('stripe')),
  SNS: env => snsPager(createSnsClient(env), 'arn:aws:sns:eu-central-1:111111111111:t').publish('s', 'm', 't'),
  EventBridge: route('event_bus', 'arn:aws:events:eu-central-1:111111111111:event-bus/b'),
  'a topic': route('topic', 'arn:aws:sns:eu-central-1:111111111111:t'),
  Lambda: route('function', 'arn:aws:lambda:eu-central-1:111111111111:function:f'),
  'Step Functions': route('state_machine', 'arn:aws:states:eu-central-1:111111111111:stateMachine:s'),
};

// Read with the first call of its kind: not in the time that is measured.
beforeAll(() =>
  Promise.all([
    import('@aws-sdk/client-eventbridge'),
    import('@aws-sdk/client-lambda'),
    import('@aws-sdk/client-s3'),
    import('@aws-sdk/client-sfn'),
    import('@aws-sdk/client-sns'),
  ]),
);

describe('a call ends with the limit of its work', () => {
  test.concurrent.each(Object.entries(CALLS))('%s: its connection is closed, no second try', async (_name, call) => {
    let late: unknown[] = [];
    const cut = await cutOff(env => {
      const ends: unknown[] = [];
      late = ends;
      const push = (value: unknown) => ends.push(value);
      return call(env).then(push, push);
    });
    expect({ ...cut, late: late.length }).toEqual({ ended: { kind: 'timed_out' }, seen: 1, open: 0, late: 1 });
  });

  test.concurrent('what became of it is unknown, never "not applied"', async () => {
    const { env } = await silence();
    const thrown: unknown[] = [];
    await systemTimer.limit(LIMIT_MS, () => send(env).catch(error => thrown.push(error)));
    await systemTimer.sleep(50);
    expect(thrown[0]).toBeInstanceOf(DependencyError);
    expect(thrown).toMatchObject([{ outcome: 'unknown', dependency: 'sqs' }]);
  });

  test.concurrent('a limit inside a limit ends with whichever is first', async () => {
    const cut = await cutOff(env => systemTimer.limit(60_000, () => send(env)));
    expect(cut).toEqual({ ended: { kind: 'timed_out' }, seen: 1, open: 0 });
  });

  test.concurrent('work that was given up begins no call', async () => {
    const service = await silence();
    let begun: Promise<unknown> | undefined;
    await systemTimer.limit(20, async () => {
      await systemTimer.sleep(60);
      begun = send(service.env);
      await begun;
    });
    await systemTimer.sleep(100);
    await expect(begun).rejects.toMatchObject({ outcome: 'unknown' });
    expect(service.seen).toEqual([]);
  });

  test.concurrent('a limit bounds nothing but its own work', async () => {
    const service = await silence();
    await systemTimer.limit(20, () => systemTimer.sleep(60));
    await expect(send(service.env)).rejects.toMatchObject({ outcome: 'unknown' });
    expect(service.seen).toHaveLength(2);
  });

  test.concurrent('a signal that the call was given itself ends it, too', async () => {
    const service = await silence();
    const client = createSqsClient(service.env);
    const own = new AbortController();
    const input = { QueueUrl: `${service.env['AWS_ENDPOINT_URL']}/queue`, MessageBody: 'body' };
    const call = systemTimer.limit(60_000, () =>
      client.send(new SendMessageCommand(input), { abortSignal: own.signal }),
    );
    await underWay(service);
    const lived = livedTime();
    own.abort();
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    while (service.open > 0) await systemTimer.sleep(10);
    // At once, and not 800 ms later, when the client gives up.
    expect(lived()).toBeLessThan(300);
    expect(service.seen).toHaveLength(1);
  });

  test.concurrent('forty calls share one end, without a warning of too many listeners', async () => {
    const warned: string[] = [];
    const note = (warning: Error): void => void warned.push(warning.message);
    process.on('warning', note);
    const { seen, open } = await cutOff(env => {
      const queue = sqsWorkQueue(createSqsClient(env), `${env['AWS_ENDPOINT_URL']}/queue`);
      const forty = Array.from({ length: 40 }, () => queue);
      return Promise.all(forty.map(each => each.send('body', { groupId: 'g' })));
    }, 40);
    process.off('warning', note);
    expect({ seen, open, warned }).toEqual({ seen: 40, open: 0, warned: [] });
  });
});

describe('the end of a piece of work', () => {
  test.each([
    ['the whole', 'its part'],
    ['its part', 'the whole'],
  ])('is told once, where %s ends before %s', first => {
    const whole = new End();
    const part = new End(whole);
    const told: string[] = [];
    part.addEventListener('abort', () => told.push(String(part.reason)));
    for (const end of first === 'the whole' ? [whole, part] : [part, whole])
      end.abort(end === whole ? 'the whole' : 'its part');
    expect([told, part.aborted, part.reason]).toEqual([[first], true, first]);
  });
});

describe('nothing leaves a function after its answer', () => {
  test.concurrent('neither a call that was left behind, nor its second try, nor one that would begin later', async () => {
    const service = await silence();
    const answered = Promise.withResolvers<void>();
    let later: Promise<unknown> | undefined;
    const handler = oneInvocation(async () => {
      send(service.env).catch(() => undefined);
      later = answered.promise.then(() => send(service.env));
      later.catch(() => undefined);
      await underWay(service);
      return 'answer';
    });
    expect(await handler()).toBe('answer');
    answered.resolve();
    await systemTimer.sleep(BOTH_TRIES_MS);
    expect({ seen: service.seen.length, open: service.open }).toEqual({ seen: 1, open: 0 });
    await expect(later).rejects.toMatchObject({ outcome: 'unknown' });
  });

  test.concurrent('nor after it threw; and the next invocation makes its own calls', async () => {
    const service = await silence();
    let fails = true;
    const handler = oneInvocation(async () => {
      if (!fails) return send(service.env);
      send(service.env).catch(() => undefined);
      await underWay(service);
      throw new Error('of the handler');
    });
    await expect(handler()).rejects.toThrow('of the handler');
    await systemTimer.sleep(BOTH_TRIES_MS);
    expect(service.seen).toHaveLength(1);
    fails = false;
    await expect(handler()).rejects.toMatchObject({ outcome: 'unknown' });
    expect(service.seen).toHaveLength(3);
  });

  const root = join(import.meta.dirname, '../..');
  const read = (pattern: string) =>
    globSync(pattern, { cwd: root }).map(path => [path, readFileSync(join(root, path), 'utf8')] as const);

  test('each function is one invocation', () => {
    const handlers = read('lambdas/*/handler.ts');
    expect(handlers.length).toBeGreaterThan(14);
    const bare = handlers.filter(([, text]) => !/^export const handler = (?:oneInvocation|serve)\(/m.test(text));
    expect(read('lambdas/shared/serve.ts')[0]?.[1]).toContain('return oneInvocation(');
    expect(bare.map(([path]) => path)).toEqual([]);
  });

  test('each client of an adapter ends its calls', () => {
    const clients = read('adapters/**/*.ts').filter(([, text]) => /new \w+Client\(\{?/.test(text));
    expect(clients.length).toBeGreaterThan(7);
    expect(clients.filter(([, text]) => !/\bend(?:Calls)?\(/.test(text)).map(([path]) => path)).toEqual([]);
  });
});
