import { expect, it } from 'vitest';
import { encodeSegment, signForIam } from '#adapters/aws/sign-for-iam.ts';

const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const AT = { region: 'eu-central-1', now: Date.UTC(2015, 7, 30, 12, 36) };
const URL_OF =
  'https://abc.execute-api.eu-central-1.amazonaws.com/v1/apps/uid%3Aa%20b%2Fc/messages?cursor=x%3D%2F%2B&limit=2';
const sign = (changes: Partial<Parameters<typeof signForIam>[0]> = {}, keys: Parameters<typeof signForIam>[1] = KEYS) =>
  signForIam({ method: 'GET', url: new URL(URL_OF), headers: {}, body: '', ...changes }, keys, AT);

it('signs host, time, token and the hash of the body, and gives every header that was signed', async () => {
  const headers = await sign(
    { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } },
    { ...KEYS, sessionToken: 'token' },
  );
  expect(headers).toMatchObject({
    host: 'abc.execute-api.eu-central-1.amazonaws.com',
    'content-type': 'application/json',
    'x-amz-date': '20150830T123600Z',
    'x-amz-security-token': 'token',
    'x-amz-content-sha256': '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
  });
  expect(headers['authorization']).toContain('Credential=AKIDEXAMPLE/20150830/eu-central-1/execute-api/aws4_request');
  expect(headers['authorization']).toContain(
    'SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token,',
  );
});

// Made by botocore 1.43.11 (`SigV4Auth` with the same header x-amz-content-sha256), which encodes a path once more as well.
it.each([
  ['a path with encoded parts and a query', {}, '65585abfa75c177e3d292208caff04fce6dc928f0cb6683cafba0be7953ae6fb'],
  [
    'a body',
    { method: 'POST', body: '{"name":"Ä"}', headers: { 'content-type': 'application/json' } },
    '71b3989723d8eefcbef1085a3a5379a6f928bb11185bc977bd92dda95dc8d2f4',
  ],
])('signs %s as the AWS SDK for Python does', async (_name, changes, signature) => {
  expect((await sign(changes))['authorization']).toContain(`Signature=${signature}`);
});

it('signs another query and another path with another signature', async () => {
  const of = async (change: string) =>
    (await sign({ url: new URL(URL_OF.replace('limit=2', change)) }))['authorization'];
  expect(await of('limit=2')).toBe((await sign())['authorization']);
  expect(await of('limit=3')).not.toBe((await sign())['authorization']);
  expect(await of('limit=2&limit=3')).not.toBe(await of('limit=2'));
});

it('encodes a segment but for letters, digits and four signs', () => {
  expect(encodeSegment("a-b_c.d~e/f:g !'()*")).toBe('a-b_c.d~e%2Ff%3Ag%20%21%27%28%29%2A');
});
