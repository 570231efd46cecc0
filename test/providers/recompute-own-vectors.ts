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

const xOauth2: Recompute = (vector, body) =>
  header(vector, 'X-Twitter-Webhooks-Signature-OAuth2') === `sha256=${hmac(vector, body).digest('base64')}`;

export const RECOMPUTE: Readonly<Record<string, Recompute>> = {
  'mailgun-form-own': (vector, body) => {
    const form = new URLSearchParams(body.toString());
    const mac = hmac(vector, `${form.get('timestamp')}${form.get('token')}`).digest('hex');
    return form.get('signature') === mac;
  },
  'generic-hex-body-own': (vector, body) => header(vector, 'X-Webhook-Signature') === hmac(vector, body).digest('hex'),
  'generic-sha256-body-own': (vector, body) =>
    header(vector, 'X-Webhook-Signature') === `sha256=${hmac(vector, body).digest('hex')}`,
  'generic-t-v1-own': (vector, body) =>
    header(vector, 'X-Webhook-Signature').endsWith(`,v1=${hmac(vector, '1790000000.', body).digest('hex')}`),
  'generic-timestamp-sha256-own': (vector, body) =>
    header(vector, 'Webhook-Signature') === `sha256=${hmac(vector, '1790000000.', body).digest('hex')},keyId=k2`,
  'shopify-events-own': (vector, body) => header(vector, 'Shopify-Hmac-Sha256') === hmac(vector, body).digest('base64'),
  'jira-connect-own': jiraToken,
  'x-oauth2-own': xOauth2,
  'x-activity-own': xOauth2,
  'coinbase-cdp-v1-own': cdp,
  'twitch-own': (vector, body) => {
    const signed = header(vector, 'Twitch-Eventsub-Message-Id') + header(vector, 'Twitch-Eventsub-Message-Timestamp');
    const mac = hmac(vector, signed, body).digest('hex');
    return header(vector, 'Twitch-Eventsub-Message-Signature') === `sha256=${mac}`;
  },
  'microsoft-graph-own': graph,
  'microsoft-graph-forged-item': graph,
  'cloudevents-bearer-own': vector => header(vector, 'Authorization') === `Bearer ${vector.secret}`,
  'cloudevents-query-own': vector => new URL(vector.url ?? '').searchParams.get('access_token') === vector.secret,
  'adobe-own': adobe(1),
  'adobe-second-key': adobe(2),
  'adobe-other-client': adobe(1),
};
