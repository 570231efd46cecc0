/** Applications: one for each customer of the producer. */
import { given } from '#core/given.ts';
import { SCHEDULES, type ScheduleName } from '#core/outbound/drain/schedule.ts';
import type { AppId } from '#core/outbound/protocol/ids.ts';
import type { AppLimits, ApplicationItem } from '#core/outbound/protocol/items.ts';
import { APPS, applicationKey, listOf } from '#core/outbound/protocol/keys.ts';
import {
  type ApplicationChange,
  changeApplication,
  createApplication,
  findApplication,
  type NewApplication,
  OPTIONAL,
} from '#core/outbound/registry/applications.ts';
import { FORM, formProblems } from '#core/outbound/sign/signature-form.ts';
import { refuse, refuseProblems } from '#core/problem-reply.ts';
import { json, type Reply } from '#core/reply.ts';
import { DAY_MS, toIso } from '#core/time.ts';
import {
  type ApiCall,
  applicationOf,
  type Body,
  bodyOf,
  listed,
  PAGE_QUERY,
  pageOf,
  queryOf,
  uidOf,
} from './api-call.ts';
import { applicationFields, LIMITS, type LimitsBody, uid } from './fields.ts';

type ApplicationBody = Body<ReturnType<typeof applicationFields>> & { readonly uid?: string };

/** A schedule by its name, or as it is. */
export const waitsOf = (given: ScheduleName | readonly number[]): readonly number[] =>
  typeof given === 'string' ? SCHEDULES[given] : given;

function showApplication(item: ApplicationItem) {
  const { id, name, format, limits, metadata, endpoints, state, createdAt } = item;
  return {
    id,
    uid: item.uid ?? null,
    ...{ name, format, limits: shownLimits(limits), metadata, endpoints, state },
    schedule: item.schedule ?? null,
    default_api_version: item.defaultApiVersion ?? null,
    signature: item.signature ?? null,
    signature_header: item.signatureHeader ?? null,
    key_id_in: item.keyId ?? null,
    created_at: toIso(createdAt),
  };
}

/** As the API shows one. */
export type ApplicationView = ReturnType<typeof showApplication>;

/** Absent ones stay absent: JSON leaves them out, and so does the item. */
function shownLimits(limits: AppLimits): LimitsBody {
  return Object.fromEntries(Object.entries(limits).map(([name, value]) => [LIMITS[name as keyof AppLimits], value]));
}
function limitsOf(body: LimitsBody): AppLimits {
  const given = Object.entries(LIMITS).map(([name, written]) => [name, body[written]] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** No application keeps its messages for longer than the environment does. */
const fieldsOf = ({ rules }: ApiCall) => applicationFields(Math.floor(rules.retentionMs / DAY_MS), rules.headerPrefix);

function changeOf(body: ApplicationBody): ApplicationChange {
  const { name, metadata, limits, format, schedule, default_api_version: version, signature, key_id_in: keyId } = body;
  const header = body.signature_header;
  const signatureHeader = header === null ? null : header?.toLowerCase();
  return {
    ...given({ name, metadata, format, defaultApiVersion: version, signature, signatureHeader, keyId }),
    ...(limits === undefined ? {} : { limits: limitsOf(limits) }),
    ...(schedule === undefined ? {} : { schedule: schedule && waitsOf(schedule) }),
  };
}

/** A new application: what the body says, over the defaults. */
export function applicationOfBody(body: ApplicationBody): NewApplication {
  const { name = '', metadata = {}, limits = {}, format = 'standard' } = body;
  const named = body.uid === undefined ? {} : { uid: body.uid };
  const change = changeOf(body);
  const optional = OPTIONAL.flatMap(key =>
    change[key] === undefined || change[key] === null ? [] : [[key, change[key]]],
  );
  return {
    ...(Object.fromEntries(optional) as Pick<NewApplication, (typeof OPTIONAL)[number]>),
    name,
    metadata,
    limits: limitsOf(limits),
    format,
    ...named,
  };
}

export async function createApp(call: ApiCall, given?: ApplicationBody): Promise<Reply> {
  const body = given ?? bodyOf(call, { ...fieldsOf(call), uid }, ['name']);
  refuseForm(call, changeOf(body));
  const result = await createApplication(call.ports, applicationOfBody(body));
  if (result.kind === 'created') return json(201, showApplication(result.application));
  return refuse(
    409,
    'uid_taken',
    `another application has the uid ${body.uid}; PUT /v1/apps/uid:${body.uid} changes it`,
  );
}

/** Creates or changes the application of `uid:<uid>`: safe to repeat. */
export async function putApp(call: ApiCall): Promise<Reply> {
  const ref = call.path['app'] ?? '';
  const name = uidOf(ref, 'an application');
  const body = bodyOf(call, fieldsOf(call), ['name']);
  const there = await findApplication(call.ports.store, ref);
  return there ? change(call, there, body) : createApp(call, { ...body, uid: name });
}

export async function changeApp(call: ApiCall): Promise<Reply> {
  const body = bodyOf(call, fieldsOf(call));
  return change(call, await applicationOf(call), body);
}

async function change(call: ApiCall, there: ApplicationItem, body: ApplicationBody): Promise<Reply> {
  const wanted = changeOf(body);
  const asRead = FORM.some(name => wanted[name] !== undefined) ? FORM : [];
  const changed = await changeApplication(call.ports.store, there.id, asRead, now => {
    if (asRead.length > 0) refuseForm(call, { ...now, ...wanted });
    return wanted;
  });
  if (changed === 'gone') return refuse(410, 'erasing', `${there.id} is being erased`);
  if (changed === 'changed') return refuse(409, 'version_changed', 'others change it at the same time: send it again');
  return json(200, showApplication(changed));
}

/** Of what it says itself, with the environment's form where it names none. */
function refuseForm({ rules }: ApiCall, change: ApplicationChange): void {
  const { signature, signatureHeader, keyId } = change;
  refuseProblems(
    formProblems({
      signature: signature ?? rules.form.signature,
      signatureHeader: signatureHeader ?? undefined,
      keyId: keyId ?? undefined,
    }),
  );
}

export async function showApp(call: ApiCall): Promise<Reply> {
  const application = await applicationOf(call);
  return json(200, showApplication(application));
}

export async function listApps(call: ApiCall): Promise<Reply> {
  queryOf(call, PAGE_QUERY);
  const { store } = call.ports;
  const page = await store.query({ ...listOf(APPS), ...pageOf(call) });
  const items = await store.getMany(page.items.map(({ pk }) => applicationKey(pk.slice(2) as AppId)));
  const data = items.flatMap(item => (item ? [showApplication(item)] : []));
  return listed(call, data, page.cursor);
}
