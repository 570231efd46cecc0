/** SDKs of providers with public keys, tokens, or signatures that stand in the body. */
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import sendgrid from '@sendgrid/eventwebhook';
import braintree from 'braintree';
import { verifyKey } from 'discord-interactions';
import { importJWK, type JWTPayload, jwtVerify } from 'jose';
import MessageValidator from 'sns-validator';
import type { Jwk } from '../../../core/ports.ts';
import type { RawRequest } from '../../../core/verification/raw-request.ts';
import { header, type Oracle, PUBLIC_URL, passes, text } from '../oracle.ts';

const require = createRequire(import.meta.url);
const { default: AdyenHmacValidator } = require('@adyen/api-library/lib/src/utils/hmacValidator.js');

type Pair = { readonly privateKey: KeyObject; readonly publicKey: KeyObject };
const pairs = (make: () => Pair): [Pair, Pair] => [make(), make()];
const privateKeysOf = ([ours, theirs]: [Pair, Pair]) => [ours.privateKey, theirs.privateKey] as const;

const ed25519 = pairs(() => generateKeyPairSync('ed25519'));
const p256 = pairs(() => generateKeyPairSync('ec', { namedCurve: 'prime256v1' }));
const rsa = pairs(() => generateKeyPairSync('rsa', { modulusLength: 2_048 }));
const jwkOf = ({ publicKey }: Pair): Jwk => ({ ...(publicKey.export({ format: 'jwk' }) as Jwk), kid: 'k1' });
const none = { secret: 'unused', otherSecret: 'unused' };

const discordKey = Buffer.from((ed25519[0].publicKey.export({ format: 'jwk' }) as { x: string }).x, 'base64url');
const sendgridKey = p256[0].publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
const sendgridWebhook = new sendgrid.EventWebhook();

const ADYEN = {
  secret: '44782def547aaa06c910c43932b1eb0c71fc68d9d0c057550c48ec2acf6ba056',
  otherSecret: 'ab12'.repeat(16),
};
const adyenBody = (change: object = {}): string =>
  JSON.stringify({
    notificationItems: [
      {
        NotificationRequestItem: {
          pspReference: '7914073381342284',
          originalReference: '',
          merchantAccountCode: 'TestMerchant',
          merchantReference: 'TestPayment-1407325143704',
          amount: { value: 1130, currency: 'EUR' },
          eventCode: 'AUTHORISATION',
          success: 'true',
          ...change,
        },
      },
    ],
  });

const BRAINTREE = { secret: 'integration_private_key', otherSecret: 'somebody_elses_private_key' };
const gateway = (privateKey: string) =>
  new braintree.BraintreeGateway({
    environment: braintree.Environment.Sandbox,
    merchantId: 'integration_merchant_id',
    publicKey: 'integration_public_key',
    privateKey,
  });
const sample = await gateway(BRAINTREE.secret).webhookTesting.sampleNotification('subscription_went_past_due', 'my_id');
const btPayload = sample.bt_payload;
const form = (fields: Record<string, string>): Buffer => Buffer.from(new URLSearchParams(fields).toString());

const pem = readFileSync(new URL('../../fixtures/key-server.pem', import.meta.url), 'utf8');
const certificate = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/.exec(pem)?.[0] ?? '';
const certificateKey = createPrivateKey(
  /-----BEGIN PRIVATE KEY-----[\s\S]+?-----END PRIVATE KEY-----/.exec(pem)?.[0] ?? '',
);
const TOPIC = 'arn:aws:sns:us-east-1:123456789012:orders';
const snsMessage = (change: Record<string, unknown> = {}): string =>
  JSON.stringify({
    Type: 'Notification',
    MessageId: '165545c9-2a5c-472c-8df2-7ff2be2b3b1b',
    TopicArn: TOPIC,
    Subject: 'A subject',
    Message: 'Hello — 日本 $& "quoted"\nline',
    Timestamp: new Date().toISOString(),
    SignatureVersion: '2',
    ...change,
  });

/** sns-validator fetches the certificate by itself: its call is answered here, and no other is. */
https.get = ((url: string, done: (response: Readable & { statusCode?: number }) => void) => {
  const isOurs = String(url).startsWith('https://sns.us-east-1.amazonaws.com/');
  const response: Readable & { statusCode?: number } = Readable.from([certificate]);
  response.statusCode = isOurs ? 200 : 404;
  done(response);
  return { on: () => undefined };
}) as never;

const editJson = (request: RawRequest, edit: (json: string) => string): RawRequest => ({
  ...request,
  body: Buffer.from(edit(text(request.body))),
});

