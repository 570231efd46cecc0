/**
 * Stands between the functions and their services: one address for all of AWS. It knows the caller by its access key and the
 * service by the signature, refuses what the caller's role may not do, counts each call, and spoils the one it is told to.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Answered, forward, readAll } from '#test/kit/forward.ts';
import { ACCOUNT, REGION } from './configurations.ts';
import type { Statement } from './deployed.ts';

// biome-ignore lint/suspicious/noExplicitAny: the bodies of calls are untyped JSON
type Json = any;

/**
 * What becomes of a call, once. `reset`: the service never sees it. `lost`: applied, the answer cut off. `slow`: applied, its
 * answer comes when the client has given up. `error`, `throttle`: refused. `killed_before`, `killed_after`: the process dies
 * before the service sees it, or when it is applied. `aborted`: applied, and neither it nor its second try is answered.
 */
export const CALL_FAULTS = [
  ...(['reset', 'lost', 'error', 'throttle', 'slow', 'killed_before', 'killed_after', 'aborted'] as const),
];
export type CallFault = (typeof CALL_FAULTS)[number];

/** One call of a function: `dynamodb:PutItem StoreEvents`. */
export interface GateCall {
  readonly caller: string;
  readonly name: string;
  readonly action: string;
  readonly input: Json;
}

interface Spoiled {
  readonly caller: string;
  readonly name: string;
  readonly fault: CallFault;
}

export interface FaultGate {
  readonly url: string;
  readonly calls: GateCall[];
  /** Calls that a role does not allow, refused. */
  readonly denied: string[];
  /** Rights that were used: `Ingest dynamodb:PutItem`. */
  readonly used: Set<string>;
  /** The next call of this name by this function fails so. */
  spoil(call: Spoiled): void;
  /** Whether the fault has happened; after it, nothing is spoiled. */
  calm(): boolean;
  stop(): Promise<void>;
}

export interface Behind {
  /** By service of the signature: where it is. Others are answered by the gate itself. */
  readonly services: Readonly<Record<string, string>>;
  readonly statementsOf: (caller: string) => readonly Statement[] | undefined;
  readonly kill: (caller: string) => void;
}

/** How long a message is hidden that a function received itself. */
export const HIDDEN_MS = 1_000;
/** Longer than a client waits for an answer. */
const SLOW_MS = 1_000;

