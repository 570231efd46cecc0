/** Names of an environment, with a prefix and without: no two gateways share one, and a prefix that AWS or we would trip over is refused. */
import { expect, it } from 'vitest';
import { alarmSecretName } from '#core/config/alarm-services.ts';
import { otlpSecretName } from '#core/config/otlp-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { nameIn, secretName } from '#core/names.ts';
import { shortAlarm } from '#core/words.ts';
import { PROVIDERS } from '#providers/index.ts';

const resolve = (prefix?: unknown) =>
  resolveDeployment(
    {
      sources: { stripe: { provider: 'stripe' } },
      environments: { prod: { region: 'eu-central-1' } },
      ...(prefix === undefined ? {} : { prefix: prefix as string }),
    },
    'prod',
    PROVIDERS,
  ).config;

it('without a prefix they are what they always were: a new secret would be a new key', () => {
  const config = resolve();
  expect(config).not.toHaveProperty('prefix');
  expect([nameIn(config), nameIn(config, 'data')]).toEqual(['holdfast-prod', 'holdfast-prod-data']);
  expect(secretName(config, '_outbound')).toBe('holdfast/prod/_outbound');
  expect(alarmSecretName(config, { kind: 'slack', name: 'team' })).toBe('holdfast-alarms/prod/slack/team');
  expect(otlpSecretName(config)).toBe('holdfast-otlp/prod');
});

it('with one, each begins with it', () => {
  const config = resolve('payments');
  expect(nameIn(config, 'data')).toBe('payments-holdfast-prod-data');
  expect(secretName(config, 'stripe')).toBe('payments-holdfast/prod/stripe');
  expect(alarmSecretName(config, { kind: 'slack', name: 'team' })).toBe('payments-holdfast-alarms/prod/slack/team');
  expect(otlpSecretName(config)).toBe('payments-holdfast-otlp/prod');
});

it('an alarm is known without either', () => {
  for (const name of ['holdfast-prod-process-slow', 'payments-holdfast-prod-process-slow', 'process-slow'])
    expect(shortAlarm(name, 'prod')).toBe('process-slow');
  expect(shortAlarm('holdfast-dev-process-slow', 'prod')).toBe('holdfast-dev-process-slow');
});

it('whatever environments are called, names of two gateways differ', () => {
  const words = ['a', 'b', 'a-b', 'holdfast', 'holdfast-a', 'a-holdfast', 'a-holdfast-b'];
  const prefixes = [undefined, 'a', 'b', 'aholdfast'];
  const places = prefixes.flatMap(prefix =>
    words.map(environment => ({ environment, ...(prefix === undefined ? {} : { prefix }) })),
  );
  for (const name of [
    (place: (typeof places)[number]) => nameIn(place, 'data'),
    (place: (typeof places)[number]) => secretName(place, 'x'),
  ])
    expect(new Set(places.map(name)).size).toBe(places.length);
});

it.each(['', 'Payments', 'my-team', '1st', 'aws', 'awsome', 'holdfast', 'holdfast2', 'a.b', 'a'.repeat(17), 7, null])(
  'prefix %j is refused with what is allowed',
  prefix => {
    expect(() => resolve(prefix)).toThrow(
      / {2}1\. prefix: given .*allowed: 1 to 16 lower-case letters and digits.*fix: /,
    );
  },
);
