/** SDKs of providers that sign the URL they call. */
import { Signature } from '@hubspot/api-client';
import { WebhooksHelper } from 'square';
import twilio from 'twilio';
import type { RawRequest } from '../../../core/verification/raw-request.ts';
import { header, type Oracle, PUBLIC_URL, text } from '../oracle.ts';

const secrets = { secret: 'shared-secret-of-the-source', otherSecret: 'shared-secret-of-somebody-else' };

const urlOf = ({ rawQuery }: RawRequest): string => (rawQuery === '' ? PUBLIC_URL : `${PUBLIC_URL}?${rawQuery}`);

/** As a form parser hands them over: a list where a name came twice. */
function formFields(request: RawRequest): Record<string, string | string[]> {
  const fields = new URLSearchParams(text(request.body));
  return Object.fromEntries(
    [...new Set(fields.keys())].map(name => {
      const values = fields.getAll(name);
      return [name, values.length > 1 ? values : (values[0] ?? '')];
    }),
  );
}

/** URLs with what makes encodings differ, on both sides alike. */
const oddUrls = (genuine: RawRequest): Readonly<Record<string, RawRequest>> => ({
  'query changed': { ...genuine, rawQuery: genuine.rawQuery.replace('a=1', 'a=2') },
  'query in another order': { ...genuine, rawQuery: genuine.rawQuery.split('&').toReversed().join('&') },
});

const hubspot = (version: 'v1' | 'v2' | 'v3', scheme: string, headers: Readonly<Record<string, string>>): Oracle => ({
  provider: version === 'v3' ? 'hubspot' : 'hubspot-legacy',
  scheme,
  sdk: '@hubspot/api-client',
  call: `Signature.isValid(${version})`,
  ...secrets,
  headers,
  query: 'a=1&b=x%2Fy%20z',
  accepts: request =>
    Signature.isValid({
      signatureVersion: version,
      method: 'POST',
      clientSecret: secrets.secret,
      requestBody: text(request.body),
      signature: header(request, version === 'v3' ? 'x-hubspot-signature-v3' : 'x-hubspot-signature'),
      url: urlOf(request),
      ...(version === 'v3' ? { timestamp: Number(header(request, 'x-hubspot-request-timestamp')) } : {}),
    }),
  ...(version === 'v1' ? {} : { extra: (genuine: (body?: string) => RawRequest) => oddUrls(genuine()) }),
});

export const URL_SIGNED: readonly Oracle[] = [
  {
    provider: 'square',
    sdk: 'square',
    call: 'WebhooksHelper.verifySignature()',
    ...secrets,
    query: 'a=1&b=2',
    accepts: request =>
      WebhooksHelper.verifySignature({
        requestBody: text(request.body),
        signatureHeader: header(request, 'x-square-hmacsha256-signature'),
        signatureKey: secrets.secret,
        notificationUrl: urlOf(request),
      }),
    extra: genuine => oddUrls(genuine()),
  },
  {
    provider: 'twilio',
    scheme: 'twilio-form',
    sdk: 'twilio',
    call: 'validateRequest()',
    ...secrets,
    query: 'a=1&b=x%20y',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'MessageSid=SM1&Body=Hello+W%C3%B6rld+%26+co&From=%2B4915112345678&MessageStatus=sent',
    anyBody: false,
    accepts: request =>
      twilio.validateRequest(
        secrets.secret,
        header(request, 'x-twilio-signature'),
        urlOf(request),
        formFields(request),
      ),
    extra: genuine => ({
      ...oddUrls(genuine()),
      'form fields in another order': {
        ...genuine(),
        body: Buffer.from(Buffer.from(genuine().body).toString().split('&').toReversed().join('&')),
      },
      'form field changed': {
        ...genuine(),
        body: Buffer.from(Buffer.from(genuine().body).toString().replace('sent', 'sEnt')),
      },
      'form field twice': genuine('Media=b&Media=a&Media=b&Sid=1'),
      'form field without a value': genuine('Empty=&Sid=1&Bare'),
      'form field with $& and a percent sign': genuine('Body=%24%26%20100%25&Sid=1'),
      'form with no fields': genuine(''),
      'signed for the URL with its port': signedForPort(genuine),
    }),
  },
  {
    provider: 'twilio',
    scheme: 'twilio-json',
    sdk: 'twilio',
    call: 'validateRequestWithBody()',
    ...secrets,
    query: 'a=1',
    accepts: request =>
      twilio.validateRequestWithBody(
        secrets.secret,
        header(request, 'x-twilio-signature'),
        urlOf(request),
        text(request.body),
      ),
    extra: genuine => oddUrls(genuine()),
  },
  hubspot('v3', 'hubspot-v3', {}),
  hubspot('v2', 'hubspot-v2', { 'x-hubspot-signature-version': 'v2' }),
  hubspot('v1', 'hubspot-v1', { 'x-hubspot-signature-version': 'v1' }),
];

/** Some Twilio products sign `https://host:443/…`. */
function signedForPort(genuine: (body?: string) => RawRequest): RawRequest {
  const request = genuine();
  const url = urlOf(request).replace('hooks.example.com', 'hooks.example.com:443');
  const signature = twilio.getExpectedTwilioSignature(secrets.secret, url, formFields(request));
  return { ...request, headers: { ...request.headers, 'x-twilio-signature': signature } };
}