export async function startFaultGate(behind: Behind): Promise<FaultGate> {
  const calls: GateCall[] = [];
  const denied: string[] = [];
  const used = new Set<string>();
  let spoiled: Spoiled | undefined;
  let hanging: Pick<Spoiled, 'caller' | 'name'> | undefined;
  let happened = false;

  const server = createServer(async (incoming, outgoing) => {
    const body = await readAll(incoming).catch(() => undefined);
    if (body === undefined) return;
    const call = callOf(incoming, body);
    calls.push(call);
    const { caller, name } = call;
    const statements = behind.statementsOf(caller);
    const refused = statements === undefined ? [] : needsOf(call).filter(need => !allows(statements, need));
    if (refused.length > 0) {
      denied.push(...refused.map(need => `${caller} may not ${need.action} on ${need.resource}`));
      return void refuse(outgoing, call, 400, 'AccessDeniedException');
    }
    for (const need of needsOf(call)) used.add(`${caller} ${need.action}`);
    if (hanging?.caller === caller && hanging.name === name) return;
    const fault = spoiled?.caller === caller && spoiled.name === name ? spoiled.fault : undefined;
    if (fault !== undefined) {
      spoiled = undefined;
      happened = true;
    }
    if (fault === 'killed_before') return behind.kill(caller);
    if (fault === 'reset') return void incoming.socket.destroy();
    if (fault === 'error') return void refuse(outgoing, call, 500, 'InternalServerError');
    if (fault === 'throttle') return void refuse(outgoing, call, 400, 'ThrottlingException');
    if (fault === 'aborted') hanging = { caller, name };
    const answered = await carryOut(call, incoming, body, behind.services).catch(() => undefined);
    if (fault === 'killed_after') return behind.kill(caller);
    if (fault === 'aborted') return;
    if (fault === 'lost' || answered === undefined) return void incoming.socket.destroy();
    if (fault === 'slow') await new Promise(resolve => setTimeout(resolve, SLOW_MS));
    outgoing.writeHead(answered.status, answered.headers);
    outgoing.end(answered.body);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    calls,
    denied,
    used,
    spoil(call) {
      spoiled = call;
      hanging = undefined;
      happened = false;
    },
    calm() {
      spoiled = undefined;
      hanging = undefined;
      return happened;
    },
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function callOf(incoming: IncomingMessage, body: Buffer): GateCall {
  const [, caller = '', service = ''] =
    /Credential=([^/]+)\/\d+\/[^/]+\/([^/]+)\//.exec(String(incoming.headers.authorization)) ?? [];
  const target =
    String(incoming.headers['x-amz-target'] ?? '')
      .split('.')
      .at(-1) ?? '';
  const path = decodeURIComponent(String(incoming.url).split('?')[0] ?? '');
  if (service === 's3') {
    const lists = String(incoming.url).includes('list-type=2');
    const operation = lists ? 'ListBucket' : incoming.method === 'PUT' ? 'PutObject' : 'GetObject';
    return { caller, name: `s3:${operation}`, action: `s3:${operation}`, input: { path: path.slice(1) } };
  }
  if (service === 'lambda') {
    const name = 'lambda:InvokeFunction';
    return { caller, name, action: name, input: { path, text: body.toString('utf8') } };
  }
  if (service === 'sns') {
    const input = Object.fromEntries(new URLSearchParams(body.toString('utf8')));
    return { caller, name: 'sns:Publish', action: 'sns:Publish', input };
  }
  const input = JSON.parse(body.toString('utf8') || '{}');
  const action = `${service}:${target}`;
  const place = placeOf(service, input);
  return { caller, name: `${action}${place === '' ? '' : ` ${place}`}`, action, input };
}

/** Which table or queue, so that writes of two tables are two calls. */
function placeOf(service: string, input: Json): string {
  if (service === 'sqs')
    return (
      String(input.QueueUrl ?? '')
        .split('/')
        .at(-1) ?? ''
    );
  if (service !== 'dynamodb') return '';
  if (input.TableName) return `${input.TableName}${input.IndexName ? `/${input.IndexName}` : ''}`;
  return Object.keys(input.RequestItems ?? {}).join('+');
}

interface Need {
  readonly action: string;
  readonly resource: string;
}
const arn = (service: string, resource: string): string => `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;

/** The rights that a call asks for. Conditions of keys are judged by test/lib/synth/rights-of-calls.test.ts. */
function needsOf({ action, input }: GateCall): readonly Need[] {
  const [service = '', operation = ''] = action.split(':');
  const table = (name: string): string => arn('dynamodb', `table/${name}`);
  switch (service) {
    case 'dynamodb': {
      if (operation === 'TransactWriteItems')
        return input.TransactItems.map((item: Json) => {
          const [kind = '', { TableName }] = Object.entries<Json>(item)[0] as [string, Json];
          return {
            action: `dynamodb:${kind === 'ConditionCheck' ? 'ConditionCheckItem' : `${kind}Item`}`,
            resource: table(TableName),
          };
        });
      if (input.RequestItems) return Object.keys(input.RequestItems).map(name => ({ action, resource: table(name) }));
      return [{ action, resource: `${table(input.TableName)}${input.IndexName ? `/index/${input.IndexName}` : ''}` }];
    }
    case 'sqs':
      return [{ action: action.replace(/Batch$/, ''), resource: arn('sqs', placeOf('sqs', input)) }];
    case 's3':
      return [{ action, resource: `arn:aws:s3:::${input.path.replace(/\/$/, '')}` }];
    case 'secretsmanager': {
      const names: string[] = input.SecretIdList ?? [input.SecretId];
      const read = names.map(name => ({
        action: operation === 'PutSecretValue' ? action : 'secretsmanager:GetSecretValue',
        resource: arn('secretsmanager', `secret:${name}-AbCdEf`),
      }));
      return input.SecretIdList ? [{ action, resource: '*' }] : read;
    }
    case 'sns':
      return [{ action, resource: input.TopicArn }];
    case 'events':
      return input.Entries.map((entry: Json) => ({ action, resource: entry.EventBusName }));
    case 'states':
      return [{ action, resource: input.stateMachineArn }];
    case 'lambda': {
      const called = String(/functions\/([^/]+)\//.exec(input.path)?.[1]);
      return [{ action, resource: called.startsWith('arn:') ? called : arn('lambda', `function:${called}`) }];
    }
    default:
      return [{ action, resource: '?' }];
  }
}

function allows(statements: readonly Statement[], { action, resource }: Need): boolean {
  const matching = statements.filter(
    it => it.actions.some(each => like(each, action)) && it.resources.some(each => like(each, resource)),
  );
  return matching.some(it => it.effect === 'Allow') && !matching.some(it => it.effect === 'Deny');
}

function like(pattern: string, text: string): boolean {
  const escaped = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${escaped}$`).test(text);
}

async function carryOut(
  call: GateCall,
  incoming: IncomingMessage,
  body: Buffer,
  services: Behind['services'],
): Promise<Answered> {
  const [service = ''] = call.action.split(':');
  const url = services[service];
  const json = (value: Json) => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(value)),
  });
  if (url === undefined) {
    if (service === 'events') return json({ FailedEntryCount: 0, Entries: [{ EventId: randomUUID() }] });
    if (service === 'states') return json({ executionArn: 'arn:aws:states:::execution:x', startDate: 1 });
    if (service === 'lambda') return { status: 202, headers: {}, body: Buffer.alloc(0) };
    const xml = `<PublishResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><PublishResult><MessageId>${randomUUID()}</MessageId></PublishResult></PublishResponse>`;
    return { status: 200, headers: { 'content-type': 'text/xml' }, body: Buffer.from(xml) };
  }
  // No message waits for minutes here: whoever gives messages out moves the clock instead.
  const sent =
    service === 'sqs' && /DelaySeconds|VisibilityTimeout/.test(body.toString('latin1')) ? atOnce(call) : body;
  return forward(incoming, sent, new URL(url));
}

