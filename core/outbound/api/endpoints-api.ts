/** Endpoints of an application: made, shown, changed and deleted. */

import { given } from '#core/given.ts';
import { checkTarget } from '#core/outbound/address/target-url.ts';
import { STATES, stateOf } from '#core/outbound/protocol/endpoint-state.ts';
import type { AppId } from '#core/outbound/protocol/ids.ts';
import type { EndpointItem } from '#core/outbound/protocol/items.ts';
import { runtimeKey, secretsKey } from '#core/outbound/protocol/keys.ts';
import type { SecretBytes } from '#core/outbound/protocol/secret-text.ts';
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  type EndpointRefusal,
  findEndpoint,
  isMadeOf,
  listEndpoints,
  type NewEndpoint,
  newEndpointId,
} from '#core/outbound/registry/endpoints.ts';
import { headerProblems } from '#core/outbound/sign/header-clash.ts';
import { FORM, formProblems } from '#core/outbound/sign/signature-form.ts';
import { openKey } from '#core/outbound/sign/signing-keys.ts';
import { number, oneOf } from '#core/problem.ts';
import { refuse, refuseProblems } from '#core/problem-reply.ts';
import { json, type Reply } from '#core/reply.ts';
import { utf8 } from '#core/scan/bytes.ts';
import {
  type ApiCall,
  applicationOf,
  bodyOf,
  countOrRefuse,
  endpointOf,
  listed,
  PAGE_QUERY,
  pageOf,
  queryOf,
  tellOperational,
  uidOf,
} from './api-call.ts';
import { fieldsFor } from './customer.ts';
import {
  CUSTOMER_FIELDS,
  changeOf,
  type EndpointBody,
  endpointFields,
  kindProblems,
  newEndpointOf,
  showEndpoint,
} from './endpoint-body.ts';
import {
  refuseSharedAsPair,
  SECRET_FIELDS,
  type SecretBody,
  sealKey,
  secretKinds,
  secretOf,
  showSecret,
} from './endpoint-secret.ts';
import { uid } from './fields.ts';
import { exchangeTest } from './test-delivery.ts';

export const VERIFY_QUERY = { verify: oneOf('true', 'false') };
export const STATE_QUERY = { state: oneOf(...STATES), ...PAGE_QUERY };
export const VERSION_FIELDS = { if_version: number(1, 1_000_000_000, 'a version') };
type NewBody = EndpointBody & SecretBody & { readonly uid?: string };

/**
 * Its secret is in this answer, and in no other but `GET …/secret`. The same request again, with a uid, is answered the
 * same. `?verify=true`: only if it answers a ping with 2xx.
 */
export async function createOne(call: ApiCall, given?: NewBody): Promise<Reply> {
  const { ports, rules } = call;
  const { verify } = queryOf(call, VERIFY_QUERY);
  const all = { ...endpointFields(rules.headerPrefix), ...SECRET_FIELDS, uid };
  const fields = fieldsFor(call.customer, all, CUSTOMER_FIELDS);
  const body = given ?? (bodyOf(call, fields) as NewBody);
  const isPulled = body.kind === 'pull';
  const pinged = { path: 'verify', given: verify ?? '', allowed: 'nothing with kind pull', fix: 'leave it out' };
  refuseProblems([...kindProblems(body, undefined, true), ...(isPulled && verify !== undefined ? [pinged] : [])]);
  const application = await applicationOf(call);
  if (body.url !== undefined) refuseTarget(call, body.url);
  if (call.customer) await countOrRefuse(call, 'endpoint', application.id);
  // 1. Its id, about which its secret is sealed.
  const id = newEndpointId(ports);
  const defaults = { timeoutMs: rules.timeoutMs, apiVersion: application.defaultApiVersion };
  const endpoint = newEndpointOf(body, defaults, [application, rules.form]);
  refuseMisfits(endpoint);
  // Of kind pull nothing is signed.
  const secret = isPulled ? undefined : secretOf(body, ports, endpoint);
  const key = secret && sealKey(ports, id, secret, 'first');
  // 2. A ping, where it is asked for: a test, which counts as one.
  if (verify === 'true' && secret && key) {
    await countOrRefuse(call, 'test', application.id);
    const { shown: sent } = await exchangeTest(call, { ...endpoint, id }, [{ kid: key.kid, ...secret }], {
      application,
      type: 'webhook.ping',
      data: utf8('{}'),
    });
    if (!sent.success)
      refuse(
        422,
        'verify_failed',
        'the endpoint did not answer the test request with 2xx: correct it (`exchange` shows its answer), or leave verify out',
        { exchange: sent },
      );
  }
  // 3. W19.
  const result = await createEndpoint(ports, application, endpoint, { id, keys: key ? [key] : [] });
  if (result.kind === 'done') {
    await tellOperational(call, 'endpoint.created', result.endpoint);
    const shown = secret && key ? showSecret(key.kid, secret, ports, result.endpoint) : {};
    return json(201, { ...showEndpoint(result.endpoint), ...shown });
  }
  // 4. Its uid is taken: by this request, whose answer was lost?
  const wanted = body.secret === undefined ? undefined : secret;
  const made = result.cause === 'uid_taken' ? await madeBefore(call, application.id, endpoint, wanted) : undefined;
  return made ?? refuseChange(call, result.cause, application.limits.endpoints);
}

