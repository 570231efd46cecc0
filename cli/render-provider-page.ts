/** The documentation of one provider, out of its spec: what a person needs to set it up and to know its limits. */
import {
  eventTimes,
  type Handshake,
  type Identity,
  type ProviderSpec,
  type Scheme,
  type Src,
  type Strength,
} from '#core/provider/provider-spec.ts';
import { ackOf, strengthOf } from '#core/provider/spec-defaults.ts';
import { type DeclaredSample, declaredSamples, hasSamples } from '#operator/sources/sample-event.ts';

/** What each strength means, for the table. */
export const STRENGTHS: Readonly<Record<Strength, string>> = {
  signed: 'the signature covers the content: anyone who changes a byte or lacks the key is refused.',
  origin:
    'the proof says who sent the request, not what is in it: until it expires, a captured request can be sent again with other content.',
  'shared-secret': 'a token or password travels with every request: whoever sees one can send others.',
  none: 'anyone who knows the URL can send. Handlers must look the fact up before they act.',
};

/** The same on the page of one that is not `signed`. */
const WEAKER: Readonly<Record<Strength, string>> = {
  signed: '',
  origin: '**origin**: content is not signed, ',
  'shared-secret': '**shared-secret**: nothing is signed, ',
  none: '**none**: nothing proves the sender, ',
};

/** What a spec gives as the deadline where nobody states one. */
const NOBODY_STATES_MS = 10_000;

const ALGORITHMS: Readonly<Record<Scheme['alg'], string>> = {
  'hmac-sha1': 'HMAC-SHA1',
  'hmac-sha256': 'HMAC-SHA256',
  'hmac-sha512': 'HMAC-SHA512',
  'digest-sha256': 'plain SHA-256',
  ed25519: 'Ed25519',
  'ecdsa-p256-sha256': 'ECDSA P-256 with SHA-256',
  'rsa-sha1': 'RSA with SHA-1',
  'rsa-sha256': 'RSA with SHA-256',
  jwt: 'JSON Web Token',
  token: 'the secret itself',
  basic: 'HTTP Basic',
};

const KEYS: Readonly<Record<string, string>> = {
  x509Url: "key fetched from an address in the request, if it is the provider's",
  jwksUrl: "key fetched from the provider's published set",
  plaid: 'key fetched from Plaid by its id',
  x5c: 'key in a certificate of the token, which must lead to a pinned root',
};