/** The checks that Plaid's documentation adds to the token's own. */
async function plaidAccepts(request: RawRequest): Promise<boolean> {
  const key = await importJWK(jwkOf(p256[0]) as never, 'ES256');
  const { payload } = await jwtVerify(header(request, 'plaid-verification'), key, {
    algorithms: ['ES256'],
    maxTokenAge: '5 min',
  });
  return payload['request_body_sha256'] === createHash('sha256').update(request.body).digest('hex');
}

async function pubsubAccepts(request: RawRequest): Promise<boolean> {
  const key = await importJWK(jwkOf(rsa[0]) as never, 'RS256');
  const { payload } = await jwtVerify<JWTPayload & { email?: string; email_verified?: unknown }>(
    header(request, 'authorization').slice('Bearer '.length),
    key,
    { algorithms: ['RS256'], audience: 'our-audience', issuer: 'https://accounts.google.com', clockTolerance: 60 },
  );
  return payload.email === 'pusher@project.iam.gserviceaccount.com' && String(payload.email_verified) === 'true';
}

export const OTHER: readonly Oracle[] = [
  {
    provider: 'discord-interactions',
    sdk: 'discord-interactions',
    call: 'verifyKey()',
    secret: discordKey.toString('hex'),
    otherSecret: '',
    privateKeys: privateKeysOf(ed25519),
    accepts: request =>
      verifyKey(
        request.body,
        header(request, 'x-signature-ed25519'),
        header(request, 'x-signature-timestamp'),
        discordKey.toString('hex'),
      ),
  },
  {
    provider: 'sendgrid',
    sdk: '@sendgrid/eventwebhook',
    call: 'EventWebhook.verifySignature()',
    secret: sendgridKey,
    otherSecret: '',
    privateKeys: privateKeysOf(p256),
    accepts: request =>
      sendgridWebhook.verifySignature(
        sendgridWebhook.convertPublicKeyToECDSA(sendgridKey),
        Buffer.from(request.body),
        header(request, 'x-twilio-email-event-webhook-signature'),
        header(request, 'x-twilio-email-event-webhook-timestamp'),
      ),
  },
  {
    provider: 'adyen',
    sdk: '@adyen/api-library',
    call: 'HmacValidator.validateHMAC()',
    ...ADYEN,
    body: adyenBody(),
    anyBody: false,
    accepts: request => {
      const [item] = JSON.parse(text(request.body)).notificationItems;
      return new AdyenHmacValidator().validateHMAC(item.NotificationRequestItem, ADYEN.secret);
    },
    extra: genuine => ({
      'amount changed': editJson(genuine(), json => json.replace('1130', '1131')),
      'success changed': editJson(genuine(), json => json.replace('"success":"true"', '"success":"false"')),
      'currency changed': editJson(genuine(), json => json.replace('EUR', 'USD')),
      'a field that is not signed changed': editJson(genuine(), json => json.replace('{"notif', '{"live":"x","notif')),
      'signature missing': editJson(genuine(), json => json.replace(/"hmacSignature":"[^"]*"/, '"x":"y"')),
      'signature changed': editJson(genuine(), json => json.replace(/("hmacSignature":")./, '$1_')),
      'fields that are absent': genuine(adyenBody({ originalReference: undefined, merchantReference: undefined })),
      'fields with colons and backslashes': genuine(adyenBody({ merchantReference: 'a:b\\c' })),
      'fields with other letters': genuine(adyenBody({ merchantReference: 'Zoë 日本 $&' })),
    }),
  },
  {
    provider: 'braintree',
    sdk: 'braintree',
    call: 'webhookNotification.parse()',
    ...BRAINTREE,
    settings: { publicKey: 'integration_public_key' },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ bt_payload: btPayload }).toString(),
    anyBody: false,
    accepts: async request => {
      const fields = new URLSearchParams(text(request.body));
      const parse = () =>
        gateway(BRAINTREE.secret).webhookNotification.parse(
          fields.get('bt_signature') ?? '',
          fields.get('bt_payload') ?? '',
        );
      return passes(parse);
    },
    extra: genuine => {
      const fields = Object.fromEntries(new URLSearchParams(text(genuine().body)));
      const { bt_signature: signature = '', bt_payload: payload = '' } = fields;
      const put = (change: Record<string, string>): RawRequest => ({
        ...genuine(),
        body: form({ ...fields, ...change }),
      });
      return {
        "the SDK's own sample": { ...genuine(), body: form(sample) },
        'signature missing': put({ bt_signature: '' }),
        'payload missing': put({ bt_payload: '' }),
        'payload changed': put({ bt_payload: payload.replace(/^./, it => (it === 'P' ? 'Q' : 'P')) }),
        'signature of another public key': put({ bt_signature: signature.replace('integration_public_key', 'other') }),
        'two signatures, ours last': put({ bt_signature: `other|${'0'.repeat(40)}&${signature}` }),
        'two signatures, ours first': put({ bt_signature: `${signature}&other|${'0'.repeat(40)}` }),
        'two signatures under our key, the good one last': put({
          bt_signature: `integration_public_key|${'0'.repeat(40)}&${signature}`,
        }),
        'signature in capitals': put({
          bt_signature: signature.replace(/\|(.*)/, it => it.toUpperCase()),
        }),
      };
    },
  },
  {
    provider: 'sns',
    sdk: 'sns-validator',
    call: 'MessageValidator.validate()',
    ...none,
    settings: { topicArn: TOPIC },
    privateKeys: [certificateKey, rsa[1].privateKey],
    keys: { fetchKey: async () => new X509Certificate(certificate).toString() },
    body: snsMessage(),
    anyBody: false,
    accepts: request =>
      new Promise(resolve => {
        new MessageValidator().validate(JSON.parse(text(request.body)), error => resolve(error === null));
      }),
    extra: genuine => ({
      'without a subject': genuine(snsMessage({ Subject: undefined })),
      'a confirmation': genuine(
        snsMessage({
          Type: 'SubscriptionConfirmation',
          Subject: undefined,
          Token: 't1',
          SubscribeURL: 'https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription',
        }),
      ),
      'message changed': editJson(genuine(), json => json.replace('Hello', 'Hallo')),
      'subject taken away': editJson(genuine(), json => json.replace('"Subject":"A subject",', '')),
      'subject added': editJson(genuine(snsMessage({ Subject: undefined })), json =>
        json.replace('{', '{"Subject":"added",'),
      ),
      'another type': editJson(genuine(), json => json.replace('"Notification"', '"UnsubscribeConfirmation"')),
      'signature missing': editJson(genuine(), json => json.replace(/,"Signature":"[^"]*"/, '')),
      'an unknown signature version': editJson(genuine(), json =>
        json.replace('"SignatureVersion":"2"', '"SignatureVersion":"3"'),
      ),
      'signature version 1, signed as 2': editJson(genuine(), json =>
        json.replace('"SignatureVersion":"2"', '"SignatureVersion":"1"'),
      ),
      'certificate of another host': editJson(genuine(), json =>
        json.replace('sns.us-east-1.amazonaws.com/Simple', 'sns.example.com/Simple'),
      ),
      'certificate of a host that only looks like it': editJson(genuine(), json =>
        json.replace('sns.us-east-1.amazonaws.com/Simple', 'sns.us-east-1.amazonaws.com.example.com/Simple'),
      ),
      'a topic of another account': genuine(snsMessage({ TopicArn: 'arn:aws:sns:us-east-1:999999999999:theirs' })),
    }),
  },
  {
    provider: 'plaid',
    sdk: 'jose',
    call: 'jwtVerify() as Plaid documents it',
    secret: 'api-secret',
    otherSecret: '',
    settings: { clientId: 'client', environment: 'sandbox' },
    privateKeys: privateKeysOf(p256),
    keys: { fetchKey: async () => jwkOf(p256[0]) },
    accepts: plaidAccepts,
  },
  {
    provider: 'pubsub',
    sdk: 'jose',
    call: 'jwtVerify() as Google documents it',
    ...none,
    settings: { audience: 'our-audience', serviceAccount: 'pusher@project.iam.gserviceaccount.com' },
    privateKeys: privateKeysOf(rsa),
    keys: { fetchKey: async () => jwkOf(rsa[0]) },
    anyBody: false,
    accepts: pubsubAccepts,
  },
  {
    provider: 'monday',
    sdk: 'jose',
    call: 'jwtVerify() as monday documents it',
    secret: 'signing-secret-of-the-app-0123456789',
    otherSecret: 'signing-secret-of-somebody-else-012',
    settings: { url: PUBLIC_URL },
    anyBody: false,
    accepts: async request => {
      const key = new TextEncoder().encode('signing-secret-of-the-app-0123456789');
      const { payload } = await jwtVerify(header(request, 'authorization').replace(/^Bearer /, ''), key, {
        algorithms: ['HS256'],
        audience: PUBLIC_URL,
        clockTolerance: 60,
      });
      return payload.aud === PUBLIC_URL;
    },
  },
];
