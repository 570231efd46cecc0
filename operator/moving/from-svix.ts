/**
 * Svix: applications, endpoints, secrets and event types, as its API answers them
 * (https://api.svix.com/docs; models of svix/svix-webhooks: ApplicationOut, EndpointOut, EndpointSecretOut, EndpointHeadersOut,
 * EventTypeOut). In the file each application has its `endpoints`, each endpoint its `secret` and its `headers`.
 */
import { type Fields, isFields, itemsOf, textIn, textsIn, wantedIn } from './export-file.ts';
import {
  asUid,
  fitted,
  type ImportPlan,
  Leavings,
  ourSchema,
  type PlannedApplication,
  type PlannedEndpoint,
  type PlannedType,
  type PlanRules,
} from './plan.ts';

/** Versions of a type before the newest. */
const EARLIER = 9;

export function planFromSvix(file: Fields, rules: PlanRules): ImportPlan {
  const left = new Leavings();
  const types = itemsOf(file['event_types']).flatMap(each => typeOf(each, left) ?? []);
  const applications = itemsOf(file['applications']).flatMap(each => applicationOf(each, rules, left) ?? []);
  return { types, applications, left: left.all };
}

function typeOf(from: Fields, left: Leavings): PlannedType | undefined {
  const name = asUid(textIn(from, 'name'));
  const what = `event type ${textIn(from, 'name') ?? ''}`;
  if (name === undefined) {
    left.part(what, 'a name has 1 to 100 letters, digits, _ . and -', 'rename it in the code that publishes');
    return undefined;
  }
  const versions = isFields(from['schemas']) ? Object.keys(from['schemas']).sort((a, b) => Number(b) - Number(a)) : [];
  const [newest, ...earlier] = versions;
  const schemas = isFields(from['schemas']) ? from['schemas'] : {};
  if (earlier.length > EARLIER)
    left.part(
      what,
      `of ${versions.length} versions of its schema the newest ${EARLIER + 1} come`,
      'keep the others elsewhere',
    );
  if ((textIn(from, 'featureFlag') ?? textsIn(from, 'featureFlags')[0]) !== undefined)
    left.part(what, 'it is behind a feature flag, which Holdfast does not have', 'everybody sees it in the portal');
  const group = textIn(from, 'groupName');
  return {
    name,
    body: {
      description: (textIn(from, 'description') ?? '').slice(0, 1_000),
      deprecated: from['deprecated'] === true || from['archived'] === true,
      ...(group === undefined ? {} : { group: group.slice(0, 100) }),
      ...(newest === undefined ? {} : { schema: ourSchema(schemas[newest]) }),
      ...(earlier.length === 0
        ? {}
        : {
            version: newest,
            earlier: earlier.slice(0, EARLIER).map(version => ({ version, schema: ourSchema(schemas[version]) })),
          }),
    },
  };
}

function applicationOf(from: Fields, rules: PlanRules, left: Leavings): PlannedApplication | undefined {
  const uid = asUid(textIn(from, 'uid')) ?? asUid(textIn(from, 'id'));
  const name = textIn(from, 'name') ?? uid;
  if (uid === undefined || name === undefined) {
    left.endpoint(`application ${name ?? ''}`, 'it has neither uid nor id', 'export it as the API answers it');
    return undefined;
  }
  if (typeof (from['throttleRate'] ?? from['rateLimit']) === 'number')
    left.part(`application ${uid}: its rate`, 'a rate belongs to an endpoint here', 'set `rate` of its endpoints');
  const endpoints = itemsOf(from['endpoints']).flatMap(each => endpointOf(uid, each, rules, left) ?? []);
  return { uid, name: name.slice(0, 200), metadata: isFields(from['metadata']) ? from['metadata'] : {}, endpoints };
}

function endpointOf(app: string, from: Fields, rules: PlanRules, left: Leavings): PlannedEndpoint | undefined {
  const uid = asUid(textIn(from, 'uid')) ?? asUid(textIn(from, 'id'));
  const what = `endpoint ${app}/${uid ?? '?'}`;
  const url = textIn(from, 'url');
  if (uid === undefined || url === undefined)
    return left.endpoint(what, 'it has no id or no URL', 'export it as the API answers it');
  const secret = isFields(from['secret']) ? textIn(from['secret'], 'key') : textIn(from, 'secret');
  if (secret === undefined)
    return left.endpoint(
      what,
      'its secret is not in the file',
      'add the answer of GET …/endpoint/{id}/secret as `secret`',
    );
  if (/^wh[sp]k_/.test(secret))
    return left.endpoint(
      what,
      'it signs with a key pair, whose private key Svix keeps',
      'give the customer a new secret: rotate to a shared one in Svix first, and export again',
    );
  if (isFields(from['transformation']) && from['transformation']['enabled'] !== false)
    return left.endpoint(
      what,
      'code changes its messages, and no customer code runs here',
      'change them where they are published',
    );
  const [types, channels] = [wantedIn(from, 'filterTypes'), wantedIn(from, 'channels')];
  if (types === undefined || channels === undefined)
    return left.endpoint(
      what,
      `its ${types ? 'channels' : 'filterTypes'} are not a list of texts`,
      'export it as the API answers it',
    );
  const { headers, sensitive } = headersOf(from);
  for (const name of sensitive)
    left.part(`${what}: header ${name}`, 'Svix does not show its value', 'set it with PATCH before the cut');
  const rate = from['throttleRate'] ?? from['rateLimit'];
  return fitted(
    what,
    {
      uid,
      body: {
        url,
        description: (textIn(from, 'description') ?? '').slice(0, 500),
        types,
        channels,
        ...(Object.keys(headers).length === 0 ? {} : { headers }),
        ...(typeof rate === 'number' ? { rate: { per_second: rate, burst: Math.max(1, Math.ceil(rate)) } } : {}),
        metadata: isFields(from['metadata']) ? from['metadata'] : {},
        compatibility: { like: 'svix' },
      },
      secret: secret.startsWith('whsec_') ? secret : `whsec_${secret}`,
      ...(from['disabled'] === true ? { disabled: 'it was disabled in Svix' } : {}),
    },
    rules,
    left,
  );
}

/** As `EndpointHeadersOut`, or the headers alone. */
function headersOf(from: Fields): {
  readonly headers: Readonly<Record<string, string>>;
  readonly sensitive: readonly string[];
} {
  const given = isFields(from['headers']) ? from['headers'] : {};
  const values = isFields(given['headers']) ? given['headers'] : given;
  const texts = Object.entries(values).filter((each): each is [string, string] => typeof each[1] === 'string');
  return { headers: Object.fromEntries(texts), sensitive: textsIn(given, 'sensitive') };
}