/** The page of one provider, as Markdown. */
export function renderProviderPage(spec: ProviderSpec): string {
  const sections = [
    `# ${spec.title}`,
    `[\`${spec.id}\`](../reference/providers.md), ${WEAKER[strengthOf(spec)]}${docsLink(spec)}${spec.checkedOn}`,
    spec.setup,
    ...settings(spec),
    ...proof(spec),
    [...renderIdentity(spec.identity), ...renderSamples(spec.id)].join(' '),
    ...(spec.handshakes ?? []).map(handshake => `**Handshake:** ${renderHandshake(handshake)}.`),
    [...renderAck(spec), `**Retries:** ${spec.retries}`].join(' '),
    ...addresses(spec),
    ...(spec.source === undefined ? [] : [`**Source:** ${spec.source}`]),
    ...unconfirmed(spec),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** `[host](address), `; nothing where the documentation is this page. */
function docsLink({ docs }: ProviderSpec): string {
  return docs.startsWith('https://') ? `[${new URL(docs).hostname}](${docs}), ` : '';
}

/** The entry of the configuration, where a source needs settings. */
function settings(spec: ProviderSpec): string[] {
  const all = Object.entries(spec.settings ?? {});
  if (all.length === 0) return [];
  const name = /^[a-z0-9]+$/.test(spec.id) ? spec.id : `'${spec.id}'`;
  return [
    [
      '```ts',
      `${name}: {`,
      `  provider: '${spec.id}',`,
      '  settings: {',
      ...all.flatMap(([key, meaning]) => [`    // ${meaning.replaceAll('\n', ' ')}`, `    ${key}: '…',`]),
      '  },',
      '},',
      '```',
    ].join('\n'),
  ];
}

function proof({ id, verify }: ProviderSpec): string[] {
  const [first, ...others] = verify;
  if (first === undefined) return ['**Proof:** none, every request is accepted.'];
  if (others.length === 0)
    return [`**Proof:** ${id === 'standard-webhooks' ? renderScheme(first) : standardOr(renderScheme(first))}.`];
  // The same but for the header is most often the new name of an old one.
  const elsewhere = (scheme: Scheme) => renderScheme({ ...scheme, sig: { ...scheme.sig, from: first.sig.from } });
  const or = (scheme: Scheme) =>
    elsewhere(scheme) === renderScheme(first) ? `the same in ${whereOf(scheme)}` : renderScheme(scheme);
  return [
    `**Proof** (\`${first.id}\`): ${renderScheme(first)}.`,
    ...others.map(scheme => `**Or** (\`${scheme.id}\`): ${or(scheme)}.`),
  ];
}

/** What many providers share stands on one page. */
function standardOr(scheme: string): string {
  const headers = /`(\w+)-signature`/.exec(scheme)?.[1];
  const standard = `HMAC-SHA256 of \`{header:${headers}-id}.{ts}.{body}\`, base64 in header \`${headers}-signature\`; within 5 minutes of header \`${headers}-timestamp\``;
  if (scheme !== standard) return scheme;
  return `[Standard Webhooks](standard-webhooks.md)${headers === 'webhook' ? '' : `, in headers \`${headers}-…\``}`;
}

function whereOf({ sig }: Scheme): string {
  return grouped([sig.from].flat()).join(' or ');
}

function renderScheme(scheme: Scheme): string {
  const only = scheme.jwtAlg === undefined ? '' : ` (only ${scheme.jwtAlg})`;
  const signed =
    scheme.code === undefined
      ? scheme.message === undefined
        ? ''
        : ` of \`${visible(scheme.message)}\``
      : " of the provider's canonical text (see its documentation)";
  const claims = Object.entries(scheme.claims ?? {}).map(
    ([name, value]) => `\`${name}\` must be ${value.startsWith('config:') ? place(value as Src) : `\`${value}\``}`,
  );
  return [
    `${ALGORITHMS[scheme.alg]}${only}${signed}${encodingOf(scheme)} in ${whereOf(scheme)}${windowOf(scheme)}`,
    ...(scheme.url ? ['the URL is signed: set [`publicUrl`](../reference/configuration.md#environments)'] : []),
    ...(scheme.key?.provider === undefined ? [] : [KEYS[scheme.key.provider] ?? "the source's secret"]),
    ...claims,
    ...(scheme.bind ?? []).map(bind => `${place(bind.equals)} must be the hash of the ${bind.of ?? 'body'}`),
    ...(scheme.batch === undefined ? [] : ['each item is checked by itself, bad ones are left out']),
    ...(scheme.when ? [`only ${conditions(scheme.when)}`] : []),
  ].join('; ');
}

function encodingOf({ encoding, sig }: Scheme): string {
  const { prefix, prefixOptional } = sig.parse ?? {};
  const after = prefix === undefined ? '' : ` after${prefixOptional ? ' an optional' : ''} \`${prefix.trim()}\``;
  return encoding === undefined ? after : `, ${encoding}${after}`;
}

/** The limit of its age, where it has one. */
function windowOf({ time, maxAgeSeconds, alg, timeless }: Scheme): string {
  if (time) {
    const { past, future } = time;
    const at = place(time.from).replace("the signature's", 'its');
    if (past === undefined && future === undefined) return `; ${at} is signed, and may be of any age`;
    if (past === future) return `; within ${duration(past ?? 0)} of ${at}`;
    if (past === undefined) return `; at most ${duration(future ?? 0)} before ${at}`;
    return `; at most ${duration(past)} after ${at}${future === undefined ? '' : `, ${duration(future)} before`}`;
  }
  if (maxAgeSeconds !== undefined) return `; at most ${duration(maxAgeSeconds)} old`;
  return alg === 'jwt' && !timeless ? '; until it expires' : '';
}

function conditions({ header = {}, queryPresent = [], queryMissing = [] }: NonNullable<Scheme['when']>): string {
  return [
    ...Object.entries(header).map(
      ([name, value]) => `with header \`${name}\`${value === '*' ? '' : ` = \`${value}\``}`,
    ),
    ...queryPresent.map(name => `with query parameter \`${name}\``),
    ...queryMissing.map(name => `without query parameter \`${name}\``),
  ].join(' and ');
}

