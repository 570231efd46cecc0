/** Turns what a person wrote into what runs: checks everything at once, then fills in the defaults. */
import { given } from '#core/given.ts';
import { EDGE_SECRET, PROBE_SOURCE, toSourceId } from '#core/glossary.ts';
import { type Shards, shardsFor } from '#core/inbound/protocol/spread.ts';
import { DEFAULT_TIMINGS } from '#core/inbound/protocol/timings.ts';
import type { Place } from '#core/names.ts';
import { type ConfigProblem, meant, type Report } from '#core/problem.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { needsSecret } from '#core/provider/source-needs.ts';
import { DEFAULT_RETRY } from '#core/retry/backoff.ts';
import { checkEnvironment } from './check-environment.ts';
import {
  BODY_BYTES_LIMIT,
  DEFAULT_DEAD_RETENTION_DAYS,
  DEFAULT_INLINE_LIMIT_BYTES,
  DEFAULT_MAX_BODY_BYTES,
  DEFAULT_QUEUE,
  DEFAULT_REPLAYS_PER_SECOND,
  DEFAULT_RETENTION_DAYS,
  LOCAL_RETRY,
  LOCAL_TIMINGS,
} from './defaults.ts';
import type { DeployedSource, Deployment } from './deployment.ts';
import {
  type EnvironmentConfig,
  type GatewayConfig,
  PASSED,
  type Passed,
  type SourceConfig,
} from './gateway-config.ts';
import { resolveOutbound } from './outbound-config.ts';
import { checkReconcile, resolveReconcile } from './reconcile-config.ts';
import type { ResolvedConfig, ResolvedSource } from './resolved-config.ts';
import { addRoutes, unknownSource } from './route-config.ts';
import { MOST_SENDS_PER_SECOND } from './sweeper-speed.ts';
import { throttleOf } from './throttle.ts';
import { validateConfig } from './validate-config.ts';

const PROBE_SETTINGS: SourceConfig = { provider: 'generic' };

/** They run on a local AWS alone: what starts one makes them, and a deploy takes them nowhere else. */
const LOCAL_ENVIRONMENTS: readonly string[] = ['local', 'drill'];

type Providers = Readonly<Record<string, ProviderSpec>>;

/** What a configuration leaves to whoever deploys it. */
export interface Surroundings {
  readonly account?: string | undefined;
  readonly region?: string | undefined;
  /** The environment asked for goes to a local AWS, too: short waits, low thresholds, nothing that cannot be deployed there. */
  readonly emulated?: boolean | undefined;
}

/** Everything wrong with gateway.config.ts, in one message. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map(
      (problem, index) =>
        `  ${index + 1}. ${problem.path || 'the configuration'}: given ${problem.given}; allowed: ${problem.allowed}; fix: ${problem.fix}`,
    );
    super(`gateway.config.ts has ${problems.length} problem${problems.length === 1 ? '' : 's'}:\n${lines.join('\n')}`);
    this.problems = problems;
  }
}

/** What the running code of one environment sees. Throws ConfigError with every problem of the configuration. */
export function resolveConfig(config: GatewayConfig, environmentName: string, providers: Providers): ResolvedConfig {
  return resolveDeployment(config, environmentName, providers).config;
}

/**
 * One environment, resolved: the running code's part (`config`) and the infrastructure's. `around` fills in account
 * and region where the configuration leaves them out. Throws ConfigError with every problem of the configuration.
 */
export function resolveDeployment(
  config: GatewayConfig,
  environmentName: string,
  providers: Providers,
  around: Surroundings = {},
): Deployment {
  const problems: ConfigProblem[] = [];
  // A problem of a source shows in every environment: once is enough.
  const report: Report = problem => {
    if (!problems.some(known => known.path === problem.path && known.given === problem.given)) problems.push(problem);
  };
  validateConfig(config, providers, report);
  // Values of the wrong shape cannot be compared with each other.
  if (problems.length > 0) throw new ConfigError(problems);

  const deployments = new Map<string, Deployment>();
  for (const [name, environment] of Object.entries(config.environments)) {
    const sources = mergeSources(config, name, environment, report);
    checkSources(sources, providers, report);
    const deployment = addRoutes(
      buildDeployment({ environment: name, ...given({ prefix: config.prefix }) }, environment, sources, providers, {
        ...around,
        emulated: LOCAL_ENVIRONMENTS.includes(name) || (around.emulated && name === environmentName),
      }),
      environment,
      report,
    );
    checkEnvironment(deployment, report);
    deployments.set(name, deployment);
  }
  checkNames(Object.keys(config.sources), report);
  if (Object.keys(config.sources).length === 0) {
    report({
      path: 'sources',
      given: 'none',
      allowed: 'at least one source',
      fix: "add one, e.g. stripe: { provider: 'stripe' }",
    });
  }
  const deployment = deployments.get(environmentName);
  if (!deployment) {
    const known = [...deployments.keys()];
    report({
      path: 'environments',
      given: `no environment "${environmentName.slice(0, 40)}"`,
      allowed: known.join(', '),
      fix: meant(environmentName, known, 'choose one of them, or add it'),
    });
  }
  if (problems.length > 0 || !deployment) throw new ConfigError(problems);
  return deployment;
}

