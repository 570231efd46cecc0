/** What a configured route adds to the deployment: grants for exactly its targets, and the clients it needs. */

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AwsTarget } from '#adapters/targets/aws-target.ts';
import type { GatewayConfig, RoutesConfig } from '#core/config/gateway-config.ts';
import { resolveConfig } from '#core/config/resolve-config.ts';
import { toSourceId } from '#core/glossary.ts';
import type { Delivered, TargetMessage } from '#core/inbound/routing/targets.ts';
import { bundleFunctions } from '#lib/bundling/bundle-functions.ts';
import { PROVIDERS } from '#providers/index.ts';
import { FIXTURE_PROJECT } from '#test/kit/fixture-project.ts';
import { synthEnvironment } from './synth-environment.ts';

const arn = (service: string, resource: string, place = 'eu-central-1:123456789012') =>
  `arn:aws:${service}:${place}:${resource}`;
const TARGETS = {
  'events:PutEvents': arn('events', 'event-bus/billing'),
  'sqs:SendMessage': arn('sqs', 'invoices.fifo'),
  'sns:Publish': arn('sns', 'invoices', 'eu-central-1:210987654321'),
  'lambda:InvokeFunction': arn('lambda', 'function:bill:live'),
  'states:StartExecution': arn('states', 'stateMachine:bill'),
};

function configOf(routes: RoutesConfig, region = 'eu-central-1'): GatewayConfig {
  return {
    sources: { stripe: { provider: 'stripe' }, default: { provider: 'generic' } },
    environments: { prod: { account: '123456789012', region, routes, outbound: {} }, dev: {} },
  };
}

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

/** What is granted on resources written as plain texts, which are those the stacks do not make: `action on ARN`. */
async function grantsOf(config: GatewayConfig): Promise<readonly string[]> {
  const { gateway } = await synthEnvironment('prod', config);
  const found = Object.entries(gateway.findResources('AWS::IAM::Policy')).flatMap(([id, policy]) =>
    (policy['Properties'].PolicyDocument.Statement as Statement[]).flatMap(({ Action, Resource }) =>
      [Resource].flat().flatMap(resource => {
        if (typeof resource !== 'string' || resource.includes(':secret:')) return [];
        // Names no secret: each one in the answer needs GetSecretValue as well.
        if (Action === 'secretsmanager:BatchGetSecretValue') return [];
        return [`${id.replace(/Role.*/, '')}: ${[Action].flat().join(' ')} on ${resource}`];
      }),
    ),
  );
  return found.sort();
}

describe('grants', () => {
  it('are one action on exactly the configured targets, each once', async () => {
    const all = [...Object.values(TARGETS), 'https://billing.example.com/hooks'];
    const second = arn('sqs', 'audit');
    const routes = { stripe: { 'invoice.*': all, '*': [second] }, default: { '*': [second] } };
    const wanted = [...Object.entries(TARGETS), ['sqs:SendMessage', second]];
    expect(await grantsOf(configOf(routes))).toEqual(
      wanted.map(([action, target]) => `Process: ${action} on ${target}`).sort(),
    );
  });

  it('are none without routes', async () => {
    expect(await grantsOf(configOf({}))).toEqual([]);
  });
});

