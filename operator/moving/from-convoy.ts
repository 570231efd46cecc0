/**
 * Convoy: project, endpoints, subscriptions and event types, as its API answers them (https://getconvoy.io/docs/api-reference;
 * datastore/models.go of frain-dev/convoy). Endpoints of one `owner_id` are one application; an endpoint without one is its own.
 */
import { given } from '#core/given.ts';
import { type Fields, isFields, itemsOf, objectOf, textIn, wantedIn } from './export-file.ts';
import {
  asUid,
  fitted,
  type ImportPlan,
  Leavings,
  lettersAsSecret,
  ourSchema,
  type PlannedApplication,
  type PlannedEndpoint,
  type PlannedType,
  type PlanRules,
} from './plan.ts';
import { ourFilter } from './their-filter.ts';

/** How the project signs. */
interface Signing {
  readonly header: string;
  readonly hash: 'sha256' | 'sha512';
  readonly encoding: 'hex' | 'base64';
}

export function planFromConvoy(file: Fields, rules: PlanRules): ImportPlan {
  const left = new Leavings();
  const signing = signingOf(objectOf(file['project']), left);
  const subscriptions = itemsOf(file['subscriptions']);
  const applications = new Map<string, PlannedApplication>();
  for (const from of itemsOf(file['endpoints'])) {
    const uid = textIn(from, 'uid') ?? '?';
    const app = asUid(textIn(from, 'owner_id')) ?? asUid(uid);
    if (app === undefined) {
      left.endpoint(`endpoint ${uid}`, 'it has no uid', 'export it as the API answers it');
      continue;
    }
    const endpoints = endpointsOf(from, {
      app,
      signing,
      rules,
      left,
      subscriptions: subscriptionsOf(uid, subscriptions),
    });
    const there = applications.get(app);
    const own = textIn(from, 'owner_id') === undefined ? (textIn(from, 'name') ?? textIn(from, 'title')) : undefined;
    applications.set(app, {
      ...{ uid: app, name: (there?.name ?? own ?? app).slice(0, 200), metadata: {} },
      endpoints: [...(there?.endpoints ?? []), ...endpoints],
    });
  }
  const types = itemsOf(file['event_types']).flatMap(each => typeOf(each, left) ?? []);
  return { types, applications: [...applications.values()], left: left.all };
}

/** `config.signature`; the last of its versions is the one that a simple header has. Undefined: a hash that nobody should sign with. */
function signingOf(project: Fields, left: Leavings): Signing | undefined {
  const config = isFields(project['config']) ? project['config'] : {};
  const signature = isFields(config['signature']) ? config['signature'] : {};
  const versions = itemsOf(signature['versions']);
  const last = versions.at(-1) ?? {};
  if (versions.length > 1)
    left.part(
      'project: versions of the signature',
      `of ${versions.length} the last is signed with`,
      'receivers of the others must change',
    );
  const hash = (textIn(last, 'hash') ?? 'SHA256').toLowerCase();
  const encoding = textIn(last, 'encoding') === 'base64' ? 'base64' : 'hex';
  const header = (textIn(signature, 'header') ?? 'X-Convoy-Signature').toLowerCase();
  return hash === 'sha256' || hash === 'sha512' ? { header, hash, encoding } : undefined;
}

function typeOf(from: Fields, left: Leavings): PlannedType | undefined {
  const given = textIn(from, 'name') ?? '';
  const name = asUid(given);
  if (name === undefined) {
    if (given !== '*')
      left.part(
        `event type ${given}`,
        'a name has 1 to 100 letters, digits, _ . and -',
        'rename it in the code that publishes',
      );
    return undefined;
  }
  const schema = from['json_schema'];
  return {
    name,
    body: {
      description: (textIn(from, 'description') ?? '').slice(0, 1_000),
      deprecated: textIn(from, 'deprecated_at') !== undefined,
      ...(isFields(schema) && Object.keys(schema).length > 0 ? { schema: ourSchema(schema) } : {}),
    },
  };
}

