import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ackOf } from '#core/provider/spec-defaults.ts';
import { type AlarmChange, runAlarms } from '#local/alarms/alarms.ts';
import { Pager } from '#local/alarms/pager.ts';
import { findPython } from '#local/emulator/python.ts';
import { emptyBodies } from '#local/stacks/empty-bodies.ts';
import { outputOf } from '#local/stacks/gateway-address.ts';
import type { HttpAnswer } from '#operator/http-answer.ts';
import { sampleEvent } from '#operator/sources/sample-event.ts';
import { localAwsContracts } from '#test/adapters/contracts/local-aws.suite.ts';
import { BROWSER_PATH } from '#test/kit/browser.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { cliSuite } from './cli.suite.ts';
import { runOnAws } from './cli-on-aws.ts';
import { refuseMails, tellByMail } from './contacts-on-aws.ts';
import { copyApp, GatewayUnderTest, genericEvent, pkOf } from './gateway-under-test.ts';
import { killStormSuite } from './kill-storm.suite.ts';
import { killWorkers } from './kill-workers.ts';
import { reportMissingPython } from './needs-python.ts';
import { blocksOf, maskSeconds, runTimelines } from './ordering-timelines.ts';
import { outboundSuite } from './outbound.suite.ts';
import { runOutbound } from './outbound-journey.ts';
import { OutsideWorld } from './outside-world.ts';
import { usePortal } from './portal-on-aws.ts';
import { putBack, runProcessing, takeAway } from './restore-table.ts';
import { countExecutions, createRoutedTargets, keptBy } from './routed-targets.ts';
import { runScript } from './run-script.ts';
import { requestOf } from './scheme-families.ts';
import { SCHEME_FAMILIES } from './test-gateway.config.ts';

const python = await findPython();

/** What `test.throws` does wrong, where its author wrote it. */
const wrongLine = readFileSync(join(import.meta.dirname, 'test-handlers.ts'), 'utf8')
  .split('\n')
  .findIndex(it => it.includes('order!.id'));
const MISTAKE = new RegExp(
  `TypeError at handlers/index\\.ts:${wrongLine + 1}: Cannot read properties of undefined \\(reading 'id'\\)`,
);
reportMissingPython(python);

