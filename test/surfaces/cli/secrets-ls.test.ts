/** `holdfast secrets ls`: which secrets an environment has, and whether the previous one is still used. Never a value. */
import { beforeEach, expect, it } from 'vitest';
import { EmfTelemetry } from '#adapters/telemetry/emf-telemetry.ts';
import { defineGateway } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { HOUR_MS, toIso } from '#core/time.ts';
import { PROVIDERS } from '#providers/index.ts';
import { type CliOptions, CliWorld } from './cli-world.ts';

const config = defineGateway({
  sources: { shop: { provider: 'generic' }, stripe: { provider: 'stripe', apiCredential: true } },
  environments: {
    prod: {
      alarmTargets: { page: [{ pagerDuty: 'oncall' }], ticket: [{ slack: 'team' }] },
      otlp: { endpoint: 'https://otlp.example.com' },
    },
  },
});
const readDeployment = (name: string) => resolveDeployment(config, name, PROVIDERS);

let cli: CliWorld;
let now: number;
const set = (name: string, text: string): void =>
  void cli.vault.stored.set(name, { kind: 'set', text, changedAt: now - 2 * HOUR_MS });
beforeEach(() => {
  cli = new CliWorld();
  cli.world.start();
  now = cli.world.clock.now();
  const previousNotAfter = now + 22 * HOUR_MS;
  set('holdfast/prod/shop', JSON.stringify({ current: 'a-new-value', previous: 'an-old-value', previousNotAfter }));
  cli.vault.stored.set('holdfast/prod/stripe', { kind: 'empty' });
  set('holdfast/prod/stripe/api', '{"current":5}');
  set('holdfast-alarms/prod/slack/team', 'https://hooks.slack.test/a-value');
  set('holdfast/prod/_outbound', 'the-master-value');
  return () => cli.world.stop();
});
interface Row {
  readonly name: string;
  readonly state: string;
  readonly previous: unknown;
}
const rows = async (gateway: CliOptions['gateway'] = {}) =>
  ((await cli.json(['secrets', 'ls', '--env', 'prod'], { readDeployment, gateway })).value as { secrets: Row[] })
    .secrets;

it('has every secret of the environment with its state', async () => {
  expect((await rows()).map(({ name, state }) => [name, state])).toEqual([
    ['holdfast/prod/shop', 'set'],
    ['holdfast/prod/stripe', 'empty'],
    ['holdfast/prod/holdfast-probe', 'absent'],
    ['holdfast/prod/stripe/api', 'malformed'],
    ['holdfast-alarms/prod/pagerDuty/oncall', 'absent'],
    ['holdfast-alarms/prod/slack/team', 'set'],
    ['holdfast-otlp/prod', 'absent'],
    ['holdfast/prod/_outbound', 'set'],
  ]);
});

it('shows no value, and what gives the first that is missing one', async () => {
  const { stdout, stderr } = await cli.run(['secrets', 'ls', '--env', 'prod'], { readDeployment });
  expect(stdout + stderr).not.toMatch(/value/);
  expect(stderr).toContain('holdfast sources set-secret stripe --env prod');
  expect(stdout).toMatch(
    /holdfast\/prod\/shop +requests to shop +set +2 h ago +valid until .*; nobody used it since 2 h ago/,
  );
});

it.each([
  ['metrics', true],
  ['the log, where no metrics are kept', false],
])('says whether somebody uses the previous one: %s', async (_, keepsMetrics) => {
  const at = now - HOUR_MS;
  const written: string[] = [];
  const telemetry = new EmfTelemetry({
    environment: 'prod',
    level: 'info',
    write: it => written.push(it),
    now: () => at,
  });
  for (const source of ['shop', 'shop', 'shop', 'stripe']) telemetry.count('PreviousSecretMatched', { source });
  telemetry.flush();
  const asked: unknown[] = [];
  const gateway = keepsMetrics
    ? {
        counted: async (...it: readonly unknown[]) => {
          asked.push(...it.slice(0, 2));
          return [
            { at: at - HOUR_MS / 2, value: 2 },
            { at, value: 1 },
            { at: at + 1, value: 0 },
          ];
        },
      }
    : { logs: { read: async () => written.map(text => ({ at, from: 'ingest', text })) } };
  expect((await rows(gateway))[0]).toMatchObject({
    previous: {
      until: toIso(now + 22 * HOUR_MS),
      used: 3,
      used_since: toIso(now - 2 * HOUR_MS),
      last_used_at: toIso(at),
    },
  });
  if (keepsMetrics) expect(asked).toEqual(['PreviousSecretMatched', 'shop']);
  const doctor = await cli.run(['doctor', '--env', 'prod'], { readDeployment, gateway });
  expect(doctor.stdout).toMatch(/secret shop +rotated; the previous one is valid for .* more, and 3 requests used it/);
});

it('has nothing of a previous one whose time is over', async () => {
  const over = { current: 'a-new-value', previous: 'an-old-value', previousNotAfter: now };
  set('holdfast/prod/shop', JSON.stringify(over));
  expect((await rows())[0]).toMatchObject({ state: 'set', previous: null });
});