/** The first answer again, while nobody has changed the endpoint or its secret; undefined for another endpoint. */
async function madeBefore(
  call: ApiCall,
  app: AppId,
  wanted: NewEndpoint,
  given: SecretBytes | undefined,
): Promise<Reply | undefined> {
  const { ports } = call;
  const there = await findEndpoint(ports.store, app, `uid:${wanted.uid}`);
  if (there === undefined || !isMadeOf(there, wanted)) return undefined;
  const { keys = [] } = (await ports.store.get(secretsKey(there.id), 'consistent')) ?? {};
  const [key, ...later] = keys;
  if (later.length > 0) return undefined;
  if (key === undefined) return wanted.kind === 'pull' ? json(201, showEndpoint(there)) : undefined;
  const shown = showSecret(key.kid, openKey(key, there.id, ports.sealer), ports, there);
  const isSame = given === undefined || showSecret(key.kid, given, ports, there).secret === shown.secret;
  return isSame ? json(201, { ...showEndpoint(there), ...shown }) : undefined;
}

/** Creates or changes the endpoint of `uid:<uid>`: safe to repeat. */
export async function putOne(call: ApiCall): Promise<Reply> {
  const ref = call.path['ep'] ?? '';
  const name = uidOf(ref, 'an endpoint');
  const body = bodyOf(call, { ...endpointFields(call.rules.headerPrefix), ...SECRET_FIELDS }) as NewBody;
  const { id } = await applicationOf(call);
  const there = await findEndpoint(call.ports.store, id, ref);
  if (there === undefined) return createOne(call, { ...body, uid: name });
  refuseProblems(kindProblems(body, there, true));
  if (body.secret !== undefined || body.alg !== undefined)
    refuse(
      409,
      'version_changed',
      'the endpoint exists and has a secret: leave secret and alg out; to replace the secret, use POST …/secret/rotate',
    );
  return change(call, there, body);
}

export async function changeOne(call: ApiCall): Promise<Reply> {
  const given = fieldsFor(call.customer, endpointFields(call.rules.headerPrefix), CUSTOMER_FIELDS);
  const body = bodyOf(call, { ...given, ...VERSION_FIELDS });
  return change(call, await endpointOf(call), body as EndpointBody, body.if_version);
}

/** Fields that must fit each other. */
const NAMING = [...FORM, 'compatibility', 'headers'] as const;
const refuseMisfits = (endpoint: NewEndpoint): void =>
  refuseProblems([...formProblems(endpoint), ...headerProblems(endpoint)]);

/** What waits goes to the new URL, too. */
async function change(call: ApiCall, there: EndpointItem, body: EndpointBody, ifVersion?: number): Promise<Reply> {
  refuseProblems(kindProblems(body, there, false));
  if (body.url !== undefined) refuseTarget(call, body.url);
  await refuseSharedAsPair(call.ports, there, body.signature);
  const fields = changeOf(body);
  const changesForm = NAMING.some(name => name in fields);
  const result = await changeEndpoint(call.ports, there.app, there.id, {
    ...given({ fields, ifVersion }),
    judge: changed => changesForm && refuseMisfits(changed),
  });
  if (result.kind === 'refused') return refuseChange(call, result.cause);
  await tellOperational(call, 'endpoint.changed', result.endpoint);
  return json(200, showEndpoint(result.endpoint));
}

export async function showOne(call: ApiCall): Promise<Reply> {
  const endpoint = await endpointOf(call);
  const runtime = await call.ports.store.get(runtimeKey(endpoint.id), 'consistent');
  // What a receiver has to verify: in the form standard it is not the form that says so.
  const kinds = await secretKinds(call.ports, endpoint.id);
  return json(200, { ...showEndpoint(endpoint), secret_algs: kinds, ...stateOf(runtime, call.ports.clock.now()) });
}

/** `state`: those alone that are so now; a page may then be short, or empty, before the last one. */
export async function listAll(call: ApiCall): Promise<Reply> {
  const { state: wanted } = queryOf(call, STATE_QUERY);
  const { store, clock } = call.ports;
  const { id } = await applicationOf(call);
  const page = await listEndpoints(store, id, pageOf(call));
  const runtimes = await store.getMany(page.items.map(item => runtimeKey(item.id)));
  const data = page.items.map((item, at) => ({ ...showEndpoint(item), ...stateOf(runtimes[at], clock.now()) }));
  const shown = wanted === undefined ? data : data.filter(({ state }) => state === wanted);
  return listed(call, shown, page.cursor);
}

/** What waits ends as canceled. Deleting twice is deleting once. */
export async function deleteOne(call: ApiCall): Promise<Reply> {
  const endpoint = await endpointOf(call);
  await deleteEndpoint(call.ports, endpoint.app, endpoint.id, {
    by: call.customer === undefined ? 'operator' : 'customer',
    why: call.caller.slice(0, 200),
    retentionMs: call.rules.retentionMs,
  });
  await tellOperational(call, 'endpoint.deleted', endpoint);
  return { status: 204, headers: {}, body: '' };
}

/** Throws `Refused` (422) for a place that may not be called. */
export function refuseTarget({ rules }: ApiCall, url: string): void {
  const verdict = checkTarget(url, rules.target);
  if (verdict.kind === 'refused') refuse(422, 'address_not_allowed', `url: ${verdict.message}`);
}

function refuseChange({ customer }: ApiCall, cause: EndpointRefusal, limit = 50): never {
  const raise = customer === undefined ? 'PATCH its limits' : 'delete one, or ask the sender of these webhooks';
  const told: Readonly<Record<EndpointRefusal, readonly [number, string]>> = {
    uid_taken: [409, 'another endpoint of this application has this uid'],
    version_changed: [409, 'somebody else changed it a moment ago: read it again'],
    unknown_endpoint: [404, 'the endpoint was deleted'],
    not_active: [410, 'the application is being erased'],
    quota: [429, `the application has ${limit} endpoints, which is its limit: ${raise}`],
  };
  const [status, detail] = told[cause];
  return refuse(status, cause === 'not_active' ? 'erasing' : cause, detail);
}
