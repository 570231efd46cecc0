/**
 * What a spec and a secret must hold before anything is deployed with them. The interpreter fails closed on all of this at
 * run time; here it is said in words, and early.
 */
import { eventTimes, type Handshake, type ProviderSpec, type Scheme } from '#core/provider/provider-spec.ts';
import { ackOf, methodsOf, schemeId, signatureHeadersOf, strengthOf } from '#core/provider/spec-defaults.ts';
import { decode } from '#core/scan/bytes.ts';
import { isAsymmetric, isSymmetric } from './check-signature.ts';
import { loweredSource, splitTemplate } from './message.ts';
import { publicKey, strippedSecret } from './secret-keys.ts';

const SRC = /^(?:(?:header|json|root|parent|doc|form|query|sig|claim|config|text):.+|item:key|method|url)\??$/s;
const MESSAGE_WORDS = ['ts', 'body', 'secret', 'pathQuery', 'formSorted', 'signedHeaders', 'crc32(body)'];
/** A window must survive clock skew and a cold start. */
const MIN_WINDOW_SECONDS = 30;

/** Problems of a spec, each a sentence; empty when it may be used. Never throws on a value of the type. */
export function checkSpec(spec: ProviderSpec): string[] {
  const problems = [
    ...checkFacts(spec),
    ...spec.verify.flatMap(scheme =>
      checkScheme(scheme, spec).map(problem => `scheme "${schemeId(scheme, spec)}": ${problem}`),
    ),
    ...checkIdentity(spec),
    ...(spec.handshakes ?? []).flatMap((handshake, i) =>
      checkHandshake(handshake, spec).map(problem => `handshake ${i + 1}: ${problem}`),
    ),
    ...checkSources(spec),
  ];
  return problems.map(problem => `provider "${spec.id}": ${problem}`);
}

function collector() {
  const problems: string[] = [];
  const need = (holds: boolean, problem: string): void => {
    if (!holds) problems.push(problem);
  };
  return { problems, need };
}

