import { Effect, type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { ArnFormat, Stack } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import type { AlarmService } from '#core/alarm-service.ts';
import { alarmSecretName } from '#core/config/alarm-services.ts';
import type { DeployedSource } from '#core/config/deployment.ts';
import { apiSecretName, type Place, secretName } from '#core/names.ts';
import { storesSecret } from '#core/provider/source-needs.ts';
import { acknowledgeWildcard } from './acknowledge.ts';
import { allow } from './allow.ts';

/**
 * What a secret's own tags allow beyond its reading by `ingest`. By name, a policy would grow with each source and pass
 * its quota.
 */
export const SECRET_TAGS = {
  /** The provider hands it over: `ingest` writes it. */
  writable: 'holdfast:written-by-ingest',
  /** Credential of a provider's API: handlers may read it. */
  handlers: 'holdfast:read-by-handlers',
  /** Credential of a provider's API: the comparison with the provider reads it. */
  reconcile: 'holdfast:read-by-reconcile',
} as const;

type Grantee = IGrantable & IConstruct;

const READ = ['secretsmanager:GetSecretValue'];

/** Of a name; the six characters Secrets Manager appends are the wildcard. `*` is any source: no name of one has a slash. */
function arnOf(grantee: Grantee, name: string): string {
  return Stack.of(grantee).formatArn({
    service: 'secretsmanager',
    resource: 'secret',
    resourceName: `${name}-??????`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}

/** Allows reading the signing secrets of all sources of an environment, and nothing else of that name. By name, so that the code needs no export of the data stack. */
export function grantAllSourceSecrets(grantee: Grantee, place: Place, sources: readonly DeployedSource[]): void {
  if (!sources.some(each => each.needsSecret)) return;
  const all = arnOf(grantee, secretName(place, '*'));
  acknowledgeWildcard(
    grantee,
    all,
    "A policy that named each source would pass its quota of characters. What else has such a name are the credentials of the providers' APIs and the gateway's own secrets, which the next statement denies.",
  );
  allow(grantee, READ, [all]);
  // Tells only those that the statement above allows.
  allow(grantee, ['secretsmanager:BatchGetSecretValue'], ['*']);
  acknowledgeWildcard(
    grantee,
    '*',
    'This call takes no resource. It answers with those secrets alone that the function may read one by one.',
  );
  // No source's name begins with `_`: so are called the gateway's own, e.g. what endpoints' secrets are sealed under.
  const denied = [apiSecretName(place, '*'), secretName(place, '_*')].map(name => arnOf(grantee, name));
  const deny = new PolicyStatement({ effect: Effect.DENY, actions: READ, resources: denied });
  grantee.grantPrincipal.addToPrincipalPolicy(deny);
  for (const each of denied)
    acknowledgeWildcard(grantee, each, 'This statement denies: the wildcard takes rights away, and gives none.');
  // A provider hands its secret over in its handshake.
  if (sources.some(each => storesSecret(each.source.spec)))
    allow(grantee, ['secretsmanager:PutSecretValue'], [all], tagged('writable'));
}

/** Allows reading the signing secret of one source. */
export function grantSourceSecret(grantee: Grantee, place: Place, { source }: DeployedSource): void {
  grantSecret(grantee, secretName(place, source.id));
}

/** Allows reading the URLs and keys of the services that are told of alarms, each by its name. */
export function grantAlarmSecrets(grantee: Grantee, place: Place, services: readonly AlarmService[]): void {
  const resources = [...new Set(services.map(each => alarmSecretName(place, each)))].map(each => arnOf(grantee, each));
  if (resources.length > 0) allow(grantee, READ, resources);
}

/** Allows reading one secret, by its name. */
export function grantSecret(grantee: Grantee, name: string): void {
  allow(grantee, READ, [arnOf(grantee, name)]);
}

/** Allows reading those credentials of the providers' APIs whose tag says so. */
export function grantApiSecrets(grantee: Grantee, place: Place, tag: 'handlers' | 'reconcile'): void {
  const apis = arnOf(grantee, apiSecretName(place, '*'));
  allow(grantee, READ, [apis], tagged(tag));
  acknowledgeWildcard(
    grantee,
    apis,
    'A policy that named each source would pass its quota of characters. A tag that only the data stack sets says which of these credentials this function may read.',
  );
}

function tagged(tag: keyof typeof SECRET_TAGS) {
  return { StringEquals: { [`aws:ResourceTag/${SECRET_TAGS[tag]}`]: 'true' } };
}
