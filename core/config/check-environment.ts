/** The rules that tie several values of one environment together, defaults included. */

import type { Report } from '#core/problem.ts';
import { signsUrl } from '#core/provider/source-needs.ts';
import { checkSpec } from '#core/verification/check-spec.ts';
import { checkEdge } from './check-edge.ts';
import { checkOutbound } from './check-outbound.ts';
import type { Deployment } from './deployment.ts';
import type { ResolvedSource } from './resolved-config.ts';

/** Reports every pair of values that cannot work together. */
export function checkEnvironment(deployment: Deployment, report: Report): void {
  const { config, queue } = deployment;
  const { timings } = config;
  const at = `environments.${config.environment}`;
  const rule = (holds: boolean, path: string, given: string, allowed: string, fix: string): void => {
    if (!holds) report({ path: `${at}.${path}`, given, allowed, fix });
  };

  const timeoutSeconds = timings.processTimeoutMs / 1000;
  rule(
    Number.isInteger(timeoutSeconds),
    'timings.processTimeoutMs',
    `${timings.processTimeoutMs}`,
    'whole seconds, as Lambda wants them',
    `set it to ${Math.ceil(timeoutSeconds) * 1000}`,
  );
  rule(
    queue.visibilitySeconds >= 6 * timeoutSeconds,
    'queue.visibilitySeconds',
    `${queue.visibilitySeconds} with a process timeout of ${timeoutSeconds} s`,
    `at least six times the timeout (${6 * timeoutSeconds}), or a message comes back while it is being processed`,
    `set it to ${Math.ceil(6 * timeoutSeconds)}`,
  );
  rule(
    queue.deadRetentionDays > queue.retentionDays,
    'queue.deadRetentionDays',
    `${queue.deadRetentionDays} with a main queue of ${queue.retentionDays} days`,
    'more than queue.retentionDays: SQS counts from the first enqueue, even after the move',
    `set it to ${Math.min(14, queue.retentionDays + 10)}`,
  );
  rule(
    timings.messageMaxAgeMs < queue.retentionDays * 24 * 3600_000,
    'queue.retentionDays',
    `${queue.retentionDays}`,
    `more than ${timings.messageMaxAgeMs / (24 * 3600_000)}, or the queue deletes a message before it is copied away`,
    `set it to ${Math.floor(timings.messageMaxAgeMs / (24 * 3600_000)) + 1} or more`,
  );
  rule(
    timings.deadlineReserveMs < timings.processTimeoutMs / 2,
    'timings.processTimeoutMs',
    `${timings.processTimeoutMs}`,
    `more than twice the ${timings.deadlineReserveMs} ms that are kept to record outcomes`,
    `set it to ${timings.deadlineReserveMs * 2 + 1_000} or more`,
  );
  rule(
    config.deadRetentionDays >= config.retentionDays,
    'deadRetentionDays',
    `${config.deadRetentionDays} with retentionDays ${config.retentionDays}`,
    'at least retentionDays',
    `set it to ${config.retentionDays}`,
  );
  const { process: reserved } = deployment.reservedConcurrency;
  rule(
    reserved === undefined || reserved >= queue.maxConcurrency,
    'reservedConcurrency.process',
    `${reserved} with queue.maxConcurrency ${queue.maxConcurrency}`,
    'at least queue.maxConcurrency: the mapping would start more and be throttled',
    `set it to ${queue.maxConcurrency} or more, or lower queue.maxConcurrency`,
  );
  rule(
    config.replaysPerSecond <= config.sweepSendsPerSecond,
    'replaysPerSecond',
    `${config.replaysPerSecond} with sweepSendsPerSecond ${config.sweepSendsPerSecond}`,
    'at most sweepSendsPerSecond: the sweeper carries out both',
    `set it to ${config.sweepSendsPerSecond} or less, or raise sweepSendsPerSecond`,
  );
  const keyRegion = deployment.encryptionKey?.split(':')[3];
  rule(
    keyRegion === undefined || keyRegion === deployment.region,
    'encryptionKey',
    `a key in ${keyRegion} with region ${deployment.region}`,
    'a key of the same region',
    'take a key of that region',
  );
  const { domain } = deployment;
  const certificateRegion = domain?.certificate.split(':')[3];
  rule(
    certificateRegion === undefined || certificateRegion === deployment.region,
    'domain.certificate',
    `a certificate in ${certificateRegion} with region ${deployment.region}`,
    'a certificate of the same region',
    'request one there',
  );
  rule(
    domain?.defaultEndpoint !== 'closed' || deployment.edge === undefined,
    'domain.defaultEndpoint',
    "'closed' with edge",
    "'open': CloudFront reaches the API by its own host",
    'leave it out',
  );
  rule(
    domain === undefined || !deployment.emulated,
    'domain',
    'a domain with an emulated environment',
    'none: the local AWS has no domains',
    'leave it out',
  );
  checkOutbound(deployment, report);
  checkEdge(deployment, report);
  for (const source of config.sources) checkSource(source, deployment, report);
}

function checkSource(source: ResolvedSource, deployment: Deployment, report: Report): void {
  const path = `sources.${source.id}`;
  const { retry, spec, settings } = source;
  for (const problem of checkSpec(spec)) {
    report({
      path: `${path}.provider`,
      given: problem,
      allowed: 'a spec that can hold (docs/receive/add-a-provider.md)',
      fix: `correct ${spec.id}`,
    });
  }
  if (retry.baseSeconds > retry.capSeconds) {
    report({
      path: `${path}.retry.baseSeconds`,
      given: `${retry.baseSeconds} with a cap of ${retry.capSeconds}`,
      allowed: 'at most capSeconds',
      fix: 'raise capSeconds or lower baseSeconds',
    });
  }
  for (const [name, meaning] of Object.entries(spec.settings ?? {})) {
    if (settings[name] === undefined) {
      report({
        path: `${path}.settings.${name}`,
        given: `nothing, in environment ${deployment.config.environment}`,
        allowed: meaning,
        fix: `add settings: { ${name}: '…' } to the source, or to the environment's sources.${source.id}`,
      });
    }
  }
  for (const name of Object.keys(settings)) {
    if (spec.settings?.[name] === undefined) {
      const known = Object.keys(spec.settings ?? {});
      report({
        path: `${path}.settings.${name}`,
        given: 'a setting this provider does not read',
        allowed: known.length > 0 ? known.join(', ') : 'none',
        fix: 'remove it',
      });
    }
  }
  if (signsUrl(spec) && source.publicUrl === undefined && !deployment.emulated) {
    report({
      path: `environments.${deployment.config.environment}.publicUrl`,
      given: `nothing, but ${spec.title} (source ${source.id}) signs the URL it calls`,
      allowed: 'the origin you gave the provider, e.g. "https://hooks.example.com"',
      fix: 'set it to your domain; without one, deploy first without this source and copy the origin from the ApiUrl output',
    });
  }
  if (spec.strength === 'none' && !source.allowList) {
    report({
      path: `${path}.allowList`,
      given: `nothing, but ${spec.title} has no authentication at all`,
      allowed: 'the address ranges the provider sends from',
      fix: "add allowList: ['…'], or ['0.0.0.0/0'] if the handler asks the provider's API before it believes an event",
    });
  }
}