/** CloudFormation ids have no hyphens: names that differ only in them would be one. */
function checkNames(names: readonly string[], report: Report): void {
  const ours = [PROBE_SOURCE, EDGE_SECRET];
  const seen = new Map<string, string>(ours.map(name => [name.replaceAll('-', ''), name]));
  for (const name of names) {
    const plain = name.replaceAll('-', '');
    const other = seen.get(plain);
    if (other !== undefined) {
      report({
        path: `sources.${name}`,
        given: `a name that differs from ${other} only in hyphens, or not at all`,
        allowed: `names that differ in letters or digits; ${ours.join(' and ')} are the gateway's own`,
        fix: 'rename it',
      });
    }
    seen.set(plain, name);
  }
}

/** Sources with the environment's changes applied key by key. */
function mergeSources(
  config: GatewayConfig,
  environmentName: string,
  environment: EnvironmentConfig,
  report: Report,
): Readonly<Record<string, SourceConfig>> {
  const merged: Record<string, SourceConfig> = { ...config.sources };
  for (const [name, changes] of Object.entries(environment.sources ?? {})) {
    const source = Object.hasOwn(config.sources, name) ? config.sources[name] : undefined;
    if (!source) {
      report(unknownSource(`environments.${environmentName}.sources`, name, Object.keys(config.sources)));
    } else {
      merged[name] = { ...source, ...changes };
    }
  }
  return merged;
}

function checkSources(sources: Readonly<Record<string, SourceConfig>>, providers: Providers, report: Report): void {
  for (const [name, { reconcile, provider, dedupOnBody }] of Object.entries(sources)) {
    const checked = { path: `sources.${name}`, spec: specOf(provider, providers), dedupOnBody };
    if (reconcile) checkReconcile(reconcile, checked, report);
  }
}

function specOf(provider: SourceConfig['provider'], providers: Providers): ProviderSpec {
  return typeof provider === 'string' ? (providers[provider] as ProviderSpec) : provider;
}

/** A source whose route lets more through than one key of an index takes. */
function shardsOf(deployed: readonly DeployedSource[]): { readonly shards?: Shards } {
  const spread = deployed.flatMap(({ source, throttle }) => {
    const shards = shardsFor(throttle?.rate ?? 0);
    return shards === 1 ? [] : [[source.id, shards] as const];
  });
  return spread.length === 0 ? {} : { shards: Object.fromEntries(spread) };
}