function atOnce({ action, input }: GateCall): Buffer {
  // Long enough for one pass of the sweeper, which meets each message once.
  if (action === 'sqs:ReceiveMessage')
    return Buffer.from(JSON.stringify({ ...input, VisibilityTimeout: HIDDEN_MS / 1_000 }));
  const { DelaySeconds: _delay, ...rest } = input;
  if (rest.Entries) rest.Entries = rest.Entries.map(({ DelaySeconds: _each, ...entry }: Json) => entry);
  if (action === 'sqs:ChangeMessageVisibility') rest.VisibilityTimeout = 0;
  return Buffer.from(JSON.stringify(rest));
}

function refuse(outgoing: ServerResponse, { action }: GateCall, status: number, type: string): void {
  const xml = action.startsWith('s3:') || action.startsWith('sns:');
  const [code, name] = type === 'ThrottlingException' && action.startsWith('s3:') ? [503, 'SlowDown'] : [status, type];
  outgoing.writeHead(code, { 'content-type': xml ? 'application/xml' : 'application/x-amz-json-1.0' });
  if (action.startsWith('s3:'))
    outgoing.end(`<?xml version="1.0"?><Error><Code>${name}</Code><Message>injected</Message></Error>`);
  else if (xml)
    outgoing.end(
      `<ErrorResponse><Error><Type>Sender</Type><Code>${name}</Code><Message>injected</Message></Error></ErrorResponse>`,
    );
  else outgoing.end(JSON.stringify({ __type: `com.amazonaws#${name}`, message: 'injected' }));
}
