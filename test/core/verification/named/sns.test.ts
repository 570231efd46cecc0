import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Jwk } from '#core/ports.ts';
import type { Scheme } from '#core/provider/provider-spec.ts';
import { utf8 } from '#core/scan/bytes.ts';
import type { VerifyContext } from '#core/verification/verify-context.ts';
import { outcome, requestWith, signed, specWith } from '../test-spec.ts';

const SNS: Scheme = { id: 'test', alg: 'rsa-sha256', code: 'sns', sig: { from: 'json:Signature' } };
const spec = specWith(SNS);
const TOPIC = 'arn:aws:sns:us-east-1:123456789012:events';
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const jwk = publicKey.export({ format: 'jwk' }) as Jwk;

const settings = { topicArn: `arn:aws:sns:us-east-1:123456789012:first, ${TOPIC}` };
const asked: string[] = [];
const context: Partial<VerifyContext> = {
  secret: undefined,
  settings,
  keys: {
    fetchKey: (_kind, locator) => {
      asked.push(locator);
      return Promise.resolve(jwk);
    },
  },
};

const message = {
  Type: 'Notification',
  MessageId: 'm-1',
  TopicArn: TOPIC,
  Subject: 'Hello',
  Message: 'line one\nline two',
  Timestamp: '2026-11-21T03:00:00.000Z',
  SignatureVersion: '2',
  SigningCertURL: 'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0123abcd.pem',
};
const signMessage = (fields: Record<string, string>, names: readonly string[], algorithm = 'sha256') => {
  const text = names
    .filter(name => fields[name] !== undefined)
    .map(name => `${name}\n${fields[name]}\n`)
    .join('');
  return { ...fields, Signature: sign(algorithm, Buffer.from(text), privateKey).toString('base64') };
};
const NOTIFICATION = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'];
const CONFIRMATION = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
const check = (fields: object, more: Partial<VerifyContext> = {}) =>
  outcome(spec, requestWith(JSON.stringify(fields)), { ...context, ...more });

describe('SNS messages', () => {
  it('verify in both signature versions, with and without a subject', async () => {
    expect(await check(signMessage(message, NOTIFICATION))).toBe('verified');
    expect(await check(signMessage({ ...message, SignatureVersion: '1' }, NOTIFICATION, 'sha1'))).toBe('verified');
    const { Subject: _subject, ...plain } = message;
    expect(await check(signMessage(plain, NOTIFICATION))).toBe('verified');
    const confirmation = {
      ...plain,
      Type: 'SubscriptionConfirmation',
      Token: 't',
      SubscribeURL: 'https://sns.us-east-1.amazonaws.com/?x',
    };
    expect(await check(signMessage(confirmation, CONFIRMATION))).toBe('verified');
    expect(await check(signMessage({ ...confirmation, Type: 'UnsubscribeConfirmation' }, CONFIRMATION))).toBe(
      'verified',
    );
    expect(asked.every(url => url === message.SigningCertURL)).toBe(true);
  });

  it('of another topic are refused, however well signed', async () => {
    expect(
      await check(signMessage({ ...message, TopicArn: 'arn:aws:sns:us-east-1:999999999999:mine' }, NOTIFICATION)),
    ).toBe('binding');
    expect(await check(signMessage(message, NOTIFICATION), { settings: {} })).toBe('no_key');
    expect(
      await check(signMessage({ ...message, TopicArn: '' }, NOTIFICATION), { settings: { topicArn: ' , ' } }),
    ).toBe('no_key');
  });

  it.each([
    'http://sns.us-east-1.amazonaws.com/SimpleNotificationService-0123abcd.pem',
    'https://sns.us-east-1.amazonaws.com.evil.example.com/SimpleNotificationService-0123abcd.pem',
    'https://evil.example.com/sns.us-east-1.amazonaws.com/SimpleNotificationService-0123abcd.pem',
    'https://sns.us-east-1.amazonaws.com@evil.example.com/SimpleNotificationService-0123abcd.pem',
    'https://evil-bucket.s3.amazonaws.com/SimpleNotificationService-0123abcd.pem',
    'https://sns.us-east-1.amazonaws.com:8443/SimpleNotificationService-0123abcd.pem',
    'https://sns.us-east-1.amazonaws.com/other/../SimpleNotificationService-0123abcd.pem',
    'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0123abcd.pem?x=1',
    'https://sns.us-east-1.amazonaws.com/anything.pem',
    '',
  ])('never make us fetch %s', async SigningCertURL => {
    asked.length = 0;
    expect(await check(signMessage({ ...message, SigningCertURL }, NOTIFICATION))).toBe('binding');
    expect(asked).toEqual([]);
  });

  it('are refused when changed, incomplete or of an unknown kind', async () => {
    const good = signMessage(message, NOTIFICATION);
    expect(await check({ ...good, Message: 'other' })).toBe('mismatch');
    expect(await check({ ...good, Subject: undefined })).toBe('mismatch');
    expect(await check({ ...good, SignatureVersion: '3' })).toBe('malformed');
    expect(await check({ ...good, Type: 'constructor' })).toBe('malformed');
    expect(await check({ ...good, Timestamp: undefined })).toBe('malformed');
    expect(await check({ ...good, Signature: 'not base64!' })).toBe('malformed');
    expect(await check({ ...good, Signature: undefined })).toBe('missing');
    expect(await outcome(spec, requestWith('junk'), context)).toBe('malformed');
    expect(await check(good, { keys: { fetchKey: () => Promise.reject(new Error('down')) } })).toBe('key_fetch');
  });

  it('without a subject are refused with one that cannot be read', async () => {
    const { Subject: _subject, ...plain } = message;
    const good = signMessage(plain, NOTIFICATION);
    for (const Subject of [{ text: 'Pay at once' }, ['Pay at once'], 'Pay at once\ud800']) {
      expect(await check({ ...good, Subject })).toBe('malformed');
    }
    expect(await check({ ...good, Subject: null })).toBe('verified');
  });

  it('are refused when lines of the message are moved into another field', async () => {
    const { Subject: _subject, ...plain } = message;
    const good = signMessage({ ...plain, Message: 'first\nMessageId\nm-2\nSubject\nsecond' }, NOTIFICATION);
    expect(await check(good)).toBe('verified');
    const moved = { ...good, Message: 'first', MessageId: 'm-2', Subject: 'second\nMessageId\nm-1' };
    expect(await check(moved)).toBe('malformed');
  });

  it('make us fetch no certificate before their topic is known', async () => {
    asked.length = 0;
    const others = signMessage({ ...message, TopicArn: 'arn:aws:sns:us-east-1:999999999999:mine' }, NOTIFICATION);
    expect(await check(others)).toBe('binding');
    expect(asked).toEqual([]);
  });

  it('are made by the helper from any body', async () => {
    const signer = (bytes: Uint8Array) => sign('sha256', bytes, privateKey);
    const request = signed(spec, 'just text', { settings: { topicArn: TOPIC }, sign: signer });
    expect(JSON.parse(Buffer.from(request.body).toString())).toMatchObject({
      Type: 'Notification',
      Message: 'just text',
    });
    expect(await outcome(spec, request, context)).toBe('verified');
    const own = signed(spec, utf8(JSON.stringify(message)), { settings, sign: signer });
    expect(JSON.parse(Buffer.from(own.body).toString())).toMatchObject(message);
    expect(await outcome(spec, own, context)).toBe('verified');
  });
});
