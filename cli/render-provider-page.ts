/** The documentation of one provider, out of its spec: what a person needs to set it up and to know its limits. */
import {
  eventTimes,
  type Handshake,
  type Identity,
  type ProviderSpec,
  type Scheme,
  type Src,
} from '#core/provider/provider-spec.ts';
import { type DeclaredSample, declaredSamples, hasSamples } from '#operator/sources/sample-event.ts';

/** What each strength means, for the pages and the table. */
export const STRENGTHS: Readonly<Record<ProviderSpec['strength'], string>> = {
  signed: 'The signature covers the content: who changes a byte, or has no key, is refused.',
  origin:
    'The proof says who sent the request, not what is in it: a captured request can be sent again with other content until the proof expires.',
  'shared-secret':
    'A token or password travels with every request and nothing is signed: whoever sees one request can send others.',
  none: 'Nothing proves the sender: anyone who knows the URL can send. Handlers must look the fact up before they act.',
};

const ALGORITHMS: Readonly<Record<Scheme['alg'], string>> = {
  'hmac-sha1': 'HMAC-SHA1',
  'hmac-sha256': 'HMAC-SHA256',
  'hmac-sha512': 'HMAC-SHA512',
  'digest-sha256': 'plain SHA-256 over secret and content',
  ed25519: 'Ed25519',
  'ecdsa-p256-sha256': 'ECDSA P-256 with SHA-256',
  'rsa-sha1': 'RSA with SHA-1',
  'rsa-sha256': 'RSA with SHA-256',
  jwt: 'JSON Web Token',
  token: 'token, compared as a whole',
  basic: 'HTTP Basic',
};

const KEYS: Readonly<Record<string, string>> = {
  x509Url: 'fetched from an address in the request, which is held to the hosts and paths of the provider',
  jwksUrl: 'fetched from the published key set of the provider',
  plaid: 'fetched from Plaid by its id',
  x5c: 'in a certificate the token brings, which must lead to a pinned root',
};

/** The page of one provider, as Markdown. */
export function renderProviderPage(spec: ProviderSpec): string {
  const sections = [
    `# ${spec.title}`,
    `\`${spec.id}\` · [${spec.strength}](../reference/providers.md) · read ${spec.checkedOn}: ${docsLink(spec)}`,
    ...(spec.strength === 'signed' ? [] : [STRENGTHS[spec.strength]]),
    spec.setup,
    ...settings(spec),
    '## Proof',
    spec.verify.length === 0
      ? 'None: every request is accepted.'
      : spec.verify.map((scheme, i) => renderScheme(scheme, spec, i)).join('\n\n'),
    '## Event',
    [renderIdentity(spec.identity), ...renderSamples(spec.id)].join('\n'),
    ...handshakes(spec),
    '## Answer and retries',
    `${renderAck(spec)} ${spec.retries}`,
    ...addresses(spec),
    ...source(spec),
    ...unconfirmed(spec),
    `<!-- made from providers/${spec.id}.ts -->`,
  ];
  return `${sections.join('\n\n')}\n`;
}

/** `[host](address)`, or a link to a file of these docs. */
function docsLink({ docs }: ProviderSpec): string {
  return docs.startsWith('https://') ? `[${new URL(docs).hostname}](${docs})` : 'the description on this page';
}

function configExample(spec: ProviderSpec): string {
  const values = Object.keys(spec.settings ?? {}).map(name => `${name}: '…'`);
  const rest = values.length > 0 ? `, settings: { ${values.join(', ')} }` : '';
  const name = /^[a-z0-9]+$/.test(spec.id) ? spec.id : `'${spec.id}'`;
  return ['```ts', '// gateway.config.ts, under sources', `${name}: { provider: '${spec.id}'${rest} },`, '```'].join(
    '\n',
  );
}

function settings(spec: ProviderSpec): string[] {
  const all = Object.entries(spec.settings ?? {});
  if (all.length === 0) return [];
  const rows = all.map(([name, meaning]) => `| \`${name}\` | ${cell(meaning)} |`);
  return [configExample(spec), ['| Setting | Meaning |', '|---|---|', ...rows].join('\n')];
}