function checkFacts(spec: ProviderSpec): string[] {
  const { problems, need } = collector();
  need(/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(spec.id), 'the id must be lower-case words joined by hyphens');
  need(/^\d{4}-\d{2}-\d{2}$/.test(spec.checkedOn), 'checkedOn must be a date, yyyy-mm-dd');
  need(/^https:\/\/|^docs\//.test(spec.docs), 'docs must be an https address or a file in docs/');
  need(
    spec.verify.length > 0 || spec.strength === 'none',
    `strength "${strengthOf(spec)}" needs at least one scheme in verify`,
  );
  need(spec.verify.length === 0 || spec.strength !== 'none', 'strength "none" with a scheme: say what it proves');
  need(
    new Set(spec.verify.map(scheme => schemeId(scheme, spec))).size === spec.verify.length,
    'two schemes have the same id',
  );
  const { status, rejectStatus, givesUpOn403, deadlineMs } = ackOf(spec);
  need(status >= 200 && status <= 299, 'ack.status must be 200 to 299');
  need(deadlineMs > 0, 'ack.deadlineMs must be above 0');
  need(!givesUpOn403 || rejectStatus !== 403, 'ack.rejectStatus is 403, after which it gives up (givesUpOn403)');
  need(methodsOf(spec).length > 0, 'methods is empty');
  need(isPlainData(spec), 'a spec is JSON: no functions, patterns as strings, no undefined');
  return problems;
}

function isPlainData(value: unknown): boolean {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return true;
  if (Array.isArray(value)) return value.every(isPlainData);
  if (typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.values(value).every(isPlainData);
}

function checkScheme(scheme: Scheme, spec: ProviderSpec): string[] {
  const { alg, sig, key, message, time } = scheme;
  const { problems, need } = collector();
  if (scheme.code === 'sns') return problems;
  const signs = isSymmetric(alg) || isAsymmetric(alg);
  need(!signs || message !== undefined, 'message is missing: say which bytes are signed');
  need(!signs || scheme.encoding !== undefined, 'encoding is missing: hex, base64 or base64url');
  need(
    alg !== 'digest-sha256' || message?.includes('{secret}') === true,
    'a plain digest must have {secret} in message',
  );
  need(message?.includes('{signedHeaders}') !== true || scheme.signedHeaders !== undefined, 'signedHeaders is missing');
  need(
    scheme.separated === undefined || message?.includes(`{${scheme.separated.except}}`) === true,
    'separated.except is no value of message',
  );
  need(
    !(scheme.bind ?? []).some(bind => isUnsignedSource(bind.equals)),
    'bind compares with a value that is not part of the signed text',
  );
  if (time) {
    need(isTimeSigned(scheme), `a window over ${time.from}, which is not part of the signed bytes`);
    for (const [side, seconds] of Object.entries({ past: time.past, future: time.future })) {
      need(
        seconds === undefined || seconds >= MIN_WINDOW_SECONDS,
        `time.${side} is ${seconds} s: clock skew and cold starts need at least ${MIN_WINDOW_SECONDS}`,
      );
    }
  }
  need(
    alg === 'jwt' || scheme.claims === undefined || message?.includes('{body}') === true,
    'claims of a body that is not signed',
  );
  if (alg === 'jwt') {
    const { leewaySeconds = MIN_WINDOW_SECONDS } = scheme;
    need(
      leewaySeconds >= MIN_WINDOW_SECONDS,
      `leewaySeconds is ${leewaySeconds}: clock skew needs at least ${MIN_WINDOW_SECONDS}`,
    );
    need(
      scheme.timeless !== true || bindsBody(scheme),
      'a timeless token that neither binds the body nor is the body could be sent with any other',
    );
    need(scheme.jwtAlg !== undefined, 'jwtAlg is missing: the algorithm is pinned here, never taken from the token');
    need(
      Object.keys(scheme.claims ?? {}).length + (scheme.bind ?? []).length > 0,
      'a token bound to nothing: name claims or bind',
    );
  }
  if (key?.provider === 'x5c') {
    need(alg === 'jwt' && scheme.jwtAlg !== 'HS256', 'x5c is for tokens signed with a private key');
    need(
      (key.chain?.roots ?? []).length > 0 && key.chain?.roots.every(root => /^[0-9a-f]{64}$/.test(root)) === true,
      'key.chain.roots must pin at least one root certificate by its SHA-256 in lower-case hex',
    );
  }
  if (key?.provider === 'x509Url') {
    need(
      key.from !== undefined && key.hosts !== undefined && key.paths !== undefined,
      'key.from, hosts and paths pin the certificate: all are needed',
    );
  }
  if (key?.provider === 'jwksUrl') {
    need(/^(?:https:\/\/|config:)/.test(key.from ?? ''), 'key.from must be an https address or a setting');
  }
  need(
    scheme.batch === undefined || sameList(scheme.batch, spec.identity.items),
    'batch and identity.items must be the same path',
  );
  for (const pattern of [sig.headerPattern, key?.hosts, key?.paths, scheme.guard?.rejectMessage]) {
    need(pattern === undefined || isPattern(pattern), `"${pattern}" is not a regular expression`);
  }
  for (const part of message === undefined ? [] : splitTemplate(message)) {
    if ('token' in part)
      need(
        MESSAGE_WORDS.includes(part.token) || SRC.test(loweredSource(part.token) ?? part.token),
        `unknown token {${part.token}} in message`,
      );
  }
  return problems;
}

function bindsBody({ bind = [], sig }: Scheme): boolean {
  return bind.some(({ of = 'body' }) => of === 'body') || [sig.from].flat().every(src => src.startsWith('json:'));
}

function isUnsignedSource(src: string): boolean {
  return src.startsWith('header:');
}

function sameList(batch: string, items: ProviderSpec['identity']['items']): boolean {
  return items === batch || (Array.isArray(items) && items.length === 1 && items[0] === batch);
}

/** The time is in the signed bytes as `{ts}`, by its own name, inside the body, or among the signed headers. */
function isTimeSigned({ message = '', time, signedHeaders }: Scheme): boolean {
  const from = time?.from ?? '';
  if (message.includes('{ts}') || message.includes(`{${from}}`)) return true;
  if (/^(?:json|root|form):/.test(from)) return message.includes('{body}');
  return from.startsWith('header:') && signedHeaders !== undefined && message.includes('{signedHeaders}');
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}

function checkIdentity({ identity, verify }: ProviderSpec): string[] {
  const problems: string[] = [];
  if (identity.key.length === 0 || identity.key.some(parts => parts.length === 0)) {
    problems.push('identity.key has no alternative; use [["hash:body"]] or [["none"]]');
  }
  const readsQuery = identity.key.flat().some(src => src.startsWith('query:'));
  if (readsQuery && verify.some(({ sig }) => [sig.from].flat().some(src => src.startsWith('query:'))))
    problems.push(
      'identity reads the query, which is then kept with the event: a signature or token must not be in it',
    );
  const claims = [...identity.key.flat(), ...identity.type, ...eventTimes(identity).map(({ from }) => from)].some(src =>
    src.startsWith('claim:'),
  );
  if (claims && !verify.some(scheme => scheme.alg === 'jwt'))
    problems.push('identity reads a claim, but no scheme is a jwt');
  return problems;
}

function checkHandshake(handshake: Handshake, spec: ProviderSpec): string[] {
  const { when, respond, guard, verify } = handshake;
  const { problems, need } = collector();
  const templates = [respond.body ?? '', ...Object.values(respond.headers ?? {})];
  const { method, ...conditions } = when;
  need(methodsOf(spec).includes(method), `method ${method} is not in methods`);
  need(
    method !== 'POST' || Object.keys(conditions).length > 0,
    'it would answer every event: say how to tell it apart',
  );
  need(verify !== 'signature' || spec.verify.length > 0, 'verify is "signature", but the provider signs nothing');
  for (const template of templates) {
    for (const [, name = '', list = ''] of template.matchAll(/\{([a-z]+)\(([^(){}]*)\)\}/g)) {
      need(['echo', 'json', 'hmac', 'hash'].includes(name), `unknown function ${name}() in the answer`);
      if (name !== 'hmac') continue;
      const sources = list.split(',').slice(2);
      need(
        guard !== undefined && sources.includes(guard.src),
        'the answer signs text of the caller: a guard on it is mandatory, or the answer could be used as the signature of a body',
      );
    }
  }
  for (const pattern of [guard?.accept, handshake.confirm?.hosts]) {
    need(pattern === undefined || isPattern(pattern), `"${pattern}" is not a regular expression`);
  }
  return problems;
}

/** Every source is well-formed, headers are lower-case and redacted, and settings are declared. */
function checkSources(spec: ProviderSpec): string[] {
  const problems: string[] = [];
  const json = JSON.stringify({ verify: spec.verify, identity: spec.identity, handshakes: spec.handshakes });
  for (const [, name = ''] of json.matchAll(/[\x22{(,]header:([^\x22{}(),?]+)/g)) {
    if (name !== name.toLowerCase()) problems.push(`header names are lower-case: "${name}"`);
  }
  for (const [, name = ''] of json.matchAll(/[\x22{(,]config:([^\x22{}(),?]+)/g)) {
    if (!Object.hasOwn(spec.settings ?? {}, name))
      problems.push(`setting "${name}" is used but not described in settings`);
  }
  for (const src of [...spec.identity.key.flat(), ...spec.identity.type]) {
    if (!SRC.test(src) && src !== 'hash:body' && src !== 'none') problems.push(`unknown source "${src}" in identity`);
  }
  for (const scheme of spec.verify) {
    for (const src of [scheme.sig.from].flat()) {
      const name = src.startsWith('header:') && scheme.sig.headerPattern === undefined ? src.slice(7) : undefined;
      if (name !== undefined && !signatureHeadersOf(spec).includes(name))
        problems.push(`signatureHeaders lacks "${name}"`);
    }
  }
  return [...new Set(problems)];
}

/**
 * Why this text cannot be the secret of a source of this provider, or undefined when it can. The text itself is never part
 * of the answer.
 */
export function usableSecret(secret: string, spec: ProviderSpec): string | undefined {
  if (secret === '') return 'the secret is empty';
  if (/^\s|\s$/.test(secret))
    return 'the secret begins or ends with white space or a line break; copy it again without';
  if (secret.startsWith('whsk_')) return 'this is a private key (whsk_…); enter the public key or the shared secret';
  const schemes = spec.verify.filter(
    scheme => (scheme.key?.provider ?? 'static') === 'static' && scheme.code !== 'sns',
  );
  const reasons = schemes.map(scheme => unusableIn(scheme, secret));
  return reasons.length === 0 || reasons.includes(undefined) ? undefined : reasons[0];
}

function unusableIn(scheme: Scheme, secret: string): string | undefined {
  if (scheme.alg === 'token') return undefined;
  if (scheme.alg === 'basic') return secret.includes(':') ? undefined : 'the secret must be user:password';
  if (isAsymmetric(scheme.alg) || (scheme.alg === 'jwt' && scheme.jwtAlg !== 'HS256')) {
    if (secret.includes('PRIVATE KEY')) return 'this is a private key; enter the public key of the provider';
    const key = publicKey(scheme, secret);
    if (key === undefined) return 'the secret is not a public key in the form this provider gives it';
    const raw = scheme.alg === 'ed25519';
    return raw && !(key instanceof Uint8Array && key.length === 32) ? 'the public key must have 32 bytes' : undefined;
  }
  if (secret.startsWith('whpk_')) return 'this is a public key (whpk_…): as a shared secret it would let anyone sign';
  const encoding = scheme.key?.encoding ?? 'utf8';
  const bytes = decode(strippedSecret(scheme, secret), encoding);
  if (!bytes) return `the secret is not ${encoding}${scheme.key?.strip ? ` (after ${scheme.key.strip.at(-1)})` : ''}`;
  return bytes.length === 0 ? 'the secret is empty' : undefined;
}