describe.skipIf(!python)('the real stacks on a local AWS', () => {
  let gateway: GatewayUnderTest;
  /** Sent and killed first: its redelivery waits for the queue's visibility, while the other tests run. */
  const killed = genericEvent('test.slow');
  let killedWorkers = 0;
  const changes: AlarmChange[] = [];
  const ended = new AbortController();
  let alarms: Promise<void> | undefined;
  let pager: Pager;
  let outside: OutsideWorld;
  /** Events that wait for each other take half a minute: they do so while the other tests run. */
  let timelines: Promise<readonly string[]>;
  /** The same for messages that are sent. */
  let outbound: ReturnType<typeof runOutbound>;

  beforeAll(async () => {
    outside = await OutsideWorld.start();
    gateway = await GatewayUnderTest.start({ outside: outside.address });
    await createRoutedTargets(gateway);
    pager = await Pager.open(gateway.aws, gateway.clients, [outputOf(gateway.stacks, 'PageTopic')]);
    void pager.listen(ended.signal);
    alarms = runAlarms(gateway.aws, gateway.clients, gateway.stacks, it => changes.push(it), ended.signal);
    expect((await gateway.sendUntilAcknowledged('default', killed)).status).toBe(200);
    await gateway.waitFor(killed.pk, item => item.status === 'processing');
    killedWorkers = killWorkers(gateway.aws.instanceId, outputOf(gateway.stacks, 'ProcessFunction'));
    timelines = runTimelines(gateway, outside);
    timelines.catch(() => undefined);
    outbound = runOutbound(gateway);
    outbound.catch(() => undefined);
  }, 300_000);
  afterAll(async () => {
    ended.abort();
    await alarms;
    await (await outbound?.catch(() => undefined))?.receiver.stop();
    await gateway?.stop();
    outside?.stop();
  });

  it('completes a Stripe payment, and its ledger row is written once', async () => {
    const request = sampleEvent('stripe');
    const event = JSON.parse(request.body) as { id: string; data: { object: { id: string } } };
    expect((await gateway.sendUntilAcknowledged('stripe', request)).status).toBe(200);
    const item = await gateway.waitUntilFinished(pkOf('stripe', event.id));
    expect(item).toMatchObject({ status: 'completed', eventType: 'payment_intent.succeeded' });
    expect(item.actionTaken).toBe('recorded_payment');
    expect(await gateway.timesApplied(event.data.object.id)).toBe(1);
  });

  it('completes a GitHub push', async () => {
    const request = sampleEvent('github');
    expect((await gateway.sendUntilAcknowledged('github', request)).status).toBe(200);
    const item = await gateway.waitUntilFinished(pkOf('github', request.headers['x-github-delivery'] ?? ''));
    expect(item).toMatchObject({ status: 'completed', eventType: 'push', actionTaken: 'logged_push' });
  });

  it.each(['shopify', 'slack', 'standard-webhooks'])('accepts a signed %s event', async source => {
    const answer = await gateway.sendUntilAcknowledged(source, sampleEvent(source));
    expect(answer.status).toBe(200);
  });

  it('accepts the same request at the /webhook alias of the default source', async () => {
    const event = genericEvent('test.effect');
    const headers = gateway.sign('default', event);
    const answer = await gateway.request('POST', '/webhook', { headers, body: event.body });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({ status: 'accepted' });
    expect((await gateway.waitUntilFinished(event.pk)).status).toBe('completed');
  });

  it('answers 404 for an unknown source and for a method the source does not take', async () => {
    expect((await gateway.request('POST', '/webhooks/nobody', { body: '{}' })).status).toBe(404);
    expect((await gateway.request('GET', '/webhooks/stripe')).status).toBe(404);
    expect((await gateway.request('PUT', '/webhooks/stripe', { body: '{}' })).status).toBe(404);
  });

  it('refuses a wrong, missing, doubled or stale signature with 401 and stores nothing', async () => {
    const event = genericEvent('test.effect');
    const good = gateway.sign('default', event);
    const signature = good['x-webhook-signature'] ?? '';
    const { 'x-webhook-signature': _none, ...unsigned } = good;
    const refused: Readonly<Record<string, Readonly<Record<string, string | string[]>>>> = {
      'wrong secret': gateway.sign('default', event, { secret: 'not the secret' }),
      'no signature': unsigned,
      'two signatures': { ...good, 'x-webhook-signature': [signature, `sha256=${'0'.repeat(64)}`] },
      'empty signature': { ...good, 'x-webhook-signature': 'sha256=' },
      'an hour old': gateway.sign('default', event, { ageSeconds: 3_600 }),
    };
    for (const [name, headers] of Object.entries(refused)) {
      const answer = await gateway.request('POST', '/webhooks/default', { headers, body: event.body });
      expect([name, answer.status, JSON.parse(answer.body)]).toEqual([
        name,
        401,
        { error: 'invalid_signature', message: 'HMAC signature verification failed' },
      ]);
    }
    expect(await gateway.read(event.pk)).toBeUndefined();
  });

  it.each(Object.entries(SCHEME_FAMILIES))('verifies %s (%s)', async (_family, provider) => {
    const { publicUrl, spec } = gateway.source(provider);
    const statusOfRequest = async (wrongKey: boolean): Promise<number> => {
      const { rawQuery, headers, body } = requestOf(provider, publicUrl, { wrongKey });
      const path = `/webhooks/${provider}${rawQuery === '' ? '' : `?${rawQuery}`}`;
      return (await gateway.request('POST', path, { headers, body })).status;
    };
    expect(await statusOfRequest(true), 'signed with another key').toBe(ackOf(spec).rejectStatus);
    expect(await statusOfRequest(false), 'genuine').toBe(ackOf(spec).status);
  });

  it('verifies bytes that are not UTF-8 exactly', async () => {
    const key = genericEvent('').key;
    const body = Uint8Array.from([0xff, 0x00, 0xfe, 0x80, 0x0a]);
    const headers = { 'content-type': 'application/octet-stream', 'x-event-id': key };
    expect((await gateway.sendUntilAcknowledged('default', { body, headers })).status).toBe(200);
    const item = await gateway.waitUntilFinished(pkOf('default', key));
    expect(item).toMatchObject({ bodySha: createHash('sha256').update(body).digest('hex'), size: body.length });
  });

  it('accepts a genuine body that is not the JSON it says, and dead-letters it with the cause', async () => {
    const key = genericEvent('').key;
    const headers = { 'content-type': 'application/json', 'x-event-id': key };
    expect((await gateway.sendUntilAcknowledged('default', { body: '{"open', headers })).status).toBe(200);
    const item = await gateway.waitUntilFinished(pkOf('default', key));
    expect(item).toMatchObject({ status: 'dead_letter', cause: 'unparsable_payload' });
  });

  it('applies one effect for the same event sent fifty times at once', async () => {
    const event = genericEvent('test.effect');
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => gateway.sendUntilAcknowledged('default', event)),
    );
    expect(answers.map(answer => answer.status)).toEqual(Array.from({ length: 50 }, () => 200));
    const item = await gateway.waitUntilFinished(event.pk);
    expect(item.status).toBe('completed');
    const late = await gateway.sendUntilAcknowledged('default', event);
    expect([late.status, statusOf(late)]).toEqual([200, 'already_processed']);
    // Copies that were queued meanwhile find the record finished: give them time to arrive.
    await wait(2_000);
    expect(await gateway.timesApplied(effectOf(event.key))).toBe(1);
  });

  it('retries a throwing handler, then dead-letters it, while nine good events complete once', async () => {
    const bad = genericEvent('test.throws');
    const good = Array.from({ length: 9 }, () => genericEvent('test.effect'));
    const answers = await Promise.all([bad, ...good].map(event => gateway.sendUntilAcknowledged('default', event)));
    expect(answers.map(answer => answer.status)).toEqual(Array.from({ length: 10 }, () => 200));

    const finished = await Promise.all(good.map(event => gateway.waitUntilFinished(event.pk)));
    expect(finished.map(item => [item.status, item.attempts])).toEqual(good.map(() => ['completed', 1]));
    const dead = await gateway.waitUntilFinished(bad.pk, 90_000);
    expect(dead).toMatchObject({ status: 'dead_letter', attempts: gateway.source('default').retry.attempts });
    expect(dead.lastError).toMatch(MISTAKE);
    const { stdout } = await runOnAws(gateway, ['events', 'get', `evt_default.${bad.key}`]);
    expect(stdout).toMatch(MISTAKE);
    for (const item of finished) expect(item.completedAt).toBeLessThan(dead.deadAt ?? 0);
    expect(await Promise.all(good.map(event => gateway.timesApplied(effectOf(event.key))))).toEqual(good.map(() => 1));

    await gateway.waitFor(bad.pk, item => item.dlqSent === true);
    const letters = (await gateway.deadMessages()).filter(body => body.includes(bad.key));
    expect(letters).toHaveLength(1);
    expect(JSON.parse(letters[0] ?? '{}')).toMatchObject({ pk: bad.pk, deadId: dead.deadId });
  }, 120_000);

  it('raises the alarms of a dead letter: by the queue and by what the function reported', async () => {
    const raised = (): readonly string[] => changes.filter(it => it.to === 'ALARM').map(it => it.name);
    const wanted = ['process-dead-letters-waiting', 'process-new-dead-letters'].map(id => `holdfast-local-${id}`);
    const deadline = Date.now() + 30_000;
    while (!wanted.every(name => raised().includes(name)) && Date.now() < deadline) await wait(200);
    expect(raised()).toEqual(expect.arrayContaining(wanted));
    // The message that wakes somebody names the place, too.
    const told = (): boolean => pager.pages.some(it => it.alarm === wanted[1] && MISTAKE.test(it.text));
    while (!told() && Date.now() < deadline) await wait(200);
    expect(pager.pages.map(it => it.text).join('\n')).toMatch(MISTAKE);
    // Nobody looks at alarms any more: a look is fifty calls.
    ended.abort();
  }, 60_000);

  it('answers the status of an event to a caller with AWS credentials, and to nobody else', async () => {
    const event = genericEvent('test.effect');
    await gateway.sendUntilAcknowledged('default', event);
    await gateway.waitUntilFinished(event.pk);
    const path = `/events/${event.key}/status?source=default`;
    expect((await gateway.request('GET', path)).status).toBe(403);
    const answer = await gateway.request('GET', path, { headers: gateway.awsHeaders() });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({ status: 'completed' });
  });

  it('lists events, replays one, pauses and resumes for a caller with AWS credentials', async () => {
    // A slash in the provider's id is none in the path.
    const plain = randomUUID();
    const event = genericEvent('test.effect', `${plain}/status`);
    await gateway.sendUntilAcknowledged('default', event);
    await gateway.waitUntilFinished(event.pk);
    const id = `evt_default.${plain}~2Fstatus`;
    const call = async (method: string, path: string, body?: unknown): Promise<[number, unknown]> => {
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await gateway.request(method, path, { headers: gateway.awsHeaders(), ...text });
      return [answer.status, JSON.parse(answer.body)];
    };
    const listed = await call('GET', '/events?source=default&status=completed&limit=20');
    expect(listed).toMatchObject([200, { events: expect.arrayContaining([expect.objectContaining({ id })]) }]);
    expect(await call('GET', '/events?state=completed')).toMatchObject([400, { error: 'invalid_request' }]);

    const request = { why: 'customer asked', request_id: plain };
    expect(await call('POST', `/events/${id}/replay`, request)).toMatchObject([202, { outcome: 'replayed' }]);
    expect(await call('POST', `/events/${id}/replay`, request)).toMatchObject([202, { outcome: 'already_replayed' }]);
    await gateway.waitFor(event.pk, item => item.gen === 2 && item.status === 'completed');
    const history = { status: 'completed', generation: 2, replays: [{ why: 'customer asked' }] };
    expect(await call('GET', `/events/${id}`)).toMatchObject([200, history]);

    const counted = await call('POST', '/replay-jobs', { status: 'completed', source: 'default', dry_run: true });
    expect(counted).toMatchObject([200, { count: expect.any(Number), complete: true }]);
    expect((await gateway.request('POST', '/sources/slack/pause', { body: '{"why":"x"}' })).status).toBe(403);
    expect(await call('POST', '/sources/slack/pause', { why: 'drill' })).toMatchObject([200, { changed: true }]);
    const paused = expect.arrayContaining([expect.objectContaining({ source: 'slack', paused: expect.anything() })]);
    expect(await call('GET', '/sources')).toMatchObject([200, { sources: paused }]);
    expect(await call('POST', '/sources/slack/resume')).toMatchObject([200, { changed: true, paused: null }]);
  });

  it('routes one event to four targets of which one fails twice: three deliveries once, the fourth retried alone', async () => {
    const event = genericEvent('routed.paid');
    expect((await gateway.sendUntilAcknowledged('default', event)).status).toBe(200);
    const item = await gateway.waitUntilFinished(event.pk);
    expect(item).toMatchObject({ status: 'completed', actionTaken: 'routed to 4 targets', attempts: 3 });
    expect(item.recentAttempts?.map(it => it.cause)).toEqual(['target_failed', 'target_failed', 'ok']);

    const id = `evt_default.${event.key}`;
    const posts = outside.posts.get(id) ?? [];
    expect(posts.map(post => post.status)).toEqual([503, 503, 200]);
    expect(posts.map(post => post.body)).toEqual([event.body, event.body, event.body]);
    expect(new Set(posts.map(post => post.headers['idempotency-key']))).toEqual(new Set([`default:${event.key}:1`]));
    for (const target of ['bus', 'queue', 'topic'] as const) {
      const kept = (await keptBy(target, gateway)).filter(it => it['id'] === id);
      expect(kept, target).toEqual([
        expect.objectContaining({ specversion: '1.0', type: 'routed.paid', data: JSON.parse(String(event.body)) }),
      ]);
    }
  });

  it('starts one execution of a state machine for an event', async () => {
    const event = genericEvent('routed.started');
    for (let n = 0; n < 2; n++) expect((await gateway.sendUntilAcknowledged('default', event)).status).toBe(200);
    expect(await gateway.waitUntilFinished(event.pk)).toMatchObject({ status: 'completed', attempts: 1 });
    expect(await countExecutions(gateway)).toBe(1);
  });

  cliSuite(() => gateway);

  describe('contracts', () => {
    localAwsContracts(() => gateway.aws.endpoint);
  });

  it.runIf(isLongRun())(
    'deploys another environment beside it, and no more while a source of it has no secret',
    async () => {
      const root = await copyApp('deploy');
      // Alarms over metric math are adapted for `local` only.
      const config = `import { defineGateway } from './core/config/gateway-config.ts';
export const gateway = defineGateway({ sources: { stripe: { provider: 'stripe' } }, environments: { dev: { alarms: 'none' } } });
`;
      await writeFile(join(root, 'gateway.config.ts'), config);
      const env = {
        AWS_ENDPOINT_URL: gateway.aws.endpoint,
        AWS_REGION: gateway.aws.region,
        AWS_ACCESS_KEY_ID: gateway.aws.credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: gateway.aws.credentials.secretAccessKey,
      };
      const command = `aws secretsmanager put-secret-value --region ${env.AWS_REGION} --secret-id holdfast/dev/stripe --secret-string`;
      const first = runScript('deploy', ['dev', '--yes'], { root, env });
      expect(await first.exitCode, first.stdout() + first.stderr()).toBe(0);
      expect(first.stdout()).toContain(command);
      const second = runScript('deploy', ['dev', '--yes'], { root, env });
      expect(await second.exitCode).toBe(1);
      expect(second.stderr()).toMatch(/^Not deployed: stripe in dev would answer 503/);
      expect(second.stderr()).toContain(command);
      await rm(root, { recursive: true, force: true });
    },
    120_000,
  );

  describe('webhooks to a customer', () => outboundSuite(async () => (await outbound).journey));

  it.runIf(isLongRun() && BROWSER_PATH !== undefined)(
    'shows that customer the portal, and sends a test from there',
    async () => usePortal(gateway, (await outbound).receiver),
    240_000,
  );

  it(
    'tells a contact by mail that an endpoint fails, once its link confirmed, until its link takes it away',
    async () => tellByMail(gateway, (await outbound).receiver),
    240_000,
  );

  it('refuses mails that SES would refuse', () => refuseMails(gateway));

  it('ends events that come in an awkward order as docs/receive/ordering.md shows', async () => {
    const guide = readFileSync('test/fixtures/ordering-timelines.txt', 'utf8');
    const shown = blocksOf(guide);
    expect((await timelines).map(maskSeconds)).toEqual(shown.map(maskSeconds));
  }, 150_000);

  it('completes an event whose process was killed in the middle, with its effect once', async () => {
    expect(killedWorkers).toBeGreaterThan(0);
    const item = await gateway.waitUntilFinished(killed.pk, 120_000);
    expect(item).toMatchObject({ status: 'completed', actionTaken: 'counted' });
    expect(item.attempts).toBeGreaterThanOrEqual(2);
    expect(await gateway.timesApplied(effectOf(killed.key))).toBe(1);
  }, 150_000);

  it('comes back with its table restored under the old name, and with what was accepted meanwhile', async () => {
    const [early, queued] = [genericEvent('test.effect'), [1, 2, 3].map(() => genericEvent('test.effect'))];
    await gateway.sendUntilAcknowledged('default', early);
    await gateway.waitUntilFinished(early.pk);
    const table = outputOf(gateway.stacks, 'EventsTable');
    await runProcessing(gateway, false);
    const backup = await takeAway(gateway.clients.dynamo, table);
    for (const event of queued) {
      const answer = await gateway.sendUntilAcknowledged('default', event);
      expect([answer.status, statusOf(answer)]).toEqual([200, 'accepted']);
    }
    await putBack(gateway.clients.dynamo, table, backup);
    await runProcessing(gateway, true);
    for (const event of queued) {
      expect(await gateway.waitUntilFinished(event.pk)).toMatchObject({ status: 'completed', actionTaken: 'counted' });
      expect(await gateway.timesApplied(effectOf(event.key))).toBe(1);
    }
    expect(statusOf(await gateway.sendUntilAcknowledged('default', early))).toBe('already_processed');
  }, 150_000);

  it('empties the bucket of bodies, which could not be deleted with anything in it', async () => {
    const Bucket = outputOf(gateway.stacks, 'BodiesBucket');
    const { endpoint, region, credentials } = gateway.aws;
    const s3 = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
    for (const Key of ['one#of two', 'two/ünïcode'])
      await s3.send(new PutObjectCommand({ Bucket, Key, Body: new Uint8Array(9) }));
    const clients = { cloudFormation: gateway.clients.cloudFormation, s3 };
    expect(await emptyBodies('holdfast-local-data', clients)).toBeGreaterThanOrEqual(2);
    expect((await s3.send(new ListObjectsV2Command({ Bucket }))).Contents ?? []).toEqual([]);
    expect(await emptyBodies('holdfast-local-data', clients)).toBe(0);
    expect(await emptyBodies('holdfast-gone-data', clients)).toBe(0);
  });

  describe('under a load whose function processes are killed', () => killStormSuite(() => gateway));

  it('keeps what handlers wrote when the gateway is destroyed and deployed again, and writes to the same table', async () => {
    const [before, after] = [genericEvent('test.effect'), genericEvent('test.effect')];
    await gateway.sendUntilAcknowledged('default', before);
    await gateway.waitUntilFinished(before.pk);
    const idOf = async () => {
      const describe = new DescribeStacksCommand({ StackName: 'holdfast-local-gateway' });
      return (await gateway.clients.cloudFormation.send(describe)).Stacks?.[0]?.StackId;
    };
    const id = await idOf();
    await gateway.replaceGateway();
    expect(await idOf()).not.toBe(id);
    expect(await gateway.timesApplied(effectOf(before.key))).toBe(1);
    expect(statusOf(await gateway.sendUntilAcknowledged('default', before))).toBe('already_processed');
    await gateway.sendUntilAcknowledged('default', after);
    await gateway.waitUntilFinished(after.pk);
    expect(await gateway.timesApplied(effectOf(after.key))).toBe(1);
  }, 120_000);
});

function statusOf(answer: HttpAnswer): unknown {
  return (JSON.parse(answer.body) as { status?: unknown }).status;
}

/** The row test-handlers.ts writes. */
function effectOf(key: string): string {
  return `effect of evt_default.${key}`;
}
