/** Every secret that an environment has, by name: whether it has a value, never which. Those of handlers are their own. */
import { alarmSecretName, alarmServices } from '#core/config/alarm-services.ts';
import { edgeSecretName } from '#core/config/deployment.ts';
import { otlpSecretName } from '#core/config/otlp-config.ts';
import type { EpochMs, SourceId } from '#core/glossary.ts';
import { apiSecretName, secretName } from '#core/names.ts';
import type { StoredSecret } from '#operator/gateway.ts';
import type { Operator } from '#operator/operator.ts';
import { type PreviousUse, previousUse } from './previous-use.ts';
import { commandToSet, parsedOf, stateOf } from './stored-state.ts';

export interface SecretView {
  /** In Secrets Manager. */
  readonly name: string;
  /** What it is for, for a person. */
  readonly for: string;
  readonly state: ReturnType<typeof stateOf>;
  /** Since when it has this value. */
  readonly setAt: EpochMs | undefined;
  /** The one before is valid, too: until then, or for as long as it stands there. */
  readonly previous: { readonly until: EpochMs | undefined; readonly use: PreviousUse | undefined } | undefined;
  /** What gives it a value. Undefined: nobody has to, or it has one. */
  readonly toSet: string | undefined;
}

interface Known {
  readonly name: string;
  readonly for: string;
  /** Of a source, whose requests it verifies. */
  readonly source?: SourceId;
  readonly toSet?: string;
}

export async function listSecrets(operator: Operator): Promise<readonly SecretView[]> {
  const { secrets } = await operator.gateway();
  return await Promise.all(
    secretsOf(operator).map(async known => {
      const stored = await secrets.read(known.name);
      const now = operator.clock.now();
      const { state, previousUntil, hasPrevious } = readStored(stored, now);
      const use =
        hasPrevious && known.source !== undefined
          ? await previousUse(operator, known.source, stored.changedAt)
          : undefined;
      return {
        ...{ name: known.name, for: known.for, state, setAt: stored.changedAt },
        previous: hasPrevious ? { until: previousUntil, use } : undefined,
        toSet: state === 'set' ? undefined : known.toSet,
      };
    }),
  );
}

function readStored(stored: StoredSecret, now: EpochMs) {
  const parsed = parsedOf(stored);
  const { previous, previousNotAfter } = parsed?.kind === 'secret' ? parsed.secret : {};
  const hasPrevious = previous !== undefined && (previousNotAfter === undefined || previousNotAfter > now);
  return { state: stateOf(stored, now), previousUntil: previousNotAfter, hasPrevious };
}

/** As the stacks make them. */
function secretsOf({ deployment }: Operator): readonly Known[] {
  const { config, sources, probe } = deployment;
  const services = alarmServices(deployment).map(each => [alarmSecretName(config, each), each] as const);
  return [
    ...sources.flatMap(({ source, needsSecret }) =>
      needsSecret
        ? [
            {
              ...{ name: secretName(config, source.id), for: `requests to ${source.id}`, source: source.id },
              toSet: commandToSet(source),
            },
          ]
        : [],
    ),
    ...(probe === undefined ? [] : [{ name: secretName(config, probe.source.id), for: 'the probe' }]),
    ...sources.flatMap(({ source, apiCredential }) =>
      apiCredential || source.reconcile
        ? [{ name: apiSecretName(config, source.id), for: `the API of ${source.spec.title}, for ${source.id}` }]
        : [],
    ),
    ...[...new Map(services)].map(([name, each]) => ({ name, for: `alarms to ${each.kind} (${each.name})` })),
    ...(config.otlp === undefined ? [] : [{ name: otlpSecretName(config), for: 'headers for OpenTelemetry, or none' }]),
    ...(deployment.edge === undefined ? [] : [{ name: edgeSecretName(config), for: 'CloudFront, at the front door' }]),
    { name: secretName(config, '_outbound'), for: "sealing the secrets of customers' endpoints" },
  ];
}
