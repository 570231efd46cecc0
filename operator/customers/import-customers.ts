/**
 * Customers of `holdfast out export` in another environment, under their own ids. Nothing is sent and nobody is told: endpoints
 * arrive paused, or closed as they were. What is there is left alone, and named where it is other; so a run that was cut off
 * anywhere is run again. Each application, and each endpoint with its secrets and its gate, is one transaction.
 */
import { randomBytes } from 'node:crypto';
import { nodeSigningCrypto } from '#adapters/crypto/node-signing-crypto.ts';
import { given } from '#core/given.ts';
import { checkTarget, type TargetRules } from '#core/outbound/address/target-url.ts';
import { ENDPOINT } from '#core/outbound/api/endpoint-body.ts';
import { sealKey, secretOf } from '#core/outbound/api/endpoint-secret.ts';
import type { ItemStore, Sealer } from '#core/outbound/ports.ts';
import type { ApplicationItem, EndpointItem, StoredKey } from '#core/outbound/protocol/items.ts';
import {
  applicationKey,
  appNameKey,
  contactsKey,
  endpointKey,
  endpointNameKey,
  secretsKey,
} from '#core/outbound/protocol/keys.ts';
import type { ClosedGate } from '#core/outbound/registry/endpoints.ts';
import {
  gateOfImported,
  type ImportedApplication,
  type ImportedContact,
  importApplication,
  importContacts,
  importEndpoint,
  PAUSED_BY_IMPORT,
} from '#core/outbound/registry/imported.ts';
import { allOf, askDelivery } from '#operator/delivery-api.ts';
import type { Gateway } from '#operator/gateway.ts';
import type { Operator } from '#operator/operator.ts';
import { OperatorError } from '#operator/operator-error.ts';
import { areSameKeys, type EndpointSecrets, masterSealer, sealedAgain } from './customer-secrets.ts';
import { differing, listEventTypes } from './event-types.ts';
import {
  type CustomersFile,
  type Fields,
  only,
  type ReadApplication,
  type ReadContact,
  type ReadEndpoint,
} from './read-customers.ts';

/** Something that is not as it was, or not there. */
interface LeftBehind {
  readonly what: string;
  readonly why: string;
  readonly fix: string;
  /** A whole endpoint is missing, or is another. */
  readonly endpoint: boolean;
}
interface Counts {
  made: number;
  there: number;
}
export interface ImportedCustomers {
  readonly types: Readonly<Counts>;
  readonly applications: Readonly<Counts>;
  readonly endpoints: Readonly<Counts>;
  readonly contacts: Readonly<Counts>;
  /** Of those made: closed as they were. The others wait for a person who resumes them. */
  readonly closed: number;
  readonly left: readonly LeftBehind[];
}
export interface CustomersWay {
  readonly dryRun: boolean;
  /** By endpoint; `new`: each endpoint gets one that nobody has yet. */
  readonly secrets: Readonly<Record<string, EndpointSecrets>> | 'new';
  /** After each application. */
  progress?(done: number, total: number): void;
}

/** Throws OperatorError when a store or the API cannot be asked; what was made until then is found by the next run. */
export async function importCustomers(
  operator: Operator,
  { types, applications }: CustomersFile,
  way: CustomersWay,
): Promise<ImportedCustomers> {
  const gateway = await operator.gateway();
  const run = new Import(gateway, await gateway.outbound(), await masterSealer(operator), way);
  await run.types(types, await listEventTypes(operator));
  for (const [at, application] of applications.entries()) {
    await run.application(application);
    way.progress?.(at + 1, applications.length);
  }
  return run.result();
}

