/** Both systems on this machine: the real bundles and the plain queue over DynamoDB Local and ElasticMQ, in memory. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { aesSealer } from '#adapters/crypto/aes-sealer.ts';
import { systemClock, systemIds } from '#adapters/system.ts';
import { newEndpointOf } from '#core/outbound/api/endpoint-body.ts';
import type { ApplicationItem } from '#core/outbound/protocol/items.ts';
import { OUTBOUND_TIMINGS } from '#core/outbound/protocol/timings.ts';
import { createApplication } from '#core/outbound/registry/applications.ts';
import { createEndpoint, newEndpointId } from '#core/outbound/registry/endpoints.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { OUTBOUND_FUNCTION_NAMES } from '#lib/bundling/function-names.ts';
import { makeDynamoDbTables } from '#test/adapters/contracts/dynamodb-tables.ts';
import { answersHttp } from '#test/adapters/contracts/java-services.ts';
import { FIXTURE_PROJECT } from '#test/kit/fixture-project.ts';
import { bundleLocally, startLocalStores } from '#test/kit/processes/local-stores.ts';
import { freePort } from '#test/kit/servers/free-port.ts';
import { type Receivers, startReceivers } from './receivers.ts';
import { endpointFor, type Scenario, Stopwatch, type SystemResult } from './scenario.ts';

const HOST = join(import.meta.dirname, '../../test/kit/processes/lambda-host.ts');
const PLAIN = join(import.meta.dirname, 'plain-sender.ts');
const PUBLISH = 'POST /v1/apps/{app}/messages';
const MASTER = 'm'.repeat(64);
const PER_APPLICATION = 10;
const AT_ONCE = 16;
/** After the last message: the plain queue may be far behind, and a call of ours that timed out has its wake-up back after 70 s. */
const DRAIN_MS = 90_000;
/** A message that failed comes back to the plain queue after this. */
const PLAIN_VISIBILITY_SECONDS = 30;

/** Accepts one delivery for an endpoint; the id that its request will carry. */
type Publish = (endpoint: number, n: number) => Promise<string>;
type Start = (scenario: Scenario, receivers: Receivers) => Promise<{ publish: Publish; stop(): Promise<number> }>;

export interface Both {
  run(system: 'holdfast' | 'plain', scenario: Scenario): Promise<SystemResult>;
  stop(): Promise<void>;
}

/** Starts the stores; both systems of a run share them. `folder`: for bundles. */
export async function startBoth(folder: string): Promise<Both> {
  const stores = await startLocalStores(MASTER);
  const { queue } = stores;
  const given = { project: FIXTURE_PROJECT, functions: OUTBOUND_FUNCTION_NAMES, outputFolder: folder };
  const fileOf = await bundleLocally({ outbound: {} }, given);
  let runs = 0;

  const holdfast: Start = async (scenario, receivers) => {
    runs += 1;
    const wakeSeconds = OUTBOUND_TIMINGS.wakeVisibilityMs / 1_000;
    const [jobs, fast, slow, dead] = await Promise.all([
      queue(`jobs-${runs}`, 360),
      queue(`fast-${runs}`, wakeSeconds),
      queue(`slow-${runs}`, wakeSeconds),
      queue(`dead-${runs}`, 60),
    ]);
    const env = {
      ...stores.env,
      ...{ REGISTRY_TABLE: 'registry', OUTBOX_TABLE: 'outbox', BODIES_BUCKET: 'none', MASTER_SECRET: 'master' },
      ...{ JOBS_QUEUE_URL: jobs, JOBS_DEAD_QUEUE_URL: dead, WAKES_DEAD_QUEUE_URL: dead, OWN_HOSTS: 'own.example.com' },
      ...{ WAKE_FAST_QUEUE_URL: fast, WAKE_SLOW_QUEUE_URL: slow },
    };
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const drainOf = (LANE: 'fast' | 'slow', polled: string): ChildProcess =>
      start(['poll', fileOf('drain')], {
        ...{ ...env, LANE, WAKE_QUEUE_URL: polled, POLLED_QUEUE_URL: polled },
        ...{ SLOTS: String(scenario.slots[LANE]), TIMEOUT_MS: String(OUTBOUND_TIMINGS.drainTimeoutMs) },
      });
    const drains = [drainOf('fast', fast), drainOf('slow', slow)];
    const others = [
      start(['serve', fileOf('publish'), String(port)], { ...env, ROUTE: PUBLISH, TIMEOUT_MS: '10000' }),
      start(['poll', fileOf('fan-out')], { ...env, POLLED_QUEUE_URL: jobs, SLOTS: '20', TIMEOUT_MS: '60000' }),
      start(['run', fileOf('tend')], { ...env, EVERY_MS: String(MINUTE_MS), TIMEOUT_MS: '55000' }),
    ];
    const apps = await makeCustomers(stores.tables.url, scenario, receivers);
    while (!(await answersHttp(url))) await sleep(100);
    return {
      async publish(endpoint, n) {
        const body = JSON.stringify({ key: `${runs}-${n}`, type: `of.${endpoint}`, data: { amount: 1 } });
        // As every producer must: again until it hears 202. The time counts from there.
        for (let tries = 1; ; tries++) {
          const answer = await fetch(`${url}/v1/apps/${apps[endpoint]}/messages`, { method: 'POST', body });
          if (answer.status === 202) return ((await answer.json()) as { id: string }).id;
          const told = await answer.text();
          if (answer.status < 500 || tries === 10) throw new Error(`publish answered ${answer.status}: ${told}`);
          await sleep(200);
        }
      },
      async stop() {
        const most = (await Promise.all(drains.map(mostOf))).reduce((sum, each) => sum + each, 0);
        for (const child of [...drains, ...others]) child.kill('SIGKILL');
        return most;
      },
    };
  };

  const plain: Start = async (scenario, receivers) => {
    runs += 1;
    const QueueUrl = await queue(`plain-${runs}`, PLAIN_VISIBILITY_SECONDS);
    const { fast, slow } = scenario.slots;
    const env = {
      ...stores.env,
      POLLED_QUEUE_URL: QueueUrl,
      SLOTS: String(fast + slow),
      DEADLINE_MS: String(scenario.deadlineMs),
    };
    const child = start(['poll', PLAIN], { ...env, TIMEOUT_MS: '60000' });
    return {
      async publish(endpoint, n) {
        const id = `${runs}-${n}`;
        await stores.sqs.send(
          new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify({ id, url: receivers.urlOf(endpoint) }) }),
        );
        return id;
      },
      async stop() {
        const most = await mostOf(child);
        child.kill('SIGKILL');
        return most;
      },
    };
  };

  return {
    run: (system, scenario) => measure(system === 'holdfast' ? holdfast : plain, scenario),
    stop: stores.stop,
  };
}

