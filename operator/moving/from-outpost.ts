/**
 * Hookdeck Outpost: tenants and destinations, as its API answers them (docs/apis/openapi.yaml of hookdeck/outpost), and those of
 * its settings that say how it signs: `config`, by the names of its environment variables.
 */
import { given } from '#core/given.ts';
import type { Compatibility } from '#core/outbound/protocol/items.ts';
import { parseJson } from '#operator/parse-json.ts';
import { type Fields, isFields, itemsOf, textIn, textsIn, wantedIn } from './export-file.ts';
import {
  asUid,
  fitted,
  type ImportPlan,
  Leavings,
  lettersAsSecret,
  type PlannedApplication,
  type PlannedEndpoint,
  type PlanRules,
} from './plan.ts';
import { ourFilter } from './their-filter.ts';

/** `compatibility` undefined: the deployment signs as Standard Webhooks does. */
interface Signing {
  readonly compatibility: Compatibility | undefined;
}

export function planFromOutpost(file: Fields, rules: PlanRules): ImportPlan {
  const left = new Leavings();
  const signing = signingOf(isFields(file['config']) ? file['config'] : {});
  const applications = itemsOf(file['tenants']).flatMap((tenant): readonly PlannedApplication[] => {
    const uid = asUid(textIn(tenant, 'id'));
    if (uid === undefined) {
      const why = 'a uid has 1 to 100 letters, digits, _ . and -';
      left.endpoint(`tenant ${textIn(tenant, 'id') ?? ''}`, why, 'create its application by hand under another name');
      return [];
    }
    const endpoints = itemsOf(tenant['destinations']).flatMap(
      each => endpointOf(uid, each, { signing, rules, left }) ?? [],
    );
    return [{ uid, name: uid, metadata: isFields(tenant['metadata']) ? tenant['metadata'] : {}, endpoints }];
  });
  const topics = Array.isArray(file['topics']) ? textsIn(file, 'topics') : [];
  const types = topics.flatMap(name => (asUid(name) === undefined ? [] : [{ name, body: {} }]));
  for (const name of topics.filter(each => asUid(each) === undefined && each !== '*'))
    left.part(
      `topic ${name}`,
      'a type has 1 to 100 letters, digits, _ . and -',
      'rename it in the code that publishes',
    );
  return { types, applications, left: left.all };
}

const BODY = '{{.Body}}';
const TIME_AND_BODY = '{{.Timestamp.Unix}}.{{.Body}}';
const PLAIN = 'v0={{.Signatures|join","}}';
const WITH_TIME = `t={{.Timestamp.Unix}},${PLAIN}`;

/** A text says why nothing can be signed as before. */
function signingOf(config: Fields): Signing | string {
  const of = (name: string): string | undefined => textIn(config, `DESTINATIONS_WEBHOOK_${name}`);
  if (of('MODE') === 'standard') {
    const prefix = (of('HEADER_PREFIX') ?? 'webhook-').toLowerCase();
    return prefix === 'webhook-' ? { compatibility: undefined } : `its mode is standard with the prefix ${prefix}`;
  }
  const content = (of('SIGNATURE_CONTENT_TEMPLATE') ?? BODY).replaceAll(' ', '');
  const header = (of('SIGNATURE_HEADER_TEMPLATE') ?? PLAIN).replaceAll(' ', '');
  const isTimed = content === TIME_AND_BODY && header === WITH_TIME;
  if (!isTimed && (content !== BODY || header !== PLAIN)) return 'its templates of the signature are of its own';
  if ((of('SIGNATURE_ALGORITHM') ?? 'hmac-sha256') !== 'hmac-sha256')
    return 'it signs with another algorithm than hmac-sha256';
  if ((of('SECRET_ENCODING') ?? 'raw') !== 'raw') return 'its secrets are encoded';
  const prefix = (of('HEADER_PREFIX') ?? 'x-outpost-').toLowerCase();
  const encoding = of('SIGNATURE_ENCODING') === 'base64' ? 'base64' : 'hex';
  return { compatibility: { like: 'outpost', header: `${prefix}signature`, encoding, timed: isTimed } };
}

function endpointOf(
  app: string,
  from: Fields,
  { signing, rules, left }: { readonly signing: Signing | string; readonly rules: PlanRules; readonly left: Leavings },
): PlannedEndpoint | undefined {
  const uid = asUid(textIn(from, 'id'));
  const what = `destination ${app}/${uid ?? '?'}`;
  const type = textIn(from, 'type') ?? '';
  if (uid === undefined) return left.endpoint(what, 'it has no id that is a uid here', 'create it by hand');
  if (type !== 'webhook')
    return left.endpoint(what, `it is of the type ${type}, and webhooks are sent here`, 'leave it with Outpost');
  if (typeof signing === 'string')
    return left.endpoint(what, signing, 'give the customer a new secret, or keep it with Outpost');
  const config = isFields(from['config']) ? from['config'] : {};
  const credentials = isFields(from['credentials']) ? from['credentials'] : {};
  const secret = textIn(credentials, 'secret');
  if (secret === undefined)
    return left.endpoint(what, 'its secret is not in the file', 'export it with the key of the administrator');
  const filter = filterOf(from);
  if (typeof filter === 'string')
    return left.endpoint(what, `its filter: ${filter}`, 'create it by hand with a filter that says the same');
  if (isFields(from['delivery_metadata']) && Object.keys(from['delivery_metadata']).length > 0)
    left.part(
      `${what}: delivery_metadata`,
      'metadata does not become headers here',
      'set them as `headers` of the endpoint',
    );
  const headers = headersOf(config);
  const inForm = (text: string): string => (signing.compatibility ? lettersAsSecret(text) : text);
  const before = textIn(credentials, 'previous_secret');
  const until = Date.parse(textIn(credentials, 'previous_secret_invalid_at') ?? '');
  const types = wantedIn(from, 'topics');
  if (types === undefined)
    return left.endpoint(what, 'its topics are not a list of texts', 'export it as the API answers it');
  const { compatibility } = signing;
  return fitted(
    what,
    {
      uid,
      body: {
        url: textIn(config, 'url') ?? '',
        types,
        ...given({ filter }),
        ...(Object.keys(headers).length === 0 ? {} : { headers }),
        ...given({ compatibility }),
        metadata: isFields(from['metadata']) ? from['metadata'] : {},
      },
      secret: inForm(secret),
      ...(before !== undefined && until > rules.now
        ? { previous: { secret: inForm(before), until: new Date(until).toISOString() } }
        : {}),
      ...(textIn(from, 'disabled_at') === undefined ? {} : { disabled: 'it was disabled in Outpost' }),
    },
    rules,
    left,
  );
}

/** Of an event only its `data` is a body. */
function filterOf(from: Fields): ReturnType<typeof ourFilter> {
  if (!isFields(from['filter'])) return undefined;
  const { data, ...others } = from['filter'];
  const [other] = Object.keys(others);
  return other === undefined ? ourFilter(data) : `it judges ${other}`;
}

/** `custom_headers` is JSON in a text. */
function headersOf(config: Fields): Readonly<Record<string, string>> {
  const given = config['custom_headers'];
  const read = typeof given === 'string' ? parseJson(given) : given;
  const entries = isFields(read) ? Object.entries(read) : [];
  return Object.fromEntries(entries.filter((each): each is [string, string] => typeof each[1] === 'string'));
}
