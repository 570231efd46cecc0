/** What `edge` takes, and what it must agree with. */
import { describe, expect, it } from 'vitest';
import type { EdgeConfig } from '#core/config/edge-config.ts';
import type { EnvironmentConfig } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { PROVIDERS } from '#providers/index.ts';

const edge: EdgeConfig = { apiUrl: 'https://a1b2c3.execute-api.eu-central-1.amazonaws.com', requestsPerMinute: 2_000 };
const certificate = 'arn:aws:acm:us-east-1:123456789012:certificate/0a1b';
const resolve = (settings: EnvironmentConfig, name = 'prod', source = 'stripe') =>
  resolveDeployment(
    { sources: { [source]: { provider: 'stripe' } }, environments: { [name]: settings } },
    name,
    PROVIDERS,
  );
const problemsOf = (...given: Parameters<typeof resolve>): string => {
  try {
    resolve(...given);
    return '';
  } catch (error) {
    return String(error);
  }
};

describe('edge', () => {
  it('is nothing unless it is configured, and accepts the old URL at first', () => {
    expect(resolve({})).not.toHaveProperty('edge');
    expect(resolve({}).config).not.toHaveProperty('edge');
    expect(resolve({ edge, region: 'eu-central-1' }).config.edge).toEqual({ direct: 'accepted' });
  });

  it.each([
    ['an address that is no ApiUrl', { ...edge, apiUrl: 'https://hooks.example.com' }, {}, /edge\.apiUrl.*ApiUrl/s],
    ['no limit', { apiUrl: edge.apiUrl }, {}, /edge\.requestsPerMinute/],
    ['a limit below what AWS WAF takes', { ...edge, requestsPerMinute: 9 }, {}, /10 to 20000000/],
    ['an API of another region', edge, { region: 'us-east-1' }, /an apiUrl in eu-central-1 with region us-east-1/],
    [
      'a certificate of another region',
      { ...edge, certificate: certificate.replace('us-east', 'eu-west') },
      {},
      /us-east-1/,
    ],
    ['a certificate without a host of yours', { ...edge, certificate }, {}, /a certificate with publicUrl not set/],
    ['refusing all others without a URL', { ...edge, direct: 'refused' }, {}, /EdgeUrl/],
    [
      'refusing all others where the URL needs a certificate',
      { ...edge, direct: 'refused' },
      { publicUrl: 'https://hooks.example.com' },
      /and no certificate/,
    ],
  ] as const)('refuses %s, and says what to do', (_what, given, settings, said) => {
    expect(problemsOf({ ...settings, edge: given as EdgeConfig })).toMatch(said);
  });

  it.each(['cn-north-1', 'us-gov-west-1'])('is not for %s', region => {
    expect(problemsOf({ region, edge: { ...edge, apiUrl: `https://a.execute-api.${region}.amazonaws.com` } })).toMatch(
      /no other has the CloudFront/,
    );
  });

  it('is not for the local AWS', () => {
    expect(problemsOf({ edge, region: 'eu-central-1' }, 'local')).toMatch(/edge where AWS is emulated/);
  });

  it.each([
    [{ publicUrl: 'https://d111.cloudfront.net' }, edge],
    [{ publicUrl: 'https://hooks.example.com' }, { ...edge, certificate }],
  ] as const)('may refuse all others with %j', (settings, given) => {
    const region = 'eu-central-1';
    expect(resolve({ ...settings, region, edge: { ...given, direct: 'refused' } }).config.edge).toEqual({
      direct: 'refused',
    });
  });

  it('keeps the name of its secret from sources', () => {
    expect(problemsOf({}, 'prod', 'holdfast-edge')).toMatch(/holdfast-edge are the gateway's own/);
  });
});
