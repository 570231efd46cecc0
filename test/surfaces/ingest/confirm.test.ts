import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DependencyError } from '#core/errors.ts';
import type { Http, Jwk } from '#core/ports.ts';
import { ProviderWorld, type Sent } from './provider-world.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const { privateKey: otherKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:orders';
const URL_OF_TOPIC = `https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=2336412f37`;

const confirmation = (change: Readonly<Record<string, string>> = {}) =>
  JSON.stringify({
    Type: 'SubscriptionConfirmation',
    MessageId: '165545c9-2a5c-472c-8df2-7ff2be2b3b1b',
    Token: '2336412f37',
    TopicArn: TOPIC,
    Message: 'You have chosen to subscribe to the topic.',
    SubscribeURL: URL_OF_TOPIC,
    Timestamp: '2026-01-05T00:00:00.000Z',
    ...change,
  });

/** What SNS answers, and every address that was called. */
class Sns implements Http {
  readonly calls: string[] = [];
  answer: number | Error = 200;

  async get(url: string): Promise<number> {
    this.calls.push(url);
    if (this.answer instanceof Error) throw this.answer;
    return this.answer;
  }
}

function build() {
  const sns = new Sns();
  const world = new ProviderWorld('sns', {
    settings: { topicArn: TOPIC },
    privateKey,
    ingestPorts: {
      http: sns,
      keys: { fetchKey: async () => publicKey.export({ format: 'jwk' }) as Jwk },
    },
  });
  return { sns, world };
}

describe('a subscription of the configured topic', () => {
  it('is confirmed by one call of the signed address, and stored nowhere', async () => {
    const { sns, world } = build();
    expect(await world.post(world.sign(confirmation()))).toMatchObject({ status: 200, body: '' });
    expect(sns.calls).toEqual([URL_OF_TOPIC]);
    expect(world.stored()).toBe('[[],[]]');
  });

  it('is followed by notifications, which confirm nothing', async () => {
    const { sns, world } = build();
    expect((await world.post(world.sign('{"order":1}'))).status).toBe(200);
    await world.settle();
    expect(sns.calls).toEqual([]);
    expect(world.events()).toMatchObject([{ status: 'completed', eventType: 'Notification' }]);
  });

  it.each([
    ['the call fails', new DependencyError('http', 'no answer within 2000 ms')],
    ['SNS answers 500', 500],
    ['SNS answers with a redirect', 302],
    ['SNS answers 404', 404],
  ])('gives 503 when %s, so that SNS asks again', async (_case, answer) => {
    const { sns, world } = build();
    sns.answer = answer;
    expect(await world.post(world.sign(confirmation()))).toMatchObject({
      status: 503,
      body: expect.stringContaining('not_confirmed'),
      headers: { 'retry-after': '30' },
    });
    expect(world.refusals('confirm')).toBe(1);
    sns.answer = 200;
    expect((await world.post(world.sign(confirmation()))).status).toBe(200);
  });

  it('gives 503 where the function cannot call out at all', async () => {
    const keys = { fetchKey: async () => publicKey.export({ format: 'jwk' }) as Jwk };
    const world = new ProviderWorld('sns', { settings: { topicArn: TOPIC }, privateKey, ingestPorts: { keys } });
    expect((await world.post(world.sign(confirmation()))).status).toBe(503);
  });
});

describe('a confirmation that must not be followed', () => {
  const refused = async (world: ProviderWorld, sns: Sns, sent: Sent, statuses: readonly number[]) => {
    const answer = await world.post(sent);
    expect(statuses).toContain(answer.status);
    expect(sns.calls).toEqual([]);
    expect(world.stored()).toBe('[[],[]]');
  };

  it('is one for another topic, though SNS signed it', async () => {
    const { sns, world } = build();
    const topic = 'arn:aws:sns:eu-central-1:999999999999:attackers-topic';
    await refused(world, sns, world.sign(confirmation({ TopicArn: topic })), [401]);
    expect(world.refusals('binding')).toBe(1);
  });

  it('is one that SNS did not sign', async () => {
    const { sns, world } = build();
    const { sign } = await import('node:crypto');
    const forged = world.sign(confirmation(), '', { sign: message => sign('sha256', message, otherKey) });
    await refused(world, sns, forged, [401]);
    const { body = '' } = world.sign(confirmation());
    const changed = Buffer.from(body).toString().replace('Token=2336412f37', 'Token=2336412f38');
    await refused(world, sns, { headers: {}, body: changed }, [401]);
    const unsigned = { headers: {}, body: confirmation() };
    await refused(world, sns, unsigned, [401]);
  });

  it.each([
    'https://attacker.example.com/?Action=ConfirmSubscription',
    'https://sns.eu-central-1.amazonaws.com.attacker.example.com/',
    'https://attacker.example.com/sns.eu-central-1.amazonaws.com/',
    'https://sns.eu-central-1.amazonaws.com@attacker.example.com/',
    'https://sns.eu-central-1.amazonaws.com:8443/',
    'https://sns.eu-central-1.amazonaws.com\\@attacker.example.com/',
    'http://sns.eu-central-1.amazonaws.com/',
    'https://169.254.169.254/latest/meta-data/',
    'https://snsXeu-central-1.amazonaws.com/',
    'https://s3.eu-central-1.amazonaws.com/attackers-bucket/',
    'https://sns.eu-central-1.amazonaws.com/\n@attacker',
    'file:///etc/passwd',
    '//attacker.example.com/',
    '',
  ])('is one with the address %j, though it is signed', async url => {
    const { sns, world } = build();
    await refused(world, sns, world.sign(confirmation({ SubscribeURL: url })), [401, 403]);
  });
});

describe('a key that cannot be fetched', () => {
  it('gives 503, not a refusal: nobody knows whether the message is genuine', async () => {
    const sns = new Sns();
    let reachable = false;
    const fetchKey = async () => {
      if (!reachable) throw new Error('no answer');
      return publicKey.export({ format: 'jwk' }) as Jwk;
    };
    const ports = { http: sns, keys: { fetchKey } };
    const options = { settings: { topicArn: TOPIC }, privateKey, ingestPorts: ports };
    const world = new ProviderWorld('sns', options);
    expect(await world.post(world.sign('{"order":1}'))).toMatchObject({
      status: 503,
      body: expect.stringContaining('key_unreachable'),
    });
    expect(world.refusals('key_fetch')).toBe(1);
    expect(world.stored()).toBe('[[],[]]');
    reachable = true;
    expect((await world.post(world.sign('{"order":1}'))).status).toBe(200);
  });
});