/** What the samples of `providers/samples/` say, which the generated suite holds the spec to. */
function renderSamples(id: string): string[] {
  const samples = hasSamples(id) ? declaredSamples(id, new Date(0)) : [];
  const differs = grouped([...new Set(samples.flatMap(it => it.redeliveryChanges))]);
  const again = ({ title, runsAgain }: DeclaredSample) =>
    runsAgain === undefined ? [] : [`Repeats of "${title}" run again: ${runsAgain}`];
  return [...(differs.length === 0 ? [] : [`Repeats may change ${list(differs)}.`]), ...samples.flatMap(again)];
}

function renderIdentity({ items, key, type, typeJoin, time = [], ordering }: Identity): string[] {
  const types = typeJoin === undefined ? either(type) : joined(type, typeJoin);
  return [
    ...(items === undefined ? [] : [`**Events:** each of ${list([items].flat().map(itemsAt))}.`]),
    `**Identity:** ${key.map(alternative).join('; else ')}.`,
    `**Type:** ${types === '' ? 'none' : types}.`,
    ...(eventTimes({ time }).length === 0
      ? []
      : [`**Time:** ${either([...new Set(eventTimes({ time }).map(({ from }) => from))])}.`]),
    ...(ordering === undefined ? [] : [`**Order:** ${either([ordering].flat())}.`]),
  ];
}

function itemsAt(path: string): string {
  if (path === '[]') return "the body's items";
  return path === '*[]' ? 'the items of every array' : `\`${path}\``;
}

/** `header a.b`: the values with this text between them. */
function joined(places: readonly Src[], by: string): string {
  const [first, ...others] = places;
  const kind = kindOf(first);
  return [
    ...(first === undefined ? [] : [place(first)]),
    ...others.map(src => (kindOf(src) === kind ? place(src).slice(kind.length) : place(src))),
  ].join(by);
}

/** `header a, else b`. */
function either(places: readonly Src[]): string {
  return grouped(places).join(', else ');
}

/** Parts that must be there, then those that count where they are. */
function alternative(parts: readonly string[]): string {
  const always = parts.filter(src => !src.endsWith('?'));
  const some = parts.filter(src => src.endsWith('?')).map(src => src.slice(0, -1));
  const all = grouped([...always, ...some]);
  if (some.length === 0) return list(all);
  const first = all.slice(0, always.length).map(text => `${text}, `);
  return `${first.join('').replace(/, $/, ' and, ')}if there, ${list(all.slice(always.length))}`;
}

/** The kind of a place once for those of a kind that follow each other; a field of the JSON after others says that it is. */
function grouped(places: readonly string[]): readonly string[] {
  return places.map((src, i) => {
    const kind = kindOf(src);
    if (i === 0 || !part(src).includes('`')) return part(src);
    if (kind === kindOf(places[i - 1])) return part(src).slice(kind.length);
    return kind === '' && places.slice(0, i).some(it => part(it).includes(' `')) ? `JSON ${part(src)}` : part(src);
  });
}

/** `a, b and c`. */
function list(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1) ?? ''}`;
}

/** What stands before its name: `header `, or nothing for a field of the JSON. */
function kindOf(src = ''): string {
  return part(src).split('`')[0] ?? '';
}

function part(src: string): string {
  if (src === 'none') return 'none';
  if (src === 'hash:body') return 'content';
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
      return `the body's ${name}`;
    case 'parent':
      return `the entry's ${name}`;
    case 'item':
      return "the array's name";
    case 'form':
      return `form field ${name}`;
    case 'query':
      return `query parameter ${name}`;
    case 'sig':
      return `the signature's ${name}`;
    case 'claim':
      return `claim ${name}`;
    case 'config':
      return `setting ${name}`;
    default:
      return `\`${src}\``;
  }
}