const subscriptionsOf = (endpoint: string, all: readonly Fields[]): readonly Fields[] =>
  all.filter(each => {
    const metadata = isFields(each['endpoint_metadata']) ? each['endpoint_metadata'] : {};
    return (textIn(each, 'endpoint_id') ?? textIn(metadata, 'uid')) === endpoint;
  });

interface Around {
  readonly app: string;
  readonly signing: Signing | undefined;
  readonly subscriptions: readonly Fields[];
  readonly rules: PlanRules;
  readonly left: Leavings;
}

/** One for each subscription: Convoy sends for each, too. */
function endpointsOf(from: Fields, around: Around): readonly PlannedEndpoint[] {
  const { app, signing, subscriptions, rules, left } = around;
  const uid = textIn(from, 'uid') ?? '';
  const what = `endpoint ${app}/${uid}`;
  const refuse = (why: string, fix: string): readonly PlannedEndpoint[] => {
    left.endpoint(what, why, fix);
    return [];
  };
  if (signing === undefined)
    return refuse(
      'its project signs with a hash other than SHA256 and SHA512',
      'choose SHA256 there first, and tell the customers',
    );
  if (subscriptions.length === 0)
    return refuse('it has no subscription, so Convoy sends it nothing', 'create it when somebody wants it');
  if (textIn(from, 'content_type') === 'application/x-www-form-urlencoded')
    return refuse('it gets forms, and JSON is sent here', 'agree on JSON with the customer');
  const authentication = authenticationOf(from);
  if (typeof authentication === 'string') return refuse(authentication, 'agree on a header with the customer');
  const secrets = secretsOf(from, rules.now);
  if (typeof secrets === 'string') return refuse(secrets, 'export it as the API answers it, with `secrets`');
  const timed = from['advanced_signatures'] === true;
  const closed = from['is_disabled'] === true || !['active', undefined].includes(textIn(from, 'status'));
  const url = textIn(from, 'url') ?? textIn(from, 'target_url') ?? '';
  const rate = perSecond(from);
  const seconds = duration(from['http_timeout']);
  return subscriptions.flatMap((subscription, at) => {
    const own = subscriptions.length === 1 ? uid : `${uid}.${textIn(subscription, 'uid') ?? at}`;
    const wanted = wantedBy(subscription);
    if (typeof wanted === 'string') {
      left.endpoint(
        `endpoint ${app}/${own}`,
        `its subscription: ${wanted}`,
        'create it by hand with a filter that says the same',
      );
      return [];
    }
    if (isFields(subscription['retry_config']))
      left.part(
        `endpoint ${app}/${own}: retries`,
        'the schedule of the environment applies',
        'set `schedule` afterwards, if it matters',
      );
    const planned: PlannedEndpoint = {
      uid: own,
      body: {
        ...{ url, ...wanted, compatibility: { like: 'convoy', ...signing, timed } },
        description: (textIn(from, 'description') ?? textIn(from, 'name') ?? textIn(from, 'title') ?? '').slice(0, 500),
        ...(Object.keys(authentication).length === 0 ? {} : { headers: authentication }),
        ...(rate === undefined ? {} : { rate: { per_second: rate, burst: Math.max(1, Math.ceil(rate)) } }),
        ...(seconds === undefined ? {} : { timeout_seconds: Math.min(30, Math.max(1, seconds)) }),
      },
      secret: lettersAsSecret(secrets.current),
      // A simple header has the newest alone.
      ...(timed && secrets.previous
        ? { previous: { ...secrets.previous, secret: lettersAsSecret(secrets.previous.secret) } }
        : {}),
      ...(closed ? { disabled: 'it was not active in Convoy' } : {}),
    };
    return fitted(`endpoint ${app}/${own}`, planned, rules, left) ?? [];
  });
}

