/**
 * Computes the signatures of test/fixtures/own-vectors.json again, written out by hand over node:crypto and independent of
 * the product's engine: each function says whether its vector is genuine.
 */
import { createHash, createHmac, createPublicKey, verify } from 'node:crypto';

export interface OwnVector {
  readonly id: string;
  readonly provider: string;
  readonly scheme: string | null;
  readonly expect: 'valid' | 'invalid' | 'unauthenticated';
  readonly how: string;
  readonly secret?: string;
  readonly publicKey?: string;
  readonly config?: Readonly<Record<string, string>>;
  readonly method: string;
  readonly url?: string;
  readonly now?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyBase64: string;
}

type Recompute = (vector: OwnVector, body: Buffer) => boolean;

const header = (vector: OwnVector, name: string): string => vector.headers[name] ?? '';
const hmac = (vector: OwnVector, ...parts: readonly (string | Buffer)[]) => {
  const mac = createHmac('sha256', vector.secret ?? '');
  for (const part of parts) mac.update(part);
  return mac;
};

function jiraToken(vector: OwnVector): boolean {
  const [head = '', claims = '', signature] = header(vector, 'Authorization').replace('JWT ', '').split('.');
  const read = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;
  const qsh = createHash('sha256').update('POST&/in/jira&user_id=a%20b').digest('hex');
  return hmac(vector, `${head}.${claims}`).digest('base64url') === signature && read['qsh'] === qsh;
}

function adobe(number: 1 | 2): Recompute {
  return (vector, body) => {
    const { recipient_client_id } = JSON.parse(body.toString()) as { recipient_client_id: string };
    const signature = Buffer.from(header(vector, `X-Adobe-Digital-Signature-${number}`), 'base64');
    const genuine = verify('sha256', body, createPublicKey(vector.publicKey ?? ''), signature);
    return genuine && recipient_client_id === vector.config?.['clientId'];
  };
}

function cdp(vector: OwnVector, body: Buffer): boolean {
  const signature = header(vector, 'X-Hook0-Signature');
  const mac = hmac(vector, '1790000000.content-type x-event-id.application/json.e-1.', body).digest('hex');
  return signature === `t=1790000000,h=content-type x-event-id,v1=${mac}`;
}

function graph(vector: OwnVector, body: Buffer): boolean {
  const { value } = JSON.parse(body.toString()) as { value: { clientState: string }[] };
  return value.every(item => item.clientState === vector.secret);
}

const mac = (
  alg: string,
  encoding: 'hex' | 'base64',
  { secret = '' }: { readonly secret?: string | Buffer },
  ...parts: readonly (string | Buffer)[]
) => {
  const made = createHmac(alg, secret);
  for (const part of parts) made.update(part);
  return made.digest(encoding);
};
/** A secret that is the key in base64, after `whsec_` or not. */
const decoded = ({ secret = '' }: OwnVector) => ({ secret: Buffer.from(secret.replace('whsec_', ''), 'base64') });
/** A token: who has it, has the secret. */
const isSecret =
  (name: string): Recompute =>
  vector =>
    header(vector, name) === vector.secret;
const inQuery: Recompute = vector => new URL(vector.url ?? '').searchParams.get('token') === vector.secret;

const inBasic: Recompute = vector =>
  header(vector, 'Authorization') === `Basic ${Buffer.from(vector.secret ?? '').toString('base64')}`;

/** A HS256 token with the hash of the body in one of its claims. */
function hashToken(name: string, prefix: string, claim: string, encoding: 'hex' | 'base64'): Recompute {
  return (vector, body) => {
    const [head = '', payload = '', signature] = header(vector, name).slice(prefix.length).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    const genuine = hmac(vector, `${head}.${payload}`).digest('base64url') === signature;
    return genuine && claims[claim] === createHash('sha256').update(body).digest(encoding);
  };
}

/** Apple's root is pinned: the certificates of this vector lead to another. */
const leadsToApple: Recompute = (_vector, body) => {
  const { signedPayload } = JSON.parse(body.toString()) as { signedPayload: string };
  const { x5c } = JSON.parse(Buffer.from(signedPayload.split('.')[0] ?? '', 'base64url').toString()) as {
    x5c: readonly string[];
  };
  const root = createHash('sha256').update(Buffer.from(x5c.at(-1) ?? '', 'base64'));
  return root.digest('hex') === '63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179';
};

