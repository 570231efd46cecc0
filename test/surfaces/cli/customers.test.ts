/** What `status` and `doctor` say of webhooks to customers, over the real API in memory. */
import { expect, it } from 'vitest';
import { defineGateway } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { controlKey } from '#core/outbound/protocol/keys.ts';
import { SUMMARY, summaryOf } from '#core/outbound/tend/summary.ts';
import { HOUR_MS } from '#core/time.ts';
import { askDelivery } from '#operator/delivery-api.ts';
import { PROVIDERS } from '#providers/index.ts';
import { producerWorld } from '#test/kit/producer-world.ts';
import { CliWorld } from './cli-world.ts';

const CONFIG = defineGateway({
  sources: { shop: { provider: 'generic' }, pay: { provider: 'generic' } },
  environments: { local: { outbound: {} } },
});

/** `auditedAgo`: ms since the last audit; undefined: there was none. */
async function world(auditedAgo: number | undefined, deployedAgo = 5 * HOUR_MS) {
  const cli = new CliWorld();
  const now = cli.world.clock.now();
  const { api, store } = producerWorld(now);
  const call = (method: 'POST', path: readonly string[], body: object = {}): Promise<unknown> =>
    askDelivery(api, { method, path, body });
  await call('POST', ['apps'], { name: 'Acme', uid: 'acme' });
  for (const uid of ['a', 'b', 'c'])
    await call('POST', ['apps', 'uid:acme', 'endpoints'], { uid, url: `https://${uid}.example.com/` });
  await call('POST', ['apps', 'uid:acme', 'endpoints', 'uid:b', 'pause'], { why: 'a test' });
  await call('POST', ['apps', 'uid:acme', 'endpoints', 'uid:c', 'disable'], { why: 'a test' });
  const counts = {
    endpoints: 7,
    withTraffic: 5,
    onHold: 2,
    disabled: 1,
    paused: 3,
    died: 9,
    dead: 6,
    waiting: 40,
    lost: 0,
  };
  const seen = { ...counts, oldestWaiting: now - HOUR_MS };
  if (auditedAgo !== undefined)
    await store.put({ kind: 'put', key: controlKey(SUMMARY), item: summaryOf(seen, now - auditedAgo) });
  const deployment = resolveDeployment(CONFIG, 'local', PROVIDERS);
  const gateway = { deployment, delivery: async () => api, deployedAt: now - deployedAgo };
  const run = (command: string) => cli.run([command], { gateway, readDeployment: () => deployment });
  const lineOf = async (command: string): Promise<string | undefined> =>
    (await run(command)).stdout.split('\n').find(line => /^(ok +|WRONG +)?customers/.test(line));
  return { cli, gateway, deployment, run, lineOf, call };
}

it('counts the endpoints that do not get their webhooks, and says since when the oldest waits', async () => {
  const { lineOf, cli, gateway, deployment } = await world(60_000);
  expect(await lineOf('status')).toMatch(
    /^customers +3 endpoints: 0 on hold, 1 paused, 1 disabled; 40 wait, the oldest since \S.* ago; 6 deliveries dead$/,
  );
  expect(await lineOf('doctor')).toMatch(/^ok +customers +3 endpoints, 0 on hold, 1 disabled$/);
  const { value } = await cli.json(['status'], { gateway, readDeployment: () => deployment });
  expect(value).toMatchObject({ customers: { endpoints: 3, on_hold: 0, paused: 1, disabled: 1, dead: 6, died: 9 } });
});

it('says that nothing was counted yet, of a deployment of today', async () => {
  const { lineOf } = await world(undefined, 60_000);
  expect(await lineOf('status')).toMatch(
    /^customers +3 endpoints: .*; what waits and what died is counted with the first endpoint check$/,
  );
  expect(await lineOf('doctor')).toMatch(/^ok +customers +3 endpoints; the first check is to come$/);
});

it.each([
  ['an audit of three hours ago', 3 * HOUR_MS],
  ['no audit, hours after the deployment', undefined],
])('doctor finds that tend does not run: %s', async (_what, auditedAgo) => {
  const { run, lineOf } = await world(auditedAgo);
  expect(await lineOf('doctor')).toMatch(/^WRONG +customers +endpoints were not checked for two hours/);
  const { stdout, code } = await run('doctor');
  expect(code).toBe(1);
  expect(stdout).toContain('holdfast runbook sending-lost-work');
});

it('counts few as they are, and of many tells what the endpoint check counted, with its time', async () => {
  const { lineOf, call } = await world(300_000);
  expect(await lineOf('status')).not.toContain('counted');
  for (let n = 0; n < 4; n++) await call('POST', ['apps'], { name: 'Another', uid: `more${n}` });
  expect(await lineOf('status')).toMatch(
    /^customers +7 endpoints: 2 on hold, 3 paused, 1 disabled \(counted 5 min ago\); 40 wait, /,
  );
});

it('has no such line where nothing is sent to customers', async () => {
  const cli = new CliWorld();
  for (const command of ['status', 'doctor']) expect((await cli.run([command])).stdout).not.toContain('customers');
});

it('names the part that cannot be read: 1', async () => {
  const { cli, deployment } = await world(60_000);
  const gateway = { deployment, delivery: () => Promise.reject(new Error('no answer')) };
  const { stdout, code } = await cli.run(['status'], { gateway, readDeployment: () => deployment });
  expect(code).toBe(1);
  expect(stdout).toMatch(/not read +customers: .*no answer/);
});