/** Types and filter of a subscription; a text says what cannot be said here. */
function wantedBy(subscription: Fields): Pick<PlannedEndpoint['body'], 'types' | 'filter'> | string {
  if ((textIn(subscription, 'function') ?? '') !== '')
    return 'a function changes its events, and no customer code runs here';
  const narrows = (each: unknown): boolean => isFields(each) && Object.keys(each).length > 0;
  if (
    itemsOf(subscription['filters']).some(each =>
      ['body', 'headers', 'query', 'path'].some(name => narrows(each[name])),
    )
  )
    return 'it has filters by event type';
  const config = isFields(subscription['filter_config']) ? subscription['filter_config'] : {};
  const types = wantedIn(config, 'event_types');
  if (types === undefined) return 'its event_types are not a list of texts';
  const { body, ...others } = isFields(config['filter']) ? config['filter'] : ({} as Fields);
  const other = Object.entries(others).find(([, value]) => narrows(value));
  if (other) return `its filter judges ${other[0]}`;
  const filter = ourFilter(body);
  if (typeof filter === 'string') return `its filter cannot be said here: ${filter}`;
  return { types, ...given({ filter }) };
}

/** `secrets[].value`; one without an end is the current one. */
function secretsOf(
  from: Fields,
  now: number,
): { readonly current: string; readonly previous?: { readonly secret: string; readonly until: string } } | string {
  const live = itemsOf(from['secrets']).filter(each => textIn(each, 'deleted_at') === undefined);
  const value = textIn(live.findLast(each => !endOf(each)) ?? {}, 'value');
  if (value === undefined) return 'it has no secret without an end in the file';
  const ending = live.findLast(each => (endOf(each) ?? 0) > now);
  const secret = ending && textIn(ending, 'value');
  const until = ending && endOf(ending);
  return { current: value, ...(secret && until ? { previous: { secret, until: new Date(until).toISOString() } } : {}) };
}

/** Undefined for none, and for the zero that Convoy writes for none. */
function endOf(secret: Fields): number | undefined {
  const at = Date.parse(textIn(secret, 'expires_at') ?? '');
  return Number.isNaN(at) || at <= 0 ? undefined : at;
}

function authenticationOf(from: Fields): Readonly<Record<string, string>> | string {
  const given = isFields(from['authentication']) ? from['authentication'] : {};
  const type = textIn(given, 'type') ?? '';
  if (isFields(from['mtls_client_cert'])) return 'it wants a client certificate, which is not sent here';
  if (type === '') return {};
  if (type === 'api_key' && isFields(given['api_key'])) {
    const { header_name: name, header_value: value } = given['api_key'];
    return { [String(name).toLowerCase()]: String(value) };
  }
  if (type === 'basic_auth' && isFields(given['basic_auth'])) {
    const { username, password } = given['basic_auth'];
    return { authorization: `Basic ${Buffer.from(`${String(username)}:${String(password)}`).toString('base64')}` };
  }
  return `it wants ${type}, which Holdfast does not have`;
}

/** `rate_limit` in `rate_limit_duration`; 0 is no limit. */
function perSecond(from: Fields): number | undefined {
  const limit = from['rate_limit'];
  if (typeof limit !== 'number' || limit <= 0) return undefined;
  return Math.min(1_000, Math.max(0.01, limit / (duration(from['rate_limit_duration']) ?? 60)));
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };

/** Seconds of `30`, `"30s"`, `"1m0s"`. */
function duration(given: unknown): number | undefined {
  if (typeof given === 'number') return given > 0 ? given : undefined;
  const parts = [...String(given ?? '').matchAll(/(?<!\d)(\d+)([smh])/g)];
  const seconds = parts.reduce((sum, [, count, unit = 's']) => sum + Number(count) * (UNITS[unit] ?? 1), 0);
  return seconds > 0 ? seconds : undefined;
}