function renderScheme(scheme: Scheme, spec: ProviderSpec, index: number): string {
  const several = spec.verify.length > 1;
  const signed = scheme.message === undefined ? '' : ` over \`${visible(scheme.message)}\``;
  const lines = [
    `- ${ALGORITHMS[scheme.alg]}${scheme.jwtAlg ? ` (${scheme.jwtAlg}, never another)` : ''}${signed}`,
    `- In ${[scheme.sig.from].flat().map(place).join(', else ')}${encodingOf(scheme)}`,
  ];
  if (scheme.code !== undefined) lines.push('- Over a canonical text of the provider (see its documentation)');
  if (scheme.url) lines.push('- The URL is part of it: set `publicUrl` in the environment');
  if (scheme.key?.provider !== undefined)
    lines.push(`- Key: ${KEYS[scheme.key.provider] ?? 'the secret of the source'}`);
  for (const [name, value] of Object.entries(scheme.claims ?? {})) {
    lines.push(
      `- \`${name}\` must be ${value.startsWith('config:') ? `the setting \`${value.slice(7)}\`` : `\`${value}\``}`,
    );
  }
  for (const bind of scheme.bind ?? [])
    lines.push(`- ${place(bind.equals)} must be the hash of the ${bind.of ?? 'body'}`);
  if (scheme.batch !== undefined)
    lines.push(`- Every item of \`${scheme.batch}\` is checked by itself; a bad one is left out, good ones are kept`);
  lines.push(`- Age: ${windowOf(scheme)}`);
  if (scheme.when) lines.push(`- Only for requests with ${conditions(scheme.when)}`);
  return [...(several ? [`${index === 0 ? 'First' : 'Or'} \`${scheme.id}\`:`, ''] : []), ...lines].join('\n');
}

function encodingOf(scheme: Scheme): string {
  const encoding = scheme.encoding === undefined ? '' : `, in ${scheme.encoding}`;
  const prefix = scheme.sig.parse?.prefix;
  const optional = scheme.sig.parse?.prefixOptional ? ', which may be missing' : '';
  return `${encoding}${prefix === undefined ? '' : `, after \`${prefix.trim()}\`${optional}`}`;
}

function windowOf({ time, maxAgeSeconds, alg, timeless }: Scheme): string {
  if (time) {
    const sides = [
      time.past === undefined ? 'any age' : `at most ${duration(time.past)} old`,
      time.future === undefined ? '' : `at most ${duration(time.future)} ahead`,
    ];
    return `${sides.filter(side => side !== '').join(', ')}, by ${place(time.from)}`;
  }
  if (maxAgeSeconds !== undefined) return `at most ${duration(maxAgeSeconds)} by the token`;
  if (timeless) return 'the token has no time';
  return alg === 'jwt' ? 'until the token expires' : 'no time is signed';
}

function conditions({ header = {}, queryPresent = [], queryMissing = [] }: NonNullable<Scheme['when']>): string {
  return [
    ...Object.entries(header).map(([name, value]) => `header \`${name}\`${value === '*' ? '' : ` = \`${value}\``}`),
    ...queryPresent.map(name => `query parameter \`${name}\``),
    ...queryMissing.map(name => `no query parameter \`${name}\``),
  ].join(', ');
}

/** What the samples of `providers/samples/` say, which the generated suite holds the spec to. */
function renderSamples(id: string): string[] {
  const samples = hasSamples(id) ? declaredSamples(id, new Date(0)) : [];
  const differs = [...new Set(samples.flatMap(it => it.redeliveryChanges))].map(part);
  const again = (sample: DeclaredSample) =>
    sample.runsAgain === undefined ? [] : [`- Runs again when it is repeated (${sample.title}): ${sample.runsAgain}`];
  return [
    ...(differs.length === 0 ? [] : [`- A repetition may differ in ${differs.join(', ')}`]),
    ...samples.flatMap(again),
  ];
}

function renderIdentity({ items, key, type, typeJoin, time = [], ordering }: Identity): string {
  const lines: string[] = [];
  if (items !== undefined) {
    const paths = [items].flat().map(path => `\`${path}\``);
    lines.push(`- Each of ${paths.join(', ')} is an event.`);
  }
  lines.push(`- The same if this is: ${key.map(alternative).join('; else ')}`);
  const types = type.map(part).join(typeJoin === undefined ? ', else ' : ` \`${typeJoin}\` `);
  lines.push(`- Type: ${types === '' ? '`unknown` for every event' : types}`);
  const times = eventTimes({ time }).map(({ from }) => place(from));
  if (times.length > 0) lines.push(`- Time: ${times.join(', else ')}`);
  if (ordering !== undefined) lines.push(`- Ordered by: ${[ordering].flat().map(place).join(', else ')}`);
  return lines.join('\n');
}

/** Parts that must be there, then those that count where they are. */
function alternative(parts: readonly string[]): string {
  const always = parts.filter(src => !src.endsWith('?')).map(part);
  const some = parts.filter(src => src.endsWith('?')).map(src => place(src.slice(0, -1) as Src));
  if (some.length === 0) return always.join(' + ');
  return `${[...always, `where there: ${some.join(', ')}`].join(' + ')}`;
}

function part(src: string): string {
  if (src === 'none') return 'nothing: every request counts as a new event';
  if (src === 'hash:body') return 'the SHA-256 of the content';
  return place(src as Src);
}