function buildDeployment(
  place: Place,
  environment: EnvironmentConfig,
  sources: Readonly<Record<string, SourceConfig>>,
  providers: Providers,
  around: Surroundings,
): Deployment {
  const name = place.environment;
  const local = around.emulated === true;
  const disposable = environment.disposable ?? (local || name === 'dev');
  const account = environment.account ?? around.account;
  // A table with a key of yours must know its region at synth: the key's, in which both have to be.
  const region = environment.region ?? environment.encryptionKey?.split(':')[3] ?? around.region;
  const timings = { ...(local ? LOCAL_TIMINGS : DEFAULT_TIMINGS), ...timeoutOf(environment) };
  const queue = {
    ...DEFAULT_QUEUE,
    ...environment.queue,
    visibilitySeconds: (VISIBILITY_TIMEOUTS * timings.processTimeoutMs) / 1_000,
  };
  const publicUrl = environment.publicUrl ?? (environment.domain && `https://${environment.domain.name}`);
  const retry = { ...(local ? LOCAL_RETRY : DEFAULT_RETRY), ...environment.retry };
  const silence = disposable ? 'off' : 'learned';
  const deployed = Object.entries(sources).map(([id, source]) =>
    deploySource(id, { silence, ...source }, providers, retry, publicUrl),
  );
  const retentionDays = environment.retentionDays ?? DEFAULT_RETENTION_DAYS;
  const probe =
    (environment.probe ?? !disposable)
      ? deploySource(PROBE_SOURCE, PROBE_SETTINGS, providers, retry, publicUrl)
      : undefined;
  return {
    config: {
      ...place,
      region: region ?? '',
      sources: deployed.map(each => each.source),
      ...shardsOf(deployed),
      ...(probe === undefined ? {} : { probe: probe.source }),
      timings,
      retentionDays,
      deadRetentionDays:
        environment.deadRetentionDays ?? Math.max(DEFAULT_DEAD_RETENTION_DAYS, environment.retentionDays ?? 0),
      inlineLimitBytes: DEFAULT_INLINE_LIMIT_BYTES,
      sweepSendsPerSecond: MOST_SENDS_PER_SECOND,
      replaysPerSecond: DEFAULT_REPLAYS_PER_SECOND,
      deadQueueRetentionSeconds: queue.deadRetentionDays * 86_400,
      logLevel: environment.logLevel ?? 'info',
      ...(environment.logArrivals && { logArrivals: true as const }),
      ...given({ otlp: environment.otlp }),
      ...(environment.edge && { edge: { direct: environment.edge.direct ?? 'accepted' } }),
      ...(environment.outbound && {
        outbound: resolveOutbound(environment.outbound, { emulated: local, retentionDays }),
      }),
    },
    ...given({ account, region, probe }),
    sources: deployed,
    disposable,
    emulated: local,
    queue,
    tellsNobody: environment.alarmTargets === 'nobody',
    alarmTargets: {
      ...{ page: [], ticket: [], notice: [] },
      ...(environment.alarmTargets === 'nobody' ? {} : environment.alarmTargets),
    },
    alarms: environment.alarms ?? 'all',
    thresholds: environment.thresholds ?? {},
    logRetentionDays: environment.logRetentionDays ?? (disposable ? 3 : 30),
    ingestProvisionedConcurrency: environment.ingestProvisionedConcurrency ?? 0,
    reservedConcurrency: environment.reservedConcurrency ?? {},
    ...given({
      publicUrl,
      domain: environment.domain,
      edge: environment.edge,
      encryptionKey: environment.encryptionKey,
      warmWriteUnits: environment.warmWriteUnits,
      ipv6: environment.ipv6,
      canary: environment.canary,
      permissionsBoundary: environment.permissionsBoundary,
    }),
    tags: environment.tags ?? {},
  };
}

/** How long a message stays hidden from others, in timeouts of the function that has it. */
const VISIBILITY_TIMEOUTS = 6;
const timeoutOf = ({ handlerTimeoutSeconds: seconds }: EnvironmentConfig) =>
  seconds === undefined ? {} : { processTimeoutMs: seconds * 1_000 };

function passedOf(source: SourceConfig) {
  const keys = Object.keys(PASSED) as (keyof typeof PASSED)[];
  return given(Object.fromEntries(keys.map(key => [key, source[key] ?? PASSED[key]])) as unknown as Passed);
}

function deploySource(
  name: string,
  source: SourceConfig,
  providers: Providers,
  retry: ResolvedSource['retry'],
  publicUrl: string | undefined,
): DeployedSource {
  const spec = specOf(source.provider, providers);
  const path = `/webhooks/${name}`;
  const reconcile = source.reconcile && resolveReconcile(source.reconcile, spec.id);
  return {
    source: {
      id: toSourceId(name),
      spec,
      // The first URL this product ever had: it stays valid.
      paths: name === 'default' ? [path, '/webhook'] : [path],
      ...(publicUrl === undefined ? {} : { publicUrl: `${publicUrl}${path}` }),
      settings: source.settings ?? {},
      ...passedOf(source),
      maxBodyBytes: Math.min(spec.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES, BODY_BYTES_LIMIT),
      retry: { ...retry, ...source.retry },
      ...(source.silence === 'learned' ? { reportSilence: true } : {}),
      ...given({ reconcile }),
    },
    ...given({ throttle: source.throttle === undefined ? undefined : throttleOf(source.throttle) }),
    needsSecret: needsSecret(spec),
    apiCredential: source.apiCredential ?? false,
    silence: source.silence ?? 'off',
  };
}
