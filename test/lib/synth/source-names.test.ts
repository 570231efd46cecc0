/** No two names of sources may meet in an id or a name of AWS, whatever they are. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { GatewayConfig } from '#core/config/gateway-config.ts';
import { alarmNameOf } from '#lib/alarms/alarm-spec.ts';
import { type SynthesizedEnvironment, synthEnvironment } from './synth-environment.ts';

/** Everything an alarm, a secret or a schedule is called by, as part of a source's name. */
const SUFFIXES = [
  ...['ticket', 'notice', 'page', 'api', 'probe', 'behind', 'gaps', 'schedule', 'role', 'source', 'failures'],
  ...['handler-failures', 'silent-source', 'signature-failures', 'providers', 'payload-conflicts'],
];
const stem = fc.constantFrom('stripe', 'zendesk', 'ingest', 'process', 'sources', 'a');
const pairs = fc
  .tuple(stem, fc.constantFrom(...SUFFIXES))
  .map(([name, suffix]) => [name, `${name}-${suffix}`] as const);

const configOf = (names: readonly string[]): GatewayConfig => ({
  sources: Object.fromEntries(
    names.map(name => [name, { provider: 'stripe', reconcile: { types: ['*'] }, throttle: 1 }]),
  ),
  environments: { prod: {} },
});
const alarmNames = ({ stage }: SynthesizedEnvironment): string[] =>
  stage.gateway.alarms?.alarms.map(({ name }) => name) ?? [];

describe('pairs of names', () => {
  /** All of them at once: what is distinct among all is distinct in each pair. */
  const names = [
    ...new Set(['stripe', 'zendesk', 'a'].flatMap(name => [name, ...SUFFIXES.map(it => `${name}-${it}`)])),
  ];
  let all: SynthesizedEnvironment;
  beforeAll(async () => {
    all = await synthEnvironment('prod', configOf(names));
  }, 60_000);

  it('that crashed synth are among them', () => {
    expect(names).toEqual(
      expect.arrayContaining(['zendesk', 'zendesk-ticket', 'stripe', 'stripe-notice', 'stripe', 'stripe-api']),
    );
  });

  it('have an alarm of each kind and a secret of their own each', () => {
    const alarms = alarmNames(all);
    expect(new Set(alarms).size).toBe(alarms.length);
    for (const kind of ['ingest-silent-source', 'ingest-signature-failures', 'process-handler-failures'])
      expect(alarms.filter(name => name.startsWith(`holdfast-prod-${kind}-`)).length).toBe(names.length);
    const secrets = Object.values(all.data.findResources('AWS::SecretsManager::Secret')).map(
      it => it['Properties'].Name,
    );
    // And the probe's, and the one that seals the secrets of endpoints.
    expect(secrets).toHaveLength(2 * names.length + 2);
    expect(new Set(secrets).size).toBe(secrets.length);
  });

  it('cannot meet in the name of an alarm: no id begins with that of an alarm per source', () => {
    const specs = all.stage.gateway.alarms?.alarms.map(({ spec }) => spec) ?? [];
    const perSource = new Set(specs.filter(it => it.source !== undefined).map(it => it.id));
    expect(perSource.size).toBe(4);
    for (const kind of perSource)
      for (const { id } of specs) expect(id === kind || !id.startsWith(`${kind}-`), `${id} and ${kind}`).toBe(true);
    // Which is why any two alarms of any two sources differ.
    fc.assert(
      fc.property(pairs, fc.constantFrom(...perSource), fc.constantFrom(...perSource), ([one, other], left, right) => {
        expect(alarmNameOf({ id: left, source: one })).not.toBe(alarmNameOf({ id: right, source: other }));
      }),
    );
  });
});

describe('what must survive', () => {
  it('keeps the ids it was first deployed with: CloudFormation would make a second one, empty or of a taken name', async () => {
    const { data } = await synthEnvironment('prod', configOf(['stripe', 'default']));
    expect(Object.keys(data.toJSON()['Resources']).sort()).toEqual([...LOGICAL_IDS].sort());
  });
});

const LOGICAL_IDS: readonly string[] = [
  // What is sent to customers, also without `outbound`.
  'DeliveryJobs946B573B',
  'DeliveryJobsDeadF24F0D89',
  'DeliveryJobsDeadPolicyFA87E3F2',
  'DeliveryJobsPolicyED379667',
  'DeliveryWakeFastC6A9168E',
  'DeliveryWakeFastPolicy6C6EF064',
  'DeliveryWakeSlow4582E589',
  'DeliveryWakeSlowPolicy141442A5',
  'DeliveryWakesDeadF053740E',
  'DeliveryWakesDeadPolicy3487B589',
  'OutboundMaster6B97C1E7',
  'OutboundOutboxD64AB85C',
  'OutboundRegistry41036C40',
  // Tables of handlers, which hold their rows.
  'HandlersPaymentsE0F31949',
  'HandlersPushes80FB11C2',
  'SecretsdefaultE0759A3B',
  'Secretsdefaultapi30D29515',
  'SecretsholdfastprobeD41A02EA',
  'SecretsstripeF135FC41',
  'SecretsstripeapiC7DD665B',
  'StoreBodies04322176',
  'StoreBodiesPolicy81C0CF27',
  'StoreEvents13073272',
  'StorePayloads59883B9B',
  'WorkDead2AD4D985',
  'WorkDeadPolicy7ED963F3',
  'WorkMainEAD03109',
  'WorkMainPolicyDD011BFC',
];