async function measure(start: Start, scenario: Scenario): Promise<SystemResult> {
  // The clock of the phases starts with the traffic; what comes before is set-up and a few messages to warm up.
  const lazy: { watch?: Stopwatch } = {};
  const early = new Stopwatch(scenario, Date.now() + HOUR_MS);
  const receivers = await startReceivers({
    begun: (id: string, endpoint: number, at: number) => (lazy.watch ?? early).begun(id, endpoint, at),
    hangs: (endpoint: number, at: number) => lazy.watch?.hangs(endpoint, at) ?? false,
  });
  const system = await start(scenario, receivers);
  for (let n = 0; n < 100; n++) {
    await system.publish(scenario.dead + (n % (scenario.endpoints - scenario.dead)), -1 - n);
  }
  await sleep(5_000);
  const startedAt = Date.now();
  const watch = new Stopwatch(scenario, startedAt);
  lazy.watch = watch;
  const { before, during, after } = scenario.seconds;
  const total = (before + during + after) * scenario.perSecond;
  const published: Promise<void>[] = [];
  // Evenly in time whatever the answers: a slow system gets no rest.
  for (let n = 0; n < total; n++) {
    const dueAt = startedAt + (n * 1_000) / scenario.perSecond;
    await sleep(Math.max(0, dueAt - Date.now()));
    const endpoint = endpointFor(scenario, Math.random);
    published.push(system.publish(endpoint, n).then(id => watch.accepted(id, endpoint, Date.now())));
  }
  await Promise.all(published);
  const until = Date.now() + DRAIN_MS;
  while (Date.now() < until && watch.result(0).missing > 0) await sleep(1_000);
  const most = await system.stop();
  await receivers.close();
  return watch.result(most);
}

/** Nothing outlives the run, however that ends. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

function start(args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  const child = spawn(process.execPath, [HOST, ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** The most runs at once that the child's mapping ever had. */
function mostOf(child: ChildProcess): Promise<number> {
  return new Promise(resolve => {
    child.once('message', message => resolve(Number(message)));
    child.send('most');
  });
}

/** Endpoint number to application id. */
async function makeCustomers(url: string, scenario: Scenario, receivers: Receivers): Promise<readonly string[]> {
  const { items: store } = makeDynamoDbTables(url);
  const ports = { store, clock: systemClock, ids: systemIds };
  const sealer = aesSealer({ current: MASTER });
  const secret = new Uint8Array(32).fill(7);
  const given = { name: 'bench', metadata: {}, limits: { endpoints: PER_APPLICATION }, format: 'standard' } as const;
  const apps: ApplicationItem[] = [];
  for (let n = 0; n * PER_APPLICATION < scenario.endpoints; n++) {
    const made = await createApplication(ports, given);
    if (made.kind === 'created') apps.push(made.application);
  }
  const one = async (n: number): Promise<string> => {
    const app = apps[Math.floor(n / PER_APPLICATION)] as ApplicationItem;
    const id = newEndpointId(ports);
    const wanted = { url: receivers.urlOf(n), types: [`of.${n}`] };
    const endpoint = newEndpointOf(wanted, { timeoutMs: scenario.deadlineMs }, []);
    const keys = [{ kid: 'k1', alg: 'sha256', sealed: sealer.seal(secret, id), createdAt: Date.now() }] as const;
    const made = await createEndpoint(ports, app, endpoint, { id, keys });
    if (made.kind !== 'done') throw new Error(`an endpoint was not made: ${made.cause}`);
    return app.id;
  };
  const ids: string[] = [];
  for (let from = 0; from < scenario.endpoints; from += AT_ONCE) {
    const part = Array.from({ length: Math.min(AT_ONCE, scenario.endpoints - from) }, (_, at) => one(from + at));
    ids.push(...(await Promise.all(part)));
  }
  return ids;
}