describe('bundles', () => {
  let folder: string;
  let process: string;
  let files: Readonly<Record<'prod' | 'dev', readonly string[]>>;
  let server: Server;
  const asked: { readonly headers: IncomingMessage['headers']; readonly path: string; readonly body: string }[] = [];
  let answer: { status: number; headers?: Record<string, string>; body: string } = { status: 200, body: '' };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-routes-'));
    const config = configOf({ stripe: { '*': [...Object.values(TARGETS), 'outbound:acme'] } });
    const configs = ['prod', 'dev'].map(name => resolveConfig(config, name, PROVIDERS));
    const bundles = await bundleFunctions({
      configs,
      project: FIXTURE_PROJECT,
      functions: ['process'],
      outputFolder: folder,
    });
    process = bundles.get('prod')?.process ?? '';
    files = { prod: await readdir(process), dev: await readdir(bundles.get('dev')?.process ?? '') };
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      asked.push({ headers: request.headers, path: request.url ?? '', body: Buffer.concat(chunks).toString() });
      response.writeHead(answer.status, answer.headers).end(answer.body);
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const message: TargetMessage = {
    text: '{"specversion":"1.0","id":"é"}',
    source: toSourceId('stripe'),
    eventType: 'invoice.paid',
    keyHash: 'ab'.repeat(32),
    group: 'in_1',
  };
  /** Asks the client that the deployed function would load, at a server that answers as it is told. */
  async function send(file: string, create: string, address: string, given: typeof answer): Promise<Delivered> {
    answer = given;
    const module = (await import(/* @vite-ignore */ join(process, file))) as Record<
      string,
      (end: <Client>(client: Client) => Client, env: object) => AwsTarget
    >;
    const client = module[create]?.(client => client, {
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });
    if (!client) throw new Error(`${file} has no ${create}`);
    return await client.send(address, message, new AbortController().signal);
  }
  const json = (status: number, body: object, headers: Record<string, string> = {}) => ({
    status,
    headers: { 'content-type': 'application/x-amz-json-1.1', ...headers },
    body: JSON.stringify(body),
  });
  const refusal = (status: number, name: string, words = '', headers: Record<string, string> = {}) =>
    json(status, { __type: name, message: words, Message: words }, { 'x-amzn-errortype': name, ...headers });

  it('have the client of a target where one of its kind is configured, and nowhere else', () => {
    const lazy = (names: readonly string[]) =>
      names.flatMap(name => /^(?:lazy-)?(.*)-target(?:-\w+)?\.mjs$/.exec(name)?.[1] ?? []).sort();
    expect(lazy(files.prod)).toEqual(['event-bus', 'function', 'outbound', 'state-machine', 'topic']);
    expect(lazy(files.dev)).toEqual([]);
  });

  it('read none of them at a start', async () => {
    const index = await readFile(join(process, 'index.mjs'), 'utf8');
    expect(index).not.toMatch(/from\s*"\.\/lazy-/);
    expect(index).toContain('import("./lazy-topic-target.mjs")');
    expect(index).not.toMatch(/PutEvents|StartExecution/);
  });

  const BUS = ['lazy-event-bus-target.mjs', 'createEventBusTarget', TARGETS['events:PutEvents']] as const;
  const MACHINE = [
    'lazy-state-machine-target.mjs',
    'createStateMachineTarget',
    TARGETS['states:StartExecution'],
  ] as const;
  const FUNCTION = ['lazy-function-target.mjs', 'createFunctionTarget', TARGETS['lambda:InvokeFunction']] as const;
  const TOPIC = ['lazy-topic-target.mjs', 'createTopicTarget', `${TARGETS['sns:Publish']}.fifo`] as const;

  it('put an event on a bus, and look at the entry inside a good answer', async () => {
    expect(await send(...BUS, json(200, { FailedEntryCount: 0, Entries: [{ EventId: 'e1' }] }))).toEqual({
      kind: 'accepted',
      receipt: 'e1',
    });
    const sent = JSON.parse(asked.at(-1)?.body ?? '{}');
    expect(sent).toEqual({
      Entries: [{ EventBusName: BUS[2], Source: 'holdfast.stripe', DetailType: 'invoice.paid', Detail: message.text }],
    });
    const failed = (ErrorCode: string) =>
      json(200, { FailedEntryCount: 1, Entries: [{ ErrorCode, ErrorMessage: 'no' }] });
    expect(await send(...BUS, failed('ThrottlingException'))).toMatchObject({ kind: 'busy' });
    expect(await send(...BUS, failed('InternalFailure'))).toMatchObject({ kind: 'failed' });
    expect(await send(...BUS, failed('NotAuthorizedForSourceException'))).toMatchObject({
      kind: 'refused',
      cause: 'denied',
    });
    expect(await send(...BUS, failed('MalformedDetail'))).toMatchObject({ kind: 'refused', cause: 'invalid' });
  });

  it('start an execution under the key of the run; one that was started before is as good', async () => {
    const started = json(200, { executionArn: 'arn:x', startDate: 1 });
    expect(await send(...MACHINE, started)).toEqual({ kind: 'accepted', receipt: 'arn:x' });
    expect(JSON.parse(asked.at(-1)?.body ?? '{}')).toEqual({
      stateMachineArn: MACHINE[2],
      name: message.keyHash,
      input: message.text,
    });
    expect(await send(...MACHINE, refusal(400, 'ExecutionAlreadyExists'))).toMatchObject({ kind: 'accepted' });
    expect(await send(...MACHINE, refusal(400, 'StateMachineDoesNotExist'))).toMatchObject({
      kind: 'refused',
      cause: 'not_found',
    });
    expect(await send(...MACHINE, refusal(400, 'ExecutionLimitExceeded'))).toMatchObject({ kind: 'busy' });
    const long = 'Value failed to satisfy constraint: Member must have length less than or equal to 262144';
    expect(await send(...MACHINE, refusal(400, 'ValidationException', long))).toMatchObject({ kind: 'too_large' });
  });

  it('invoke a function as an event; a throttle keeps its Retry-After', async () => {
    expect(await send(...FUNCTION, { status: 202, body: '' })).toMatchObject({ kind: 'accepted' });
    expect(asked.at(-1)).toMatchObject({ body: message.text, path: expect.stringContaining('/invocations') });
    expect(asked.at(-1)?.headers['x-amz-invocation-type']).toBe('Event');
    const busy = refusal(429, 'TooManyRequestsException', '', { 'retry-after': '7' });
    expect(await send(...FUNCTION, busy)).toMatchObject({ kind: 'busy', afterSeconds: 7 });
    expect(await send(...FUNCTION, refusal(404, 'ResourceNotFoundException'))).toMatchObject({ cause: 'not_found' });
    expect(await send(...FUNCTION, refusal(409, 'ResourceConflictException'))).toMatchObject({ kind: 'failed' });
    expect(await send(...FUNCTION, refusal(413, 'RequestTooLargeException'))).toMatchObject({ kind: 'too_large' });
    expect(await send(...FUNCTION, refusal(403, 'AccessDeniedException'))).toMatchObject({
      kind: 'refused',
      cause: 'denied',
    });
    expect(await send(...FUNCTION, refusal(403, 'ExpiredTokenException'))).toMatchObject({ kind: 'failed' });
    expect(await send(...FUNCTION, refusal(500, 'ServiceException'))).toMatchObject({ kind: 'failed' });
  });

  it('publish to a topic, with group and key where it is FIFO', async () => {
    const xml = (status: number, inner: string) => ({ status, headers: { 'content-type': 'text/xml' }, body: inner });
    const published = '<PublishResponse><PublishResult><MessageId>m1</MessageId></PublishResult></PublishResponse>';
    expect(await send(...TOPIC, xml(200, published))).toEqual({ kind: 'accepted', receipt: 'm1' });
    const form = new URLSearchParams(asked.at(-1)?.body);
    expect(Object.fromEntries(form)).toMatchObject({
      TopicArn: TOPIC[2],
      Message: message.text,
      MessageDeduplicationId: message.keyHash,
      MessageGroupId: 'in_1',
    });
    const error = (code: string, words: string) =>
      xml(400, `<ErrorResponse><Error><Code>${code}</Code><Message>${words}</Message></Error></ErrorResponse>`);
    const tooLong = error('InvalidParameter', 'Invalid parameter: Message too long');
    expect(await send(...TOPIC, tooLong)).toMatchObject({ kind: 'too_large' });
    expect(await send(...TOPIC, error('NotFound', 'Topic does not exist'))).toMatchObject({ cause: 'not_found' });
    expect(await send(...TOPIC, error('AuthorizationError', 'may not exceed your rights'))).toMatchObject({
      cause: 'denied',
    });
  });
});
