import { describe, expect, it } from 'vitest';
import type { EnvironmentConfig } from '#core/config/gateway-config.ts';
import { ConfigError, resolveConfig } from '#core/config/resolve-config.ts';
import { PROVIDERS } from '#providers/index.ts';

const resolve = (environment: EnvironmentConfig, name = 'prod') =>
  resolveConfig({ sources: { a: { provider: 'generic' } }, environments: { [name]: environment } }, name, PROVIDERS);

const problemOf = (outbound: unknown, name = 'prod'): string => {
  try {
    resolve({ outbound } as EnvironmentConfig, name);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'none';
};

describe('outbound of an environment', () => {
  it('is nothing at all until it is written', () => {
    expect('outbound' in resolve({})).toBe(false);
  });

  it('has no portal until it has a name, and takes no address that is no origin', () => {
    expect(resolve({ outbound: {} }).outbound).not.toHaveProperty('portal');
    expect(resolve({ outbound: { portal: { name: 'Acme' } } }).outbound?.portal).toEqual({
      ...{ name: 'Acme', accent: '#0b6b5d', frameAncestors: [], origins: [] },
    });
    const whole = { name: 'Acme', frameAncestors: ['https://*.acme.com'], origins: ['http://localhost:3000'] };
    expect(problemOf({ portal: whole })).toBe('none');
    for (const [given, place] of [
      [{}, 'portal.name'],
      [{ name: 'Acme', accent: 'green' }, 'portal.accent'],
      [{ name: 'Acme', logo: 'https://acme.com/logo.svg' }, 'portal.logo'],
      [{ name: 'Acme', frameAncestors: ["'self' https://evil.com"] }, 'portal.frameAncestors'],
      [{ name: 'Acme', frameAncestors: ['https://acme.com/path'] }, 'portal.frameAncestors'],
      [{ name: 'Acme', origins: ['*'] }, 'portal.origins'],
      [{ name: 'Acme', origins: ['https://*.acme.com'] }, 'portal.origins'],
      [{ name: 'Acme', url: 'https://hooks.acme.com/' }, 'portal.url'],
    ] as const)
      expect(problemOf({ portal: given }), JSON.stringify(given)).toContain(place);
  });

  it('has contacts only beside a portal, which confirms them', () => {
    expect(resolve({ outbound: { portal: { name: 'Acme' } } }).outbound).not.toHaveProperty('contacts');
    expect(problemOf({ portal: { name: 'Acme' }, contacts: true })).toBe('none');
    expect(problemOf({ contacts: false })).toBe('none');
    expect(problemOf({ contacts: true })).toContain(
      'outbound.contacts: given true; allowed: true beside outbound.portal',
    );
    expect(problemOf({ portal: { name: 'Acme' }, contacts: 'yes' })).toContain('outbound.contacts');
  });

  it('sends mails only to contacts, from one address', () => {
    const of = (email: unknown, contacts = true) => problemOf({ portal: { name: 'Acme' }, contacts, email });
    expect(of({ from: 'alerts@acme.com' })).toBe('none');
    expect(of({ from: 'alerts@acme.com' }, false)).toContain('fix: add contacts: true');
    for (const bad of ['Acme <alerts@acme.com>', 'alerts', 'a@b.co\r\nBcc: c@d.ee', undefined])
      expect(of({ from: bad }), bad).toContain('outbound.email.from');
    expect(of({ from: 'alerts@acme.com', configurationSet: 'a set' })).toContain('outbound.email.configurationSet');
  });

  it('takes an address of a page with {app} and {endpoint} only', () => {
    const of = (pageUrl: string) => problemOf({ portal: { name: 'Acme', pageUrl } });
    expect(of('https://app.acme.com/customers/{app}/webhooks/{endpoint}?tab=1')).toBe('none');
    for (const bad of ['http://app.acme.com/{app}', 'https://app.acme.com/{token}', '/{app}', 'https://a.com'])
      expect(of(bad), bad).toContain('only {app} and {endpoint}');
  });

  it('has a default for everything', () => {
    const { outbound } = resolve({ outbound: {}, retentionDays: 45 });
    expect(outbound).toMatchObject({
      slots: { fast: 150, slow: 50 },
      timeoutSeconds: 15,
      ports: [443],
      retentionDays: 45,
    });
    expect(outbound?.schedule).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    expect(outbound?.allowAddresses).toEqual([]);
  });

  it('calls this machine only where AWS is emulated', () => {
    expect(resolve({ outbound: {} }, 'local').outbound).toMatchObject({
      allowAddresses: ['127.0.0.1'],
      slots: { fast: 4, slow: 2 },
    });
  });

  it('takes a schedule by name or as a list', () => {
    expect(resolve({ outbound: { schedule: '34-hours' } }).outbound?.schedule).toHaveLength(6);
    expect(resolve({ outbound: { schedule: [1, 2] } }).outbound?.schedule).toEqual([1, 2]);
  });

  it('takes numbers of the breaker and of a rate by name or as they are, and holds for `openMinutes` bounded by `longestHoldSeconds`', () => {
    const halfHour = { baseSeconds: 1_800, capSeconds: 1_800 };
    expect(resolve({ outbound: { breaker: 'ten-failures', disable: 'nineteen-of-twenty' } }).outbound).toMatchObject({
      breaker: { failures: 10, ofLast: 100 },
      hold: halfHour,
      disable: { failureRate: 0.95, attempts: 100, hours: 24 },
    });
    expect(resolve({ outbound: { breaker: 'five-in-a-row' } }).outbound).toMatchObject({
      breaker: { failures: 5, ofLast: 5 },
      hold: halfHour,
    });
    const own = { breaker: { failures: 3, ofLast: 10 }, longestHoldSeconds: 60 };
    expect(resolve({ outbound: own }).outbound).toMatchObject({
      breaker: { failures: 3, ofLast: 10 },
      hold: { baseSeconds: 30, capSeconds: 60 },
    });
    expect(resolve({ outbound: {} }).outbound).not.toHaveProperty('breaker');
    expect(resolve({ outbound: {} }).outbound).not.toHaveProperty('disable');
  });

  it.each([
    [{ schedule: 'dayly' }, 'choose one of them'],
    [{ schedule: [] }, 'a list of 1 to 20 waits in seconds'],
    [{ schedule: [0] }, 'seconds from 1 to 86400'],
    [{ slots: 1 }, 'invocations from 2 to 900'],
    [{ slots: { fast: 9 } }, 'write `fast` alone'],
    [{ ports: [] }, 'a list of 1 to 5 ports'],
    [{ ports: [443, 70_000] }, 'from 1 to 65535'],
    [{ autoDisableDays: 31 }, 'from 1 to 30, or false'],
    [{ headerPrefix: 'webhook-' }, 'lower-case text such as "x-acme-"'],
    [{ headerPrefix: 'x-amz-' }, 'names that AWS uses'],
    [{ userAgent: 'a\r\nb' }, '1 to 200 printable ASCII characters'],
    [{ breaker: 'ten-failure' }, 'did you mean "ten-failures"?'],
    [{ breaker: { failures: 6, ofLast: 5 } }, 'at most ofLast'],
    [{ breaker: { failures: 5 } }, 'ofLast'],
    [{ breaker: { failures: 5, ofLast: 101 } }, 'results from 1 to 100'],
    [{ breaker: { failures: 5, ofLast: 10, openMinutes: 31 } }, 'minutes from 1 to 30'],
    [{ disable: { failureRate: 0.4, attempts: 100, hours: 24 } }, 'of the messages from 0.5 to 1'],
    [{ disable: { failureRate: 0.95, attempts: 9, hours: 24 } }, 'messages from 10 to 100000'],
    [{ disable: { failureRate: 0.95, attempts: 100, hours: 25 } }, 'hours from 1 to 24'],
    [{ probe: { capSeconds: 30 } }, 'write `longestHoldSeconds`'],
    [{ longestHoldSeconds: 3 }, 'from 4 to 1800'],
    [{ timeOut: 3 }, 'an unknown key'],
  ])('refuses %j with what is allowed', (outbound, said) => {
    expect(problemOf(outbound)).toContain(said);
  });
});
