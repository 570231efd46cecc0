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
  const at = `environments.${config.environment}`;
  const rule = (holds: boolean, path: string, given: string, allowed: string, fix: string): void => {
    if (!holds) report({ path: `${at}.${path}`, given, allowed, fix });
  };

  rule(
    config.deadRetentionDays >= config.retentionDays,
    'deadRetentionDays',
    `${config.deadRetentionDays} with retentionDays ${config.retentionDays}`,
    'at least retentionDays',
    `set it to ${config.retentionDays}`,
  );
  const { process: reserved, ingest: most } = deployment.reservedConcurrency;
  const warm = deployment.ingestProvisionedConcurrency;
  rule(
    most === undefined || warm <= most,
    'ingestProvisionedConcurrency',
    `${warm} with reservedConcurrency.ingest ${most}`,
    'at most reservedConcurrency.ingest: AWS refuses to keep more copies warm than may run',
    `set it to ${most} or less, or raise reservedConcurrency.ingest`,
  );
  rule(
    reserved === undefined || reserved >= queue.maxConcurrency,
    'reservedConcurrency.process',
    `${reserved} with queue.maxConcurrency ${queue.maxConcurrency}`,
    'at least queue.maxConcurrency: the mapping would start more and be throttled',
    `set it to ${queue.maxConcurrency} or more, or lower queue.maxConcurrency`,
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
    deployment.ipv6 !== true || deployment.edge === undefined,
    'ipv6',
    'true with edge',
    'false: the limit counts addresses, and a sender has as many of IPv6 as it likes',
    'leave one of them out',
  );
  rule(
    domain === undefined || !deployment.emulated,
    'domain',
    'a domain with an emulated environment',
    'none: the local AWS has no domains',
    'leave it out',
  );
  rule(
    deployment.canary === undefined || !deployment.emulated,
    'canary',
    'a canary with an emulated environment',
    'none: the local AWS has no CodeDeploy',
    'leave it out',
  );
  checkOutbound(deployment, report);
  checkEdge(deployment, report);
  for (const source of config.sources) checkSource(source, deployment, report);
}

function checkSource(source: ResolvedSource, deployment: Deployment, report: Report): void {
  const path = `sources.${source.id}`;
  const { spec, settings } = source;
  for (const problem of checkSpec(spec)) {
    report({
      path: `${path}.provider`,
      given: problem,
      allowed: 'a spec that can hold (docs/receive/add-a-provider.md)',
      fix: `correct ${spec.id}`,
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
  if (deployment.ipv6 === true && source.allowList && !source.allowList.some(range => range.includes(':'))) {
    report({
      path: `${path}.allowList`,
      given: 'no range of IPv6, with ipv6: true in the environment',
      allowed: 'ranges of both kinds: a sender chooses, and its requests by IPv6 would get 403',
      fix: 'add the ranges of IPv6 that the provider sends from, or leave ipv6 out',
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