class Import {
  readonly #gateway: Gateway;
  readonly #store: ItemStore;
  readonly #sealer: Sealer;
  readonly #way: CustomersWay;
  readonly #target: TargetRules;
  readonly #left: LeftBehind[] = [];
  readonly #counts = {
    types: { made: 0, there: 0 },
    applications: { made: 0, there: 0 },
    endpoints: { made: 0, there: 0 },
    contacts: { made: 0, there: 0 },
  };
  #closed = 0;

  constructor(gateway: Gateway, store: ItemStore, sealer: Sealer, way: CustomersWay) {
    this.#gateway = gateway;
    this.#store = store;
    this.#sealer = sealer;
    this.#way = way;
    const { config, emulated } = gateway.deployment;
    const { ports = [], allowAddresses = [] } = config.outbound ?? {};
    this.#target = { ports, ownHosts: [], allowAddresses: emulated ? allowAddresses : [] };
  }

  result(): ImportedCustomers {
    return { ...this.#counts, closed: this.#closed, left: this.#left };
  }

  async types(wanted: CustomersFile['types'], there: readonly { readonly name: string }[]): Promise<void> {
    const known = new Map(there.map(type => [type.name, type]));
    for (const type of wanted) {
      const { name, ...body } = type;
      const here = known.get(name);
      if (here !== undefined) this.#counts.types.there += 1;
      else if (this.#way.dryRun || (await this.#putType(name, body))) this.#counts.types.made += 1;
      const other = here === undefined ? [] : differing(type, here);
      if (other.length > 0) this.#isOther(`event type ${name}`, other, false);
    }
  }

  async #putType(name: string, body: Fields): Promise<boolean> {
    try {
      await askDelivery(await this.#gateway.delivery(), { method: 'PUT', path: ['event-types', name], body });
      return true;
    } catch (error) {
      if (!(error instanceof OperatorError && error.kind === 'usage')) throw error;
      this.#leave(`event type ${name}`, error.message, 'correct it where it comes from, and export again', false);
      return false;
    }
  }

  async application({ item, limit, isErasing, endpoints, contacts }: ReadApplication): Promise<void> {
    const what = `application ${item.uid ?? item.id}`;
    if (isErasing) return this.#leave(what, 'it is being erased', 'nothing: it ends where it comes from', false);
    const there = await this.#store.get(applicationKey(item.id), 'consistent');
    if (there === undefined) {
      const named = item.uid === undefined ? undefined : await this.#store.get(appNameKey(item.uid), 'consistent');
      const made =
        named === undefined &&
        (this.#way.dryRun ||
          (await importApplication({ store: this.#store, ids: this.#gateway.ids }, item)).kind === 'applied');
      const why = named === undefined ? 'somebody else made it a moment ago' : `${named.id} here has its uid`;
      const fix = named === undefined ? 'import again' : 'import into an environment without that one';
      if (!made) return this.#leave(what, `${why}; its endpoints are left out, too`, fix, endpoints.length > 0);
      this.#counts.applications.made += 1;
    } else {
      this.#counts.applications.there += 1;
      if (there.state === 'erasing')
        return this.#leave(what, 'it is being erased here', 'wait for its end, and import again', endpoints.length > 0);
      const other = differing(bare(item), bare(there));
      if (other.length > 0) this.#isOther(what, other, false);
    }
    for (const endpoint of endpoints) await this.#endpoint(endpoint, limit);
    if (contacts.length > 0) await this.#contacts(what, item.id, contacts);
  }

  /** All at once, or none: where there are some, or were, somebody may have left. */
  async #contacts(what: string, app: ApplicationItem['id'], contacts: readonly ReadContact[]): Promise<void> {
    if ((await this.#store.get(contactsKey(app), 'consistent')) !== undefined) {
      this.#counts.contacts.there += contacts.length;
      return;
    }
    const brought = contacts.flatMap(contact => this.#contact(what, contact) ?? []);
    if (brought.length === 0) return;
    const made =
      this.#way.dryRun ||
      (await importContacts({ store: this.#store }, app, brought, this.#gateway.clock.now())).kind === 'applied';
    this.#counts.contacts[made ? 'made' : 'there'] += brought.length;
  }

  #contact(of: string, { confirmedAt, ...contact }: ReadContact): ImportedContact | undefined {
    const { id, email, url } = contact;
    const { contacts, email: mails } = this.#gateway.deployment.config.outbound ?? {};
    const { secrets } = this.#way;
    const own = secrets === 'new' ? undefined : secrets[id]?.keys;
    const [key] = sealedAgain(own ?? [], id, this.#sealer);
    const verdict = url === undefined ? undefined : checkTarget(url, this.#target);
    const left = (why: string, fix: string): undefined =>
      this.#leave(`${of}: contact ${id}`, why, fix, false) as undefined;
    if (!contacts || (email !== undefined && mails === undefined))
      return left(
        'this environment has none of its kind',
        'set outbound.contacts, or outbound.email, and deploy first',
      );
    if (confirmedAt === undefined) return left('it never confirmed', 'its owner adds it again');
    if (verdict?.kind === 'refused') return left(`url: ${verdict.message}`, 'its owner adds another');
    if (url !== undefined && key === undefined) return left('its secret is not in the file', 'its owner adds it again');
    return { ...contact, ...given({ key }), confirmedAt };
  }

  async #endpoint({ item, was, headers }: ReadEndpoint, limit: number): Promise<void> {
    const what = `endpoint ${item.app}/${item.uid ?? item.id}`;
    const { secrets } = this.#way;
    const own = secrets === 'new' ? undefined : secrets[item.id];
    if (secrets !== 'new' && own === undefined)
      return this.#leave(what, 'the file of secrets has none of it', 'export both again', true);
    const wanted: EndpointItem = own === undefined ? item : { ...item, headers: own.headers };
    const [there, stored] = await this.#store.getMany([endpointKey(item.app, item.id), secretsKey(item.id)]);
    if (there === undefined) await this.#make(what, wanted, own, { was, limit });
    else {
      this.#counts.endpoints.there += 1;
      if (there.deletedAt !== undefined)
        return this.#leave(what, 'it was deleted here', 'nothing, or create another', true);
      const other =
        own === undefined
          ? differing(settings(wanted, []), settings(there, headers))
          : differing(settings(wanted), settings(there));
      const about = { ep: item.id, sealer: this.#sealer, equal: nodeSigningCrypto.equal };
      if (own !== undefined && !areSameKeys(own.keys, stored?.keys ?? [], about)) other.push('its secrets');
      if (other.length > 0) return this.#isOther(what, other, true);
    }
    for (const name of own === undefined ? headers : [])
      if (there?.headers[name] === undefined)
        this.#leave(
          `${what}: header ${name}`,
          'its value is not in the file',
          'set it with PATCH before you resume',
          false,
        );
  }

  async #make(
    what: string,
    wanted: EndpointItem,
    own: EndpointSecrets | undefined,
    { was, limit }: { readonly was: Partial<ClosedGate>; readonly limit: number },
  ): Promise<void> {
    const isPulled = wanted.kind === 'pull';
    const verdict = isPulled ? undefined : checkTarget(wanted.url, this.#target);
    if (verdict?.kind === 'refused')
      return this.#leave(what, `url: ${verdict.message}`, 'ask the customer for another URL', true);
    const named =
      wanted.uid === undefined
        ? undefined
        : await this.#store.get(endpointNameKey(wanted.app, wanted.uid), 'consistent');
    if (named !== undefined) return this.#leave(what, `${named.id} here has its uid`, 'compare the two', true);
    const { clock, ids } = this.#gateway;
    const now = clock.now();
    const gate = gateOfImported(was, now);
    if (!this.#way.dryRun) {
      const keys =
        own === undefined ? (isPulled ? [] : [this.#newKey(wanted)]) : sealedAgain(own.keys, wanted.id, this.#sealer);
      if (keys.length === 0 && !isPulled)
        return this.#leave(what, 'all its secrets are over', 'rotate where it comes from, and export again', true);
      const result = await importEndpoint({ store: this.#store, ids }, { ...wanted, subscribedAt: now }, keys, {
        gate,
        limit,
      });
      if (result.kind !== 'applied')
        return this.#leave(what, 'somebody else changed its application a moment ago', 'import again', true);
    }
    this.#counts.endpoints.made += 1;
    if (gate.gateWhy !== PAUSED_BY_IMPORT) this.#closed += 1;
  }

  #newKey(endpoint: EndpointItem): StoredKey {
    const ports = { crypto: nodeSigningCrypto, sealer: this.#sealer, clock: this.#gateway.clock };
    const secret = secretOf({}, { ...ports, randomBytes: count => new Uint8Array(randomBytes(count)) }, endpoint);
    return sealKey(ports, endpoint.id, secret, 'first');
  }

  #isOther(what: string, fields: readonly string[], endpoint: boolean): void {
    this.#leave(
      what,
      `it is here, and is other in ${fields.join(', ')}`,
      'compare the two; it was left as it is',
      endpoint,
    );
  }

  #leave(what: string, why: string, fix: string, endpoint: boolean): void {
    this.#left.push({ what, why, fix, endpoint });
  }
}

/** Opens what imports paused, and nothing else. Run twice it opens nothing more. */
export async function resumeImported(
  operator: Operator,
  { applications }: CustomersFile,
  { dryRun, progress }: { readonly dryRun: boolean; readonly progress?: (done: number, total: number) => void },
): Promise<{ readonly resumed: number; readonly others: number }> {
  const api = await (await operator.gateway()).delivery();
  let [resumed, others, done] = [0, 0, 0];
  for (const { item, endpoints, isErasing } of applications) {
    const wanted = new Set<string>(endpoints.map(each => each.item.id));
    for (const { id, gate, why } of isErasing ? [] : await allOf(api, ['apps', item.id, 'endpoints'])) {
      if (!wanted.has(id)) continue;
      if (gate !== 'paused' || why !== PAUSED_BY_IMPORT) {
        others += 1;
        continue;
      }
      const body = { why: `${operator.by}: the environment that it comes from has stopped` };
      if (!dryRun) await askDelivery(api, { method: 'POST', path: ['apps', item.id, 'endpoints', id, 'resume'], body });
      resumed += 1;
    }
    done += 1;
    progress?.(done, applications.length);
  }
  return { resumed, others };
}

type Moved = Exclude<keyof ImportedApplication, 'tokensRevoked' | 'tokensRevokedAt'>;
const MOVED = {
  ...{ id: true, uid: true, name: true, metadata: true, limits: true, format: true, schedule: true, createdAt: true },
  ...{ defaultApiVersion: true, signature: true, signatureHeader: true, keyId: true },
} as const satisfies Record<Moved, true>;
/** Without what the environment itself counts and lists by, and without revoked tokens, which are its own. */
const bare = (item: ImportedApplication | ApplicationItem): Fields =>
  only(item as unknown as Fields, Object.keys(MOVED));

/** What a customer or a producer decided. `without`: headers that are not compared. */
function settings(item: EndpointItem, without: readonly string[] = []): Fields {
  const headers = Object.fromEntries(Object.entries(item.headers).filter(([name]) => !without.includes(name)));
  const names = [...Object.keys(ENDPOINT), 'uid', 'createdAt'].filter(name => name !== 'kind' || item.kind === 'pull');
  return { ...only(item as unknown as Fields, names), headers };
}