function unstatedDeadline(spec: ProviderSpec): boolean {
  return ackOf(spec).deadlineMs === NOBODY_STATES_MS && (spec.unconfirmed ?? []).includes('deadline');
}

/** 200 with our short JSON and 401 with the one of every cause go without saying, and so does a deadline nobody states. */
function renderAck(spec: ProviderSpec): string[] {
  const ack = ackOf(spec);
  const body = ack.body === undefined ? '' : ack.body === '' ? '' : ` \`${ack.body}\``;
  const type = ack.contentType === undefined || ack.body === '' ? '' : ` (${ack.contentType})`;
  const plain = ack.status === 200 && ack.body === undefined && ack.contentType === undefined;
  const empty = ack.rejectBody === '' ? 'empty ' : '';
  const stated = !unstatedDeadline(spec);
  const parts = [
    ...(plain ? [] : [`${ack.body === '' ? 'empty ' : ''}${ack.status}${body}${type}`]),
    ...(ack.rejectStatus === 401 && empty === '' ? [] : [`refused with ${empty}${ack.rejectStatus}`]),
    ...(stated ? [`within ${duration(ack.deadlineMs / 1000)}`] : []),
  ];
  return parts.length === 0 ? [] : [`**Answer:** ${parts.join(', ')}.`];
}

function renderHandshake({ when, verify, respond, store, confirm }: Handshake): string {
  const equals = (value: string | number) => (value === '*' ? '' : ` = \`${value}\``);
  const signs = [
    ...Object.entries(when.query ?? {}).map(([name, value]) => `\`?${name}=${value === '*' ? '…' : value}\``),
    ...Object.entries(when.header ?? {}).map(([name, value]) => `header \`${name}\`${equals(value)}`),
    ...Object.entries(when.jsonEquals ?? {}).map(([path, value]) => `\`${path}\`${equals(value)}`),
    ...(when.jsonMissing ?? []).map(path => `no \`${path}\``),
    ...(when.jsonKeysExactly ? [`only \`${when.jsonKeysExactly.join('`, `')}\` in the body`] : []),
    ...(when.formKeysExactly ? [`only the form fields \`${when.formKeysExactly.join('`, `')}\``] : []),
    ...(when.emptyJsonArrayAt ? [`an empty \`${when.emptyJsonArrayAt}\``] : []),
  ];
  const check = verify === 'signature' ? 'signed' : verify === 'none' ? 'unsigned' : 'token compared';
  const extras = [
    ...(store ? ['its secret is kept only while the source is pairing and has none'] : []),
    ...(confirm ? ['the confirmation address is then called, if on a host of the provider'] : []),
  ];
  const answer = `${respond.status}${respond.body ? ` \`${respond.body}\`` : ''}`;
  const request = `${when.method}${signs.length > 0 ? ` with ${list(signs)}` : ''}`;
  return [`${request} (${check}) gets ${answer}`, ...extras].join('; ');
}

function addresses({ ips }: ProviderSpec): string[] {
  if (!ips) return [];
  const read = `${ips.copied ? 'public copy read' : 'read'} ${ips.readOn}`;
  const today =
    ips.at === undefined ? `compare them with ${ips.from}` : `\`--refresh\` fetches today's from ${ips.from}`;
  return [
    `**Addresses:** \`holdfast sources ips <source>\` prints ${ips.ranges.length} for \`allowList\` (${read}); ${today}.`,
  ];
}

function unconfirmed(spec: ProviderSpec): string[] {
  // A page without a deadline says that nobody states one.
  const notes = (spec.unconfirmed ?? []).filter(note => note !== 'deadline' || !unstatedDeadline(spec));
  return notes.length === 0 ? [] : [`**Not confirmed:** ${notes.map(note => note.replace(/\.$/, '')).join('; ')}.`];
}

function visible(message: string): string {
  return message.replaceAll('\n', '\\n');
}

/** Seconds in words. */
function duration(seconds: number): string {
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
