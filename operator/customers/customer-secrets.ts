/** Secrets of endpoints as they travel: opened with one environment's master secret, sealed again with another's. */
import { aesSealer } from '#adapters/crypto/aes-sealer.ts';
import { parseSecret } from '#adapters/secrets/parse-secret.ts';
import { nameIn, secretName } from '#core/names.ts';
import type { Sealer } from '#core/outbound/ports.ts';
import type { AppId, ContactId, EndpointId } from '#core/outbound/protocol/ids.ts';
import type { StoredKey } from '#core/outbound/protocol/items.ts';
import { contactsKey, endpointKey, secretsKey } from '#core/outbound/protocol/keys.ts';
import type { Operator } from '#operator/operator.ts';
import { OperatorError } from '#operator/operator-error.ts';
import { asSecretReader } from '#operator/sealed-secrets.ts';
import type { ExportedCustomers } from './export-customers.ts';

/** A key that signs, with its bytes in base64. */
export type OpenKey = Omit<StoredKey, 'sealed'> & { readonly key: string };
export interface EndpointSecrets {
  /** Newest first, those that are over left out. */
  readonly keys: readonly OpenKey[];
  readonly headers: Readonly<Record<string, string>>;
}

/** Seals and opens with the master secret of the environment. Throws OperatorError where there is none. */
export async function masterSealer(operator: Operator): Promise<Sealer> {
  const name = secretName(operator.deployment.config, '_outbound');
  const parsed = parseSecret((await (await operator.gateway()).secrets.read(name)).text);
  if (parsed.kind === 'secret') return aesSealer(parsed.secret);
  throw new OperatorError(`There is no master secret ${name}: deploy the environment with outbound`, 'not_found');
}

/** Of every endpoint in the export, and of every contact with a URL, by its id. Throws OperatorError (credentials) for whoever may not. */
export function readEndpointSecrets(
  operator: Operator,
  { applications }: ExportedCustomers,
): Promise<Readonly<Record<string, EndpointSecrets>>> {
  const rights = `secretsmanager:GetSecretValue on ${secretName(operator.deployment.config, '_outbound')} and dynamodb:BatchGetItem on the table RegistryTable of the stack ${nameIn(operator.deployment.config, 'delivery')}`;
  return asSecretReader(operator, rights, async () => {
    const gateway = await operator.gateway();
    const [store, sealer] = [await gateway.outbound(), await masterSealer(operator)];
    const found: Record<string, EndpointSecrets> = {};
    for (const { id: app, endpoints, contacts = [] } of applications) {
      const ids = endpoints.map(({ id }) => id as EndpointId);
      const items = await store.getMany(ids.map(id => endpointKey(app as AppId, id)));
      const secrets = await store.getMany(ids.map(secretsKey));
      for (const [at, id] of ids.entries()) {
        // Deleted since it was listed.
        if (items[at] === undefined || secrets[at] === undefined) continue;
        const live = secrets[at].keys.filter(({ notAfter }) => (notAfter ?? Infinity) >= gateway.clock.now());
        const keys = live.map(({ sealed, ...key }) => ({ ...key, key: base64(sealer.open(sealed, id)) }));
        found[id] = { keys, headers: items[at].headers };
      }
      const [told] = contacts.length === 0 ? [] : await store.getMany([contactsKey(app as AppId)]);
      for (const { id, key } of told?.contacts ?? []) {
        if (key === undefined) continue;
        const { sealed, ...rest } = key;
        found[id] = { keys: [{ ...rest, key: base64(sealer.open(sealed, id)) }], headers: {} };
      }
    }
    return found;
  });
}

/** As they are stored in another environment, about the same endpoint. */
export const sealedAgain = (
  keys: readonly OpenKey[],
  ep: EndpointId | ContactId,
  sealer: Sealer,
): readonly StoredKey[] =>
  keys.map(({ key, ...rest }) => ({ ...rest, sealed: sealer.seal(Buffer.from(key, 'base64'), ep) }));

/** By name, form and bytes; what is stored and does not open is another. */
export function areSameKeys(
  wanted: readonly OpenKey[],
  stored: readonly StoredKey[],
  about: { readonly ep: EndpointId; readonly sealer: Sealer; equal(a: Uint8Array, b: Uint8Array): boolean },
): boolean {
  return (
    wanted.length === stored.length &&
    wanted.every(({ kid, alg, key }, at) => {
      const there = stored[at];
      if (there?.kid !== kid || there.alg !== alg) return false;
      try {
        return about.equal(about.sealer.open(there.sealed, about.ep), Buffer.from(key, 'base64'));
      } catch {
        return false;
      }
    })
  );
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
