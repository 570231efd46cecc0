import { randomUUID } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DeleteStackCommand, waitUntilStackDeleteComplete } from '@aws-sdk/client-cloudformation';
import { PutSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { DynamoDbEventStore } from '#adapters/dynamodb/dynamodb-event-store.ts';
import type { Deployment } from '#core/config/deployment.ts';
import type { GatewayConfig } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { type EventPk, isEventKey, toEventPk, toSourceId } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import { secretName } from '#core/names.ts';
import { groupsOf, sideBySide } from '#core/side-by-side.ts';
import { signRequest } from '#core/verification/sign-request.ts';
import { type AwsClients, createAwsClients } from '#local/emulator/aws-clients.ts';
import { type LocalAws, openLocalAws } from '#local/emulator/emulator.ts';
import { ensureEmulatorInstalled } from '#local/emulator/python.ts';
import { readDeployment } from '#local/project/sources.ts';
import { fillLocalSecrets } from '#local/project/stored-secrets.ts';
import { silentProgress } from '#local/shell/progress.ts';
import { HOLDFAST_DIRECTORY, LOCAL_ENVIRONMENT, PACKAGE_ROOT } from '#local/shell/workspace.ts';
import { runLocalCdk } from '#local/stacks/cdk-cli.ts';
import type { Changes } from '#local/stacks/compare-templates.ts';
import { deployStacks } from '#local/stacks/deploy-stacks.ts';
import { type DeployedStack, readDeployedStack } from '#local/stacks/deployed-stack.ts';
import { findGateway, outputOf } from '#local/stacks/gateway-address.ts';
import { showChanges } from '#local/stacks/show-changes.ts';
import { sendHttp } from '#operator/aws/send-http.ts';
import type { HttpAnswer } from '#operator/http-answer.ts';
import { PROVIDERS } from '#providers/index.ts';
import { freePort } from '#test/kit/servers/free-port.ts';
import { secretOf } from './scheme-families.ts';
import { OUTSIDE_ADDRESS, SCHEME_FAMILIES, gateway as testGateway } from './test-gateway.config.ts';
import { handlers } from './test-handlers.ts';

const APP = [
  'bin',
  'lib',
  'core',
  'adapters',
  'lambdas',
  'providers',
  'handlers',
  'local',
  'operator',
  'portal',
  'console',
  'ui',
  'sdk',
  'gateway.config.ts',
  'cdk.json',
  'package.json',
];

export interface UnsignedRequest {
  readonly body: string | Uint8Array;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Another project than the fixture: its configuration, and what puts it into the copy of the app. */
export interface TestProject {
  readonly gateway: GatewayConfig;
  readonly lay: (app: string) => Promise<void>;
}

/** One read of several records. */
interface Look {
  readonly pks: EventPk[];
  readonly items: Promise<readonly EventItem[]>;
}

/** DynamoDB answers no more of them with one call. */
const READ_AT_ONCE = 100;

/** The real stacks with the shipped handlers and those of test-handlers.ts, on a local AWS of their own. */
export class GatewayUnderTest {
  readonly aws: LocalAws;
  readonly clients: AwsClients;
  stacks: readonly DeployedStack[];
  readonly deployment: Deployment;
  readonly #secrets: ReadonlyMap<string, string>;
  readonly #store: DynamoDbEventStore;
  #url: string;
  readonly #app: string;
  /** Records that are waited for now, to be read with one call: a call for each would keep the local AWS busy. */
  #nextLook: Look | undefined;

  /** `outside`: with the sources and routes of test-gateway.config.ts, and what is outside at that address. */
  static async start(options: { outside?: string; project?: TestProject } = {}): Promise<GatewayUnderTest> {
    const { outside, project } = options;
    const app = await copyApp('gateway');
    if (project) await project.lay(app);
    else await addTestHandlers(app, outside ?? OUTSIDE_ADDRESS);
    if (outside) await addTestSources(app, outside);
    const aws = await openLocalAws(await freePort(), {});
    try {
      const clients = createAwsClients(aws);
      const stacks = await deployStacks(aws, clients, silentProgress, app);
      const own = project?.gateway ?? (outside ? testGateway : undefined);
      const deployment = own ? resolveDeployment(own, LOCAL_ENVIRONMENT, PROVIDERS) : readDeployment(LOCAL_ENVIRONMENT);
      if (outside) await storeSecrets(clients.secrets);
      const secrets = await fillLocalSecrets(clients.secrets, deployment);
      return new GatewayUnderTest(app, aws, clients, stacks, deployment, secrets);
    } catch (error) {
      await Promise.all([aws.stop(), rm(app, { recursive: true, force: true })]);
      throw error;
    }
  }

  /** This version over whatever runs at that endpoint; `before` is told what the deploy will change. */
  static async onto(endpoint: string, before: (changes: Changes) => void): Promise<GatewayUnderTest> {
    const app = await copyApp('upgrade');
    await addTestHandlers(app, OUTSIDE_ADDRESS);
    // Fixed with this version: what the old one refused as `….replayed`.
    const registry = join(app, 'handlers/index.ts');
    const fixed = (await readFile(registry, 'utf8')).replace(
      '(fixed === undefined)',
      "(fixed === undefined && !event.type.endsWith('.replayed'))",
    );
    await writeFile(registry, fixed);
    // UPGRADING.md, 0.1.0: tables that are deployed in the gateway stack stay there.
    for (const path of ['handlers/resources.ts', 'handlers/shipped-resources.ts']) {
      const text = await readFile(join(app, path), 'utf8');
      await writeFile(join(app, path), text.replaceAll('new TableV2(scope,', 'new TableV2(context.gateway,'));
    }
    const aws = await openLocalAws(0, { AWS_ENDPOINT_URL: endpoint });
    const clients = createAwsClients(aws);
    const deployment = readDeployment(LOCAL_ENVIRONMENT);
    before((await showChanges(deployment, aws, app)).changes);
    const stacks = await deployStacks(aws, clients, silentProgress, app);
    return new GatewayUnderTest(
      app,
      aws,
      clients,
      stacks,
      deployment,
      await fillLocalSecrets(clients.secrets, deployment),
    );
  }

  private constructor(
    app: string,
    aws: LocalAws,
    clients: AwsClients,
    stacks: readonly DeployedStack[],
    deployment: Deployment,
    secrets: ReadonlyMap<string, string>,
  ) {
    this.#app = app;
    this.aws = aws;
    this.clients = clients;
    this.stacks = stacks;
    this.deployment = deployment;
    this.#secrets = secrets;
    this.#store = new DynamoDbEventStore(clients.dynamo, outputOf(stacks, 'EventsTable'));
    this.#url = findGateway(aws, stacks).url;
  }

  /** Destroys the stack of the gateway and the one that depends on it, as `npm run destroy` does with prod, and deploys them again. */
  async replaceGateway(): Promise<void> {
    const client = this.clients.cloudFormation;
    for (const StackName of ['holdfast-local-delivery', 'holdfast-local-gateway']) {
      await client.send(new DeleteStackCommand({ StackName }));
      await waitUntilStackDeleteComplete({ client, minDelay: 1, maxDelay: 2, maxWaitTime: 60 }, { StackName });
    }
    const assembly = join(this.aws.directory, 'cdk.out-local');
    const quiet = ['--method=direct', '--require-approval', 'never', '--progress', 'events'];
    await runLocalCdk(this.aws, ['deploy', '--app', assembly, 'local/*', ...quiet], { cwd: this.#app });
    this.stacks = await Promise.all(this.stacks.map(stack => readDeployedStack(client, stack)));
    this.#url = findGateway(this.aws, this.stacks).url;
  }

  async stop(): Promise<void> {
    await this.aws.stop();
    await Promise.all([this.aws.directory, this.#app].map(folder => rm(folder, { recursive: true, force: true })));
  }

  source(id: string): ResolvedSource {
    const found = this.deployment.sources.find(each => each.source.id === id);
    if (!found) throw new Error(`gateway.config.ts has no source "${id}"`);
    return found.source;
  }

  /** The headers with which this source's provider would send the request now. */
  sign(
    sourceId: string,
    request: UnsignedRequest,
    options: { secret?: string; ageSeconds?: number } = {},
  ): Readonly<Record<string, string>> {
    const secret = options.secret ?? this.#secrets.get(sourceId) ?? '';
    return signRequest(this.source(sourceId).spec, {
      body: Buffer.from(request.body),
      headers: request.headers,
      secret,
      nowMs: Date.now() - (options.ageSeconds ?? 0) * 1000,
      crypto: nodeCrypto,
    }).headers;
  }

  /** Headers by which the local AWS knows a caller; it does not check the signature itself. */
  awsHeaders(): Readonly<Record<string, string>> {
    const { accessKeyId } = this.aws.credentials;
    const scope = `${new Date().toISOString().slice(0, 10).replaceAll('-', '')}/${this.aws.region}/execute-api/aws4_request`;
    return {
      authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=host;x-amz-date, Signature=${'0'.repeat(64)}`,
      'x-amz-date': new Date().toISOString().replaceAll(/[-:]|\.\d+/g, ''),
    };
  }

  request(
    method: string,
    path: string,
    options: { headers?: Readonly<Record<string, string | string[]>>; body?: string | Uint8Array } = {},
  ): Promise<HttpAnswer> {
    return sendHttp(`${this.#url}${path}`, { method, headers: {}, ...options });
  }

  /** Sends a request signed as its provider would. */
  async send(sourceId: string, request: UnsignedRequest): Promise<HttpAnswer> {
    const headers = this.sign(sourceId, request);
    return await this.request('POST', `/webhooks/${sourceId}`, { headers, body: request.body });
  }

  /** Sends again after 503 with growing waits, as providers do: a starved machine may not answer in time at first. */
  async sendUntilAcknowledged(sourceId: string, request: UnsignedRequest): Promise<HttpAnswer> {
    for (let waitMs = 500; ; waitMs *= 2) {
      const answer = await this.send(sourceId, request);
      if (answer.status !== 503 || waitMs > 16_000) return answer;
      await wait(waitMs * (0.5 + Math.random() / 2));
    }
  }

  /** The record of an event once it is there and `when` holds. Throws, with what was seen last, after the limit. */
  async waitFor(pk: EventPk, when: (item: EventItem) => boolean, limitMs = 120_000): Promise<EventItem> {
    const deadline = Date.now() + limitMs;
    for (;;) {
      const item = await this.#look(pk);
      if (item && when(item)) return item;
      if (Date.now() > deadline) throw new Error(`${pk} after ${limitMs} ms: ${JSON.stringify(item)}`);
    }
  }

  /** The record a moment later, read together with all others that are asked for until then. */
  async #look(pk: EventPk): Promise<EventItem | undefined> {
    this.#nextLook ??= this.#planLook();
    this.#nextLook.pks.push(pk);
    return (await this.#nextLook.items).find(item => item.pk === pk);
  }

  #planLook(): Look {
    const pks: EventPk[] = [];
    const read = async (): Promise<readonly EventItem[]> => {
      await wait(100);
      this.#nextLook = undefined;
      return await this.readAll(pks);
    };
    return { pks, items: read() };
  }

  async waitUntilFinished(pk: EventPk, limitMs?: number): Promise<EventItem> {
    return await this.waitFor(pk, item => isTerminal(item.status), limitMs);
  }

  async read(pk: EventPk): Promise<EventItem | undefined> {
    return await this.#store.get(pk);
  }

  /** The records behind these keys; missing ones are left out. */
  async readAll(pks: readonly EventPk[]): Promise<readonly EventItem[]> {
    return (await sideBySide(groupsOf(pks, READ_AT_ONCE), group => this.#store.getMany(group))).flat();
  }

  /** A row of the table behind one of the handlers' variables, by its key `id`. */
  async row(table: 'Entities' | 'Revenue', id: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    const documents = DynamoDBDocumentClient.from(this.clients.dynamo);
    const TableName = this.physicalId(new RegExp(`^Handlers${table}`));
    return (await documents.send(new GetCommand({ TableName, Key: { id }, ConsistentRead: true }))).Item;
  }

  /** How often an effect on the payments table was applied; 0 when it is not there. */
  async timesApplied(paymentId: string): Promise<number> {
    const documents = DynamoDBDocumentClient.from(this.clients.dynamo);
    const table = this.physicalId(/^HandlersPayments/);
    const { Item: item } = await documents.send(
      new GetCommand({ TableName: table, Key: { paymentId }, ConsistentRead: true }),
    );
    return Number(item?.['timesApplied'] ?? 0);
  }

  /** Bodies of the messages in the dead-letter queue; they stay there. */
  async deadMessages(): Promise<readonly string[]> {
    const QueueUrl = outputOf(this.stacks, 'DeadQueueUrl');
    const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0 });
    const { Messages: messages = [] } = await this.clients.sqs.send(receive);
    return messages.map(message => message.Body ?? '');
  }

  /** The physical id of the one resource whose logical id matches. */
  physicalId(logicalId: RegExp): string {
    const ids = this.stacks.flatMap(stack => Object.entries(stack.physicalIds).filter(([id]) => logicalId.test(id)));
    if (ids.length !== 1 || !ids[0])
      throw new Error(`${ids.length} resources match ${logicalId}: ${ids.map(([id]) => id).join(', ')}`);
    return ids[0][1];
  }
}

/** A generic event (source `default`), unique on each call. `key` is its id, `pk` its record's key. */
export function genericEvent(
  type: string,
  key: string = randomUUID(),
  data?: Readonly<Record<string, unknown>>,
): UnsignedRequest & { readonly key: string; readonly pk: EventPk } {
  const body = JSON.stringify({ event_id: key, event_type: type, created_at: new Date().toISOString(), data });
  return { key, pk: pkOf('default', key), body, headers: { 'content-type': 'application/json' } };
}

/** The key of the record of a provider's event. */
export function pkOf(sourceId: string, key: string): EventPk {
  if (!isEventKey(key)) throw new Error(`"${key}" is not an event key`);
  return toEventPk(toSourceId(sourceId), key);
}

/**
 * A copy of the app, so that what a test deploys is neither changed by the test nor by somebody who edits meanwhile. It
 * shares the installed packages, and with `emulator` the installed local AWS.
 */
export async function copyApp(name: string, options: { emulator?: boolean } = {}): Promise<string> {
  const app = join(HOLDFAST_DIRECTORY, `e2e-${name}-${process.pid}`);
  await rm(app, { recursive: true, force: true });
  await mkdir(app, { recursive: true });
  await Promise.all(APP.map(path => cp(join(PACKAGE_ROOT, path), join(app, path), { recursive: true })));
  // The fixture's configuration and handlers: a person may have changed ours.
  await cp(join(PACKAGE_ROOT, 'test/fixtures/project'), app, {
    recursive: true,
    filter: path => !/cdk\.|\.holdfast|\/test$/.test(path.slice(PACKAGE_ROOT.length + '/test/fixtures'.length)),
  });
  await symlink(join(PACKAGE_ROOT, 'node_modules'), join(app, 'node_modules'), 'dir');
  if (options.emulator) {
    await ensureEmulatorInstalled();
    await mkdir(join(app, '.holdfast'));
    for (const entry of await readdir(HOLDFAST_DIRECTORY)) {
      if (entry.startsWith('emulator-')) {
        await symlink(join(HOLDFAST_DIRECTORY, entry), join(app, '.holdfast', entry), 'dir');
      }
    }
  }
  return app;
}

/** Puts the test's handlers before the shipped ones. */
async function addTestHandlers(app: string, outside: string): Promise<void> {
  // Loaded here once, so that a mistake in them is reported as such and not as a deployment that fails.
  if (!handlers.find(toSourceId('default'), 'test.effect')) throw new Error('test-handlers.ts has lost test.effect');
  await replaceFile(app, 'handlers/index.ts', 'test-handlers.ts', source =>
    source
      .replace('#test/fixtures/project/handlers/index.ts', '#handlers/shipped-index.ts')
      .replaceAll(OUTSIDE_ADDRESS, outside),
  );
  await replaceFile(app, 'handlers/resources.ts', 'test-resources.ts', source =>
    source.replace('#test/fixtures/project/handlers/resources.ts', '#handlers/shipped-resources.ts'),
  );
}

/** Puts a file of this folder in the place of a shipped one, which it finds under `shipped-…`. */
async function replaceFile(app: string, path: string, own: string, adapt: (source: string) => string): Promise<void> {
  await rename(join(app, path), join(app, dirname(path), `shipped-${basename(path)}`));
  await writeFile(join(app, path), adapt(await readFile(join(import.meta.dirname, own), 'utf8')));
}

/** Puts the test's configuration before the shipped one. */
async function addTestSources(app: string, outside: string): Promise<void> {
  await replaceFile(app, 'gateway.config.ts', 'test-gateway.config.ts', source =>
    source
      .replace('#test/fixtures/project/gateway.config.ts', './shipped-gateway.config.ts')
      .replaceAll(OUTSIDE_ADDRESS, outside),
  );
}

async function storeSecrets(client: SecretsManagerClient): Promise<void> {
  for (const provider of Object.values(SCHEME_FAMILIES)) {
    const SecretId = secretName({ environment: LOCAL_ENVIRONMENT }, toSourceId(provider));
    await client.send(new PutSecretValueCommand({ SecretId, SecretString: secretOf(provider) }));
  }
}
