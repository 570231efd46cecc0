/** What `holdfast out export` wrote, judged by the checks of the API before anything is asked or written. */
import { given } from '#core/given.ts';
import { applicationOfBody } from '#core/outbound/api/applications-api.ts';
import { CONTACT_FIELDS } from '#core/outbound/api/contacts-api.ts';
import { ENDPOINT, type EndpointBody, endpointFields, newEndpointOf } from '#core/outbound/api/endpoint-body.ts';
import { applicationFields } from '#core/outbound/api/fields.ts';
import type { AppId, ContactId, EndpointId } from '#core/outbound/protocol/ids.ts';
import type { EndpointItem } from '#core/outbound/protocol/items.ts';
import { MOST_CONTACTS } from '#core/outbound/registry/contacts.ts';
import { type ClosedGate, DEFAULT_ENDPOINT_LIMIT } from '#core/outbound/registry/endpoints.ts';
import type { ImportedApplication, ImportedContact } from '#core/outbound/registry/imported.ts';
import { headerProblems } from '#core/outbound/sign/header-clash.ts';
import { object, problemsOf } from '#core/problem.ts';
import { parseIso } from '#core/time.ts';
import type { Operator } from '#operator/operator.ts';
import { type OperatorError, usageError } from '#operator/operator-error.ts';

export type Fields = Readonly<Record<string, unknown>>;

export interface ReadEndpoint {
  readonly item: EndpointItem;
  readonly was: Partial<ClosedGate>;
  /** Names of headers, whose values the export masks. */
  readonly headers: readonly string[];
}
/** Without `confirmedAt`: it was asked, and has not answered. */
export type ReadContact = Omit<ImportedContact, 'key' | 'confirmedAt'> & Partial<Pick<ImportedContact, 'confirmedAt'>>;
export interface ReadApplication {
  readonly item: ImportedApplication;
  readonly limit: number;
  readonly isErasing: boolean;
  readonly endpoints: readonly ReadEndpoint[];
  readonly contacts: readonly ReadContact[];
}
export interface CustomersFile {
  readonly types: readonly (Fields & { readonly name: string })[];
  readonly applications: readonly ReadApplication[];
}

const LONGEST_DAYS = 3_650;
const ID = /^(?:app|ep|con)_[0-9a-hjkmnp-tv-z]{26}$/;

/** Throws OperatorError (usage) that names the first fault. */
export async function readCustomers(operator: Operator, file: Fields): Promise<CustomersFile> {
  const { config } = (await operator.gateway()).deployment;
  const { event_types: types, applications } = file;
  if (!Array.isArray(types) || !Array.isArray(applications)) throw wrong('the file', 'no event_types and applications');
  const { headerPrefix = '' } = config.outbound ?? {};
  return {
    types: types as CustomersFile['types'],
    applications: applications.map(each => readApplication(each as Fields, headerPrefix)),
  };
}

function readApplication(shown: Fields, prefix: string): ReadApplication {
  const id = String(shown?.['id']).slice(0, 40);
  if (!ID.test(id)) throw wrong('an application', 'no id (app_…)');
  const { uid, name, endpoints, created_at: createdAt, limits } = shown;
  // One that is longer than this environment keeps is no limit here.
  const checks = applicationFields(LONGEST_DAYS, prefix);
  const body = only(shown, Object.keys(checks));
  refuse(id, problemsOf(body, object(checks, ['name'])));
  const made = parseIso(String(createdAt));
  if (made === undefined || !Array.isArray(endpoints)) throw wrong(id, 'no created_at, or no endpoints');
  const most = Number((limits as Fields)?.['endpoints'] ?? DEFAULT_ENDPOINT_LIMIT);
  return {
    item: {
      ...applicationOfBody({ ...body, name: String(name), ...given({ uid: textOf(uid) }) }),
      id: id as AppId,
      createdAt: made,
    },
    limit: Math.max(most, endpoints.length),
    isErasing: shown['state'] === 'erasing',
    endpoints: endpoints.map(each => readEndpoint(each as Fields, id as AppId, prefix)),
    contacts: readContacts(shown['contacts'] ?? [], id),
  };
}

function readEndpoint(shown: Fields, app: AppId, prefix: string): ReadEndpoint {
  const id = String(shown?.['id']).slice(0, 40);
  if (!ID.test(id)) throw wrong(`an endpoint of ${app}`, 'no id (ep_…)');
  const headers = Object.keys((shown['headers'] ?? {}) as Fields);
  const names = Object.values(ENDPOINT).map(each => each.name);
  // One that is pulled has no URL; of the usual kind nothing is stored.
  const isPulled = shown['kind'] === 'pull';
  const left = isPulled ? ['url'] : shown['kind'] === 'push' ? ['kind'] : [];
  const body = {
    ...only(
      shown,
      names.filter(name => !left.includes(name)),
    ),
    headers: {},
  };
  refuse(`${app}/${id}`, problemsOf(body, object(endpointFields(prefix), isPulled ? [] : ['url'])));
  const [createdAt, changedAt] = [parseIso(String(shown['created_at'])), parseIso(String(shown['updated_at']))];
  const version = Number(shown['version']);
  if (createdAt === undefined || changedAt === undefined || !Number.isSafeInteger(version))
    throw wrong(`${app}/${id}`, 'no created_at, updated_at or version');
  const uid = textOf(shown['uid']);
  const fields = newEndpointOf({ ...(body as EndpointBody), ...given({ uid }) }, { timeoutMs: 0 }, []);
  refuse(`${app}/${id}`, headerProblems(fields));
  const item: EndpointItem = {
    ...fields,
    ...{ id: id as EndpointId, app, createdAt, version, subscribedAt: createdAt },
    ...(changedAt === createdAt ? {} : { changedAt }),
  };
  const was = { gate: shown['gate'], gateBy: shown['closed_by'] ?? undefined, gateWhy: shown['why'] ?? undefined };
  return { item, headers, was: given(was) as Partial<ClosedGate> };
}

function readContacts(shown: unknown, app: string): readonly ReadContact[] {
  if (!Array.isArray(shown) || shown.length > MOST_CONTACTS)
    throw wrong(app, `no list of up to ${MOST_CONTACTS} contacts`);
  return shown.map((each: Fields): ReadContact => {
    const id = String(each?.['id']).slice(0, 40);
    if (!(ID.test(id) && id.startsWith('con_'))) throw wrong(`a contact of ${app}`, 'no id (con_…)');
    const { email, url, created_at: created, confirmed_at: confirmed } = each;
    const address = given({ email: textOf(email), url: textOf(url) });
    refuse(`${app}/${id}`, problemsOf(address, object(CONTACT_FIELDS)));
    if (Object.keys(address).length !== 1) throw wrong(`${app}/${id}`, 'neither email nor url, or both');
    const [createdAt, confirmedAt] = [parseIso(String(created)), parseIso(String(confirmed))];
    if (createdAt === undefined) throw wrong(`${app}/${id}`, 'no created_at');
    return { id: id as ContactId, ...address, createdAt, ...given({ confirmedAt }) };
  });
}

export const only = (from: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.flatMap(name => (from[name] === undefined ? [] : [[name, from[name]]])));
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function refuse(what: string, problems: ReturnType<typeof problemsOf>): void {
  const [first] = problems;
  if (first !== undefined) throw wrong(what, `${first.path}: allowed: ${first.allowed}`);
}
const wrong = (what: string, why: string): OperatorError =>
  usageError(`${what} in the file: ${why}`, 'what holdfast out export wrote', 'export again; nothing was written');