function place(src: Src): string {
  const colon = src.indexOf(':');
  const name = `\`${src.slice(colon + 1)}\``;
  switch (colon < 0 ? src : src.slice(0, colon)) {
    case 'header':
      return `header ${name}`;
    case 'json':
    case 'doc':
      return name;
    case 'root':
      return `${name} of the body`;
    case 'parent':
      return `${name} of the entry around it`;
    case 'item':
      return 'the name of the array';
    case 'form':
      return `form field ${name}`;
    case 'query':
      return `query parameter ${name}`;
    case 'sig':
      return `${name} of the signature header`;
    case 'claim':
      return `claim ${name}`;
    case 'config':
      return `setting ${name}`;
    default:
      return `\`${src}\``;
  }
}

/** 200 with our short JSON and 401 with the one of every cause go without saying. */
function renderAck({ ack }: ProviderSpec): string {
  const body = ack.body === undefined ? 'our short JSON' : ack.body === '' ? 'no content' : `\`${ack.body}\``;
  const type = ack.contentType === undefined ? '' : ` (${ack.contentType})`;
  const plain = ack.status === 200 && ack.body === undefined && ack.contentType === undefined;
  const accepted = plain ? '' : `Accepted: ${ack.status} with ${body}${type}. `;
  const empty = ack.rejectBody === '' ? ' with no content' : '';
  const refused = ack.rejectStatus === 401 && empty === '' ? '' : `Refused: ${ack.rejectStatus}${empty}. `;
  return `${accepted}${refused}It waits ${duration(ack.deadlineMs / 1000)}.`;
}

function handshakes(spec: ProviderSpec): string[] {
  if (spec.handshakes.length === 0) return [];
  return ['## Handshakes', spec.handshakes.map(renderHandshake).join('\n')];
}

function renderHandshake({ when, verify, guard, respond, store, confirm }: Handshake): string {
  const signs = [
    ...Object.entries(when.query ?? {}).map(([name, value]) => `\`?${name}=${value === '*' ? '…' : value}\``),
    ...Object.entries(when.header ?? {}).map(
      ([name, value]) => `header \`${name}\`${value === '*' ? '' : ` = \`${value}\``}`,
    ),
    ...Object.entries(when.jsonEquals ?? {}).map(
      ([path, value]) => `\`${path}\`${value === '*' ? '' : ` = \`${value}\``}`,
    ),
    ...(when.jsonMissing ?? []).map(path => `no \`${path}\``),
    ...(when.jsonKeysExactly ? [`only \`${when.jsonKeysExactly.join('`, `')}\` in the body`] : []),
    ...(when.formKeysExactly ? [`only the form fields \`${when.formKeysExactly.join('`, `')}\``] : []),
    ...(when.emptyJsonArrayAt ? [`an empty \`${when.emptyJsonArrayAt}\``] : []),
  ];
  const proof =
    verify === 'signature'
      ? 'after its signature was checked'
      : verify === 'none'
        ? 'unsigned'
        : 'after its token was compared';
  const extras = [
    guard ? 'text that is no plain token is refused' : '',
    store ? 'the secret it brings is kept only while the source is pairing and has none' : '',
    confirm ? 'the confirmation address is then called, if its host is the provider’s' : '',
  ].filter(text => text !== '');
  const answer = `${respond.status}${respond.body ? ` \`${respond.body}\`` : ''}`;
  return `- ${when.method} with ${signs.length > 0 ? signs.join(' and ') : 'anything'} (${proof}): ${answer}${extras.map(text => `; ${text}`).join('')}`;
}

function addresses({ ips }: ProviderSpec): string[] {
  if (!ips) return [];
  const where = ips.copied ? ' in a public copy of the list' : '';
  const refresh =
    ips.at === undefined
      ? 'they change, so compare them with that page'
      : 'they change, so run `holdfast sources ips --refresh`';
  return [
    '## Addresses',
    `From ${ips.from}, read${where} ${ips.readOn}; ${refresh} before you put them into \`allowList\`.`,
    ips.ranges.map(range => `\`${range}\``).join(', '),
  ];
}

function source({ source: text }: ProviderSpec): string[] {
  return text === undefined ? [] : ['## Source', text];
}

function unconfirmed(spec: ProviderSpec): string[] {
  if (!spec.unconfirmed || spec.unconfirmed.length === 0) return [];
  return ['## Not confirmed', spec.unconfirmed.map(note => `- ${note}`).join('\n')];
}

/** A text inside a table cell. */
export function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function visible(message: string): string {
  return message.replaceAll('\n', '\\n');
}

/** Seconds in words. */
export function duration(seconds: number): string {
  const [value, unit] =
    seconds >= 86_400 && seconds % 86_400 === 0
      ? [seconds / 86_400, 'day']
      : seconds >= 7_200 && seconds % 3_600 === 0
        ? [seconds / 3_600, 'hour']
        : seconds > 180 && seconds % 60 === 0
          ? [seconds / 60, 'minute']
          : [seconds, 'second'];
  return `${value} ${unit}${value === 1 ? '' : 's'}`;
}