const telnyx: Recompute = (vector, body) => {
  const x = Buffer.from(vector.secret ?? '', 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const message = Buffer.concat([Buffer.from(`${header(vector, 'Telnyx-Timestamp')}|`), body]);
  return verify(null, message, key, Buffer.from(header(vector, 'Telnyx-Signature-Ed25519'), 'base64'));
};

const RECOMPUTE: Readonly<Record<string, Recompute>> = {
  'mailgun-form-own': (vector, body) => {
    const form = new URLSearchParams(body.toString());
    const mac = hmac(vector, `${form.get('timestamp')}${form.get('token')}`).digest('hex');
    return form.get('signature') === mac;
  },
  'generic-t-v1-own': (vector, body) =>
    header(vector, 'X-Webhook-Signature').endsWith(`,v1=${hmac(vector, '1790000000.', body).digest('hex')}`),
  'jira-connect-own': jiraToken,
  'coinbase-cdp-v1-own': cdp,
  'microsoft-graph-own': graph,
  'microsoft-graph-forged-item': graph,
  'cloudevents-bearer-own': vector => header(vector, 'Authorization') === `Bearer ${vector.secret}`,
  'cloudevents-query-own': vector => new URL(vector.url ?? '').searchParams.get('access_token') === vector.secret,
  'adobe-own': adobe(1),
  'adobe-second-key': adobe(2),
  'adobe-other-client': adobe(1),
  'mercado-pago-lower-own': vector =>
    header(vector, 'X-Signature') ===
    `ts=1742505638683,v1=${mac('sha256', 'hex', vector, 'id:ord01jq4s;request-id:r-1;ts:1742505638683;')}`,
  'mercado-pago-own': vector =>
    header(vector, 'X-Signature') ===
    `ts=1742505638683,v1=${mac('sha256', 'hex', vector, 'id:999;request-id:r-1;ts:1742505638683;')}`,
  'mandrill-own': (vector, body) => {
    const value = new URLSearchParams(body.toString()).get('mandrill_events') ?? '';
    const made = mac('sha1', 'base64', vector, vector.url ?? '', 'mandrill_events', value);
    return header(vector, 'X-Mandrill-Signature') === made;
  },
  'microsoft-teams-own': (vector, body) => {
    const made = createHmac('sha256', Buffer.from(vector.secret ?? '', 'base64'))
      .update(body)
      .digest('base64');
    return header(vector, 'Authorization') === `HMAC ${made}`;
  },
  'telnyx-own': telnyx,
  'netlify-own': hashToken('X-Webhook-Signature', '', 'sha256', 'hex'),
  'livekit-own': hashToken('Authorization', '', 'sha256', 'base64'),
  'fusionauth-own': hashToken('X-FusionAuth-Signature-JWT', '', 'request_body_sha256', 'base64'),
  'vonage-own': hashToken('Authorization', 'Bearer ', 'payload_hash', 'hex'),
  'telegram-own': isSecret('X-Telegram-Bot-Api-Secret-Token'),
  'revenuecat-own': isSecret('Authorization'),
  'bigcommerce-own': isSecret('Authorization'),
  'azure-event-grid-own': isSecret('Authorization'),
  'azure-event-grid-query-own': inQuery,
  'salesforce-own': inQuery,
  'azure-devops-own': inBasic,
  'pipedrive-own': inBasic,
  'oura-own': (vector, body) =>
    header(vector, 'X-Oura-Signature') ===
    mac('sha256', 'hex', vector, header(vector, 'X-Oura-Timestamp'), body).toUpperCase(),
  'onfleet-own': (vector, body) =>
    header(vector, 'X-Onfleet-Signature') ===
    mac('sha512', 'hex', { secret: Buffer.from(vector.secret ?? '', 'hex') }, body),
  'recharge-sha256-own': ({ secret = '', ...vector }, body) =>
    vector.headers['X-Recharge-Hmac-Sha256'] === createHash('sha256').update(secret).update(body).digest('hex'),
  'app-store-own': leadsToApple,
};

const TERM = /^(?:body|"[^"]*"|[A-Z][\w-]*)/;
const MAC = /^(hex|base64)\(HMAC-(SHA\d+)\((base64 )?secret, ([^)]*)\)\)/;

/** The text or bytes that a formula makes: a sum of literals, names of headers, `body` and HMACs over such sums. */
function evaluate(formula: string, vector: OwnVector, body: Buffer): Buffer | undefined {
  const parts: (string | Buffer)[] = [];
  for (let rest = formula; ; rest = rest.slice(3)) {
    const [made, encoding, alg = '', isDecoded, inner = ''] = MAC.exec(rest) ?? [];
    const term = made ?? TERM.exec(rest)?.[0];
    if (term === undefined) return undefined;
    const signed = made === undefined ? undefined : evaluate(inner, vector, body);
    const key = isDecoded === undefined ? vector : decoded(vector);
    if (signed) parts.push(mac(alg.toLowerCase(), encoding as 'hex' | 'base64', key, signed));
    else if (term === 'body') parts.push(body);
    else if (term.startsWith('"')) parts.push(term.slice(1, -1));
    else if (vector.headers[term] !== undefined) parts.push(header(vector, term));
    else return undefined;
    rest = rest.slice(term.length);
    if (rest === '' || rest.startsWith('; ')) break;
    if (!rest.startsWith(' + ')) return undefined;
  }
  return Buffer.concat(parts.map(part => Buffer.from(part as string)));
}

/**
 * Whether the vector is genuine: by its own function above, else a header is what the formula in `how` makes, to the byte.
 * `undefined`: it has neither.
 */
export function recompute(vector: OwnVector, body: Buffer): boolean | undefined {
  const own = RECOMPUTE[vector.id];
  if (own) return own(vector, body);
  const made = /HMAC-SHA/.test(vector.how) ? evaluate(vector.how, vector, body)?.toString() : undefined;
  return made === undefined ? undefined : Object.values(vector.headers).includes(made);
}
