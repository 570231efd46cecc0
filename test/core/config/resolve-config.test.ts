import { describe, expect, it } from 'vitest';
import { LOCAL_RETRY, LOCAL_TIMINGS } from '#core/config/defaults.ts';
import { defineGateway, type GatewayConfig } from '#core/config/gateway-config.ts';
import { ConfigError, resolveConfig, resolveDeployment } from '#core/config/resolve-config.ts';
import { DEFAULT_TIMINGS } from '#core/inbound/protocol/timings.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { DEFAULT_RETRY } from '#core/retry/backoff.ts';
import { PROVIDERS } from '#providers/index.ts';
import { gateway } from '#test/fixtures/project/gateway.config.ts';

const plain = defineGateway({
  sources: { stripe: { provider: 'stripe' }, default: { provider: 'generic' } },
  environments: { local: {}, dev: {}, prod: {} },
});

/** The configuration with one value a person might write by mistake, which the types would not let through. */
function withValue(path: string, value: unknown): GatewayConfig {
  const copy = structuredClone(plain) as unknown as Record<string, unknown>;
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  let target = copy;
  for (const key of keys) target = target[key] as Record<string, unknown>;
  target[last] = value;
  return copy as unknown as GatewayConfig;
}
function problemsOf(config: GatewayConfig, environment = 'prod'): ConfigError['problems'] {
  try {
    resolveConfig(config, environment, PROVIDERS);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}
describe('the shipped configuration', () => {
  it.each(['local', 'dev', 'staging', 'prod'])('resolves in %s with its six sources', environment => {
    const config = resolveConfig(gateway, environment, PROVIDERS);
    expect(config.sources.map(source => source.id).sort()).toEqual([
      'default',
      'github',
      'shopify',
      'slack',
      'standard-webhooks',
      'stripe',
    ]);
    expect(config.environment).toBe(environment);
  });

  it('is plain data, so that it can be baked into the functions without loss', () => {
    const config = resolveConfig(gateway, 'prod', PROVIDERS);
    expect(JSON.parse(JSON.stringify(config))).toEqual(config);
  });
});

describe('defaults', () => {
  it('are the documented ones in production', () => {
    const { config, sources, disposable, emulated, queue } = resolveDeployment(plain, 'prod', PROVIDERS);
    expect(config.timings).toEqual(DEFAULT_TIMINGS);
    expect(config.retentionDays).toBe(30);
    expect(config.deadRetentionDays).toBe(90);
    expect(config.sources[0]?.retry).toEqual(DEFAULT_RETRY);
    expect(config.sources[0]?.maxBodyBytes).toBe(4 * 1024 * 1024);
    expect(config.sources[0]?.unhandled).toBe('ignore');
    expect(sources[0]).not.toHaveProperty('throttle');
    expect(queue).toMatchObject({
      visibilitySeconds: 180,
      maxReceiveCount: 1000,
      retentionDays: 4,
      deadRetentionDays: 14,
    });
    expect({ disposable, emulated }).toEqual({ disposable: false, emulated: false });
  });

  it('are short on a laptop, so that a drill takes a minute', () => {
    const { config, disposable, emulated } = resolveDeployment(plain, 'local', PROVIDERS);
    expect(config.timings).toEqual(LOCAL_TIMINGS);
    expect(config.sources[0]?.retry).toEqual(LOCAL_RETRY);
    expect({ disposable, emulated }).toEqual({ disposable: true, emulated: true });
    const { attempts, baseSeconds, capSeconds } = LOCAL_RETRY;
    const worstSeconds = Array.from({ length: attempts - 1 }, (_, n) => Math.min(capSeconds, baseSeconds * 2 ** n) + 1);
    expect(worstSeconds.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(30);
  });

  it('are those of a laptop for what is asked for on a local AWS, and for no environment beside it', () => {
    const config = { ...plain, environments: { dev: {}, prod: {} } };
    const resolved = resolveDeployment(config, 'dev', PROVIDERS, { emulated: true });
    expect([resolved.emulated, resolved.config.timings]).toEqual([true, LOCAL_TIMINGS]);
    // A host of one's own cannot be on a local AWS: that of prod, which was not asked for, is no mistake.
    const domain = { name: 'hooks.example.com', certificate: 'arn:aws:acm:eu-central-1:123456789012:certificate/1f' };
    const beside = { ...plain, environments: { dev: {}, prod: { region: 'eu-central-1', domain } } };
    expect(resolveDeployment(beside, 'dev', PROVIDERS, { emulated: true }).emulated).toBe(true);
    expect(() => resolveDeployment(beside, 'prod', PROVIDERS, { emulated: true })).toThrow(
      /the local AWS has no domains/,
    );
    expect(resolveDeployment(beside, 'prod', PROVIDERS).emulated).toBe(false);
  });

  it('keep data everywhere but in local and dev', () => {
    const disposable = (name: string) => resolveDeployment(gateway, name, PROVIDERS).disposable;
    expect(['local', 'dev', 'staging', 'prod'].map(disposable)).toEqual([true, true, false, false]);
  });
});

describe('what a person writes', () => {
  it('decides over the defaults, source over environment', () => {
    const config = defineGateway({
      sources: {
        stripe: { provider: 'stripe' },
        default: { provider: 'generic', retry: { attempts: 3, capSeconds: 2 } },
      },
      environments: {
        dev: {},
        prod: {
          account: '123456789012',
          region: 'eu-central-1',
          publicUrl: 'https://hooks.example.com',
          retry: { attempts: 5, capSeconds: 60 },
          handlerTimeoutSeconds: 20,
          sources: { stripe: { throttle: 10 } },
        },
      },
    });
    const deployment = resolveDeployment(config, 'prod', PROVIDERS, { account: '999999999999', region: 'us-east-1' });
    expect(deployment).toMatchObject({ account: '123456789012', region: 'eu-central-1' });
    expect(deployment.config.timings.processTimeoutMs).toBe(20_000);
    expect(deployment.config.timings.overdueMs).toBe(DEFAULT_TIMINGS.overdueMs);
    const [stripe, generic] = deployment.sources;
    expect(stripe?.throttle).toEqual({ rate: 10, burst: 20 });
    expect(stripe?.source.retry.attempts).toBe(5);
    expect(stripe?.source.publicUrl).toBe('https://hooks.example.com/webhooks/stripe');
    expect(generic?.source.retry.attempts).toBe(3);
    // The front door's own.
    expect(generic).not.toHaveProperty('throttle');
    expect(deployment.config).not.toHaveProperty('shards');
    const busy = { ...config, sources: { ...config.sources, stripe: { provider: 'stripe', throttle: 2_500 } } };
    expect(resolveDeployment(busy, 'dev', PROVIDERS).config.shards).toEqual({ stripe: 3 });
    expect(resolveDeployment(config, 'dev', PROVIDERS).sources[0]).not.toHaveProperty('throttle');
  });

  it('takes account and region from the surroundings where it leaves them out', () => {
    const fallback = { account: '999999999999', region: 'us-east-1' };
    expect(resolveDeployment(plain, 'prod', PROVIDERS, fallback)).toMatchObject({
      ...fallback,
      config: { region: 'us-east-1' },
    });
    expect(resolveDeployment(plain, 'prod', PROVIDERS)).not.toHaveProperty('account');
  });

  it('gives only the source named default the first URL this product had', () => {
    const paths = Object.fromEntries(resolveConfig(plain, 'prod', PROVIDERS).sources.map(s => [s.id, s.paths]));
    expect(paths).toEqual({ default: ['/webhooks/default', '/webhook'], stripe: ['/webhooks/stripe'] });
  });

  it('may be a provider of its own', () => {
    const spec = { ...PROVIDERS['generic'], id: 'acme', title: 'Acme' };
    const config = resolveConfig({ ...plain, sources: { acme: { provider: spec as never } } }, 'prod', PROVIDERS);
    expect(config.sources[0]?.spec.title).toBe('Acme');
  });
});

function circle(): unknown {
  const within: Record<string, unknown> = {};
  return Object.assign(within, { within });
}

describe('a mistake is named with its place, what was given, what is allowed and the fix', () => {
  const prod = 'environments.prod';
  /** Title, where the value is written, the value, what the report says, where the report points if elsewhere. */
  const cases: readonly [title: string, at: string, value: unknown, says: RegExp, reportedAt?: string][] = [
    ['an unknown key of a source', 'sources.stripe.retrys', {}, /did you mean retry/],
    ['an unknown key at the top', 'source', {}, /did you mean sources/],
    [
      'a key without one of its letters',
      `${prod}.outbound`,
      { portl: {} },
      /did you mean portal/,
      `${prod}.outbound.portl`,
    ],
    [
      'an unknown key of an environment',
      `${prod}.loglevel`,
      'info',
      /^an unknown key; one of its \d+ keys; did you mean logLevel/,
    ],
    ['a key with no near match', `${prod}.xyzzyx`, 1, /remove it/],
    ['a misspelt provider', 'sources.stripe.provider', 'strpie', /did you mean "stripe"/],
    ['an unknown provider', 'sources.stripe.provider', 'zzzzzzzzzz', /add-a-provider/],
    ['a missing provider', 'sources.stripe.provider', undefined, /add provider/],
    ['a source name with capitals', 'sources.Stripe', { provider: 'stripe' }, /rename/],
    ['two names that differ only in hyphens', 'sources.str-ipe', { provider: 'stripe' }, /only in hyphens/],
    ['no source at all', 'sources', {}, /at least one/],
    ['a wrong policy', 'sources.stripe.unhandled', 'drop', /"ignore", "dead_letter"/],
    ['a throttle of zero', 'sources.stripe.throttle', 0, /from 1/],
    ['a throttle of two numbers', 'sources.stripe.throttle', { rate: 5, burst: 9 }, /write the rate alone/],
    ['a single address', 'sources.stripe.allowList', ['192.0.2.1'], /2\.1\/32/, 'sources.stripe.allowList[0]'],
    ['a broken range', 'sources.stripe.allowList', ['300.0.2.1/24'], /range/, 'sources.stripe.allowList[0]'],
    ['a list that is none', 'sources.stripe.allowList', '192.0.2.0/24', /a list/],
    [
      'no attempts',
      'sources.stripe.retry',
      { attempts: 0, capSeconds: 2 },
      /from 1 to 100/,
      'sources.stripe.retry.attempts',
    ],
    ['a quoted boolean', 'sources.stripe.dedupOnBody', 'true', /without quotes/],
    [
      'an unread setting',
      'sources.stripe.settings',
      { webhookId: 'x' },
      /remove it/,
      'sources.stripe.settings.webhookId',
    ],
    ['a short retention', `${prod}.retentionDays`, 7, /from 30/],
    ['a retention that is NaN', `${prod}.retentionDays`, Number.NaN, /whole number/],
    [
      'dead letters kept shorter than events',
      prod,
      { retentionDays: 90, deadRetentionDays: 60 },
      /at least/,
      `${prod}.deadRetentionDays`,
    ],
    [
      'more copies kept warm than may run',
      prod,
      { ingestProvisionedConcurrency: 20, reservedConcurrency: { ingest: 10 } },
      /20 with reservedConcurrency.ingest 10; at most reservedConcurrency.ingest: AWS refuses/,
      `${prod}.ingestProvisionedConcurrency`,
    ],
    ['a tag that AWS refuses', `${prod}.tags`, { team: 'R&D' }, /letters, digits, blanks/, `${prod}.tags.team`],
    [
      'a tag by one of our own names',
      `${prod}.tags`,
      { 'holdfast:written-by-ingest': 'true' },
      /not aws:… or holdfast:…/,
      `${prod}.tags."holdfast:written-by-ingest"`,
    ],
    ["a tag by one of AWS' own names", `${prod}.tags`, { 'aws:team': 'x' }, /not aws:…/, `${prod}.tags."aws:team"`],
    ['an account that is a number', `${prod}.account`, 123456789012, /twelve digits/],
    ['a region that is none', `${prod}.region`, 'Frankfurt', /eu-central-1/],
    ['a public URL with a path', `${prod}.publicUrl`, 'https://x.example/hooks', /origin/],
    [
      'a change to no source',
      `${prod}.sources`,
      { strip: { quarantine: true } },
      /mean stripe/,
      `${prod}.sources.strip`,
    ],
    [
      'an unreachable message age',
      `${prod}.queue`,
      { retentionDays: 2 },
      /from 4 to 13/,
      `${prod}.queue.retentionDays`,
    ],
    ['a fraction of a second', `${prod}.handlerTimeoutSeconds`, 10.5, /whole number of seconds/],
    ['a timeout with no room to record outcomes', `${prod}.handlerTimeoutSeconds`, 4, /from 5 to 900/],
    [
      'a target that is text',
      `${prod}.alarmTargets`,
      { page: ['a@b.example'] },
      /email/,
      `${prod}.alarmTargets.page[0]`,
    ],
    [
      'a target whose URL has a blank in it',
      `${prod}.alarmTargets`,
      { page: [{ https: 'https://pager.example.com/on call' }] },
      /https:/,
      `${prod}.alarmTargets.page[0].https`,
    ],
    ['a number that is none', `${prod}.retentionDays`, Number.NaN, /^NaN; a whole number of days/],
    ['a bigint', `${prod}.retentionDays`, 40n, /^the bigint 40n; a whole number of days from 30/],
    ['a bigint within an object', `${prod}.retentionDays`, { days: 40n }, /JSON has no form for; a whole number/],
    ['an object that has itself in it', `${prod}.alarms`, circle(), /JSON has no form for; "all", "essential"/],
    ['a symbol', `${prod}.alarms`, Symbol('all'), /^Symbol\(all\); "all"/],
    ['a function', `${prod}.alarms`, () => 'all', /^a function; "all"/],
    ['somebody else than nobody', `${prod}.alarmTargets`, 'noone', /"nobody", or/, `${prod}.alarmTargets`],
    [
      'a target over http',
      `${prod}.alarmTargets`,
      { page: [{ https: 'http://x' }] },
      /https:/,
      `${prod}.alarmTargets.page[0].https`,
    ],
    [
      'the URL of Slack instead of a name',
      `${prod}.alarmTargets`,
      { ticket: [{ slack: 'https://hooks.slack.com/services/T0/B0/x' }] },
      /a name of yours; URL or key are a secret/,
      `${prod}.alarmTargets.ticket[0].slack`,
    ],
    [
      'a region that PagerDuty does not have',
      `${prod}.alarmTargets`,
      { page: [{ pagerDuty: 'oncall', region: 'ap' }] },
      /"us", "eu"/,
      `${prod}.alarmTargets.page[0].region`,
    ],
    ['an unknown severity', `${prod}.alarmTargets`, { pages: [] }, /did you mean page/, `${prod}.alarmTargets.pages`],
    ['a log retention CloudWatch does not know', `${prod}.logRetentionDays`, 31, /30/],
    ['the key that chose a client for AWS', `${prod}.awsClient`, 'signed', /this key is gone; .*by the AWS SDK/],
    ['words before the origin', `${prod}.publicUrl`, 'x https://a.example', /an origin such as/],
    ['a path behind the origin', `${prod}.publicUrl`, 'https://a.example/hooks', /remove what follows the host/],
    ['an environment with capitals', 'environments.Prod', {}, /rename/],
    ['a silence too short to see', 'sources.stripe.silence', 1, /from 5/],
  ];

  it.each(cases)('%s', (_title, at, value, says, reportedAt = at) => {
    const problems = problemsOf(withValue(at, value));
    expect(problems.map(each => each.path)).toEqual([reportedAt]);
    expect(`${problems[0]?.given}; ${problems[0]?.allowed}; ${problems[0]?.fix}`).toMatch(says);
  });

  it.each([
    '<oncall@example.com>',
    'mailto:oncall@example.com',
    'a@example.com,b.example.com',
    'on..call@example.com',
    '.oncall@example.com',
    'oncall@example..com',
    'oncall@-example.com',
    'oncall@example.c',
    'oncall@ex_ample.com',
    'öncall@example.com',
    `${'a'.repeat(65)}@example.com`,
  ])('an address that SNS refuses in the middle of a deploy: %s', email => {
    expect(problemsOf(withValue(`${prod}.alarmTargets`, { page: [{ email }] }))).toMatchObject([
      { path: `${prod}.alarmTargets.page[0].email`, allowed: expect.stringContaining('an address alone') },
    ]);
  });

  it.each([
    'oncall+gateway@example.com',
    'on.call@mail.example.co.uk',
    "o'hara@example.com",
    'Ops_Team@xn--bcher-kva.example',
    'a@b.xn--p1ai',
  ])('%s is an address', email => {
    expect(
      problemsOf(withValue(`${prod}.alarmTargets`, { page: [{ email }, { https: 'https://x.example?a=b' }] })),
    ).toEqual([]);
  });

  it.each([
    { email: 'oncall@example.com' },
    { https: 'https://pager.example.com/x' },
    { slack: 'oncall' },
    { pagerDuty: 'oncall' },
  ])('a target that a severity has twice: %j', target => {
    const [[kind, address] = []] = Object.entries(target);
    const targets = { page: [{ email: 'other@example.com' }, target, target], ticket: [target] };
    expect(problemsOf(withValue(`${prod}.alarmTargets`, targets))).toEqual([
      {
        path: `${prod}.alarmTargets.page[2].${kind}`,
        given: `"${address}", as in ${prod}.alarmTargets.page[1]`,
        allowed: 'each target once in a severity',
        fix: 'remove one of them',
      },
    ]);
  });

  it('a provider spec with parts missing, each of them', () => {
    const missing = problemsOf(withValue('sources.stripe.provider', { id: 'x' })).map(each =>
      each.path.split('.').pop(),
    );
    expect(missing).toEqual(['verify', 'identity']);
  });

  it('an environment that does not exist, with the nearest', () => {
    expect(problemsOf(plain, 'prd')).toMatchObject([{ allowed: 'local, dev, prod', fix: 'did you mean prod?' }]);
  });

  it('an input that is not even an object', () => {
    expect(problemsOf(undefined as never)).toMatchObject([{ path: '', allowed: 'an object' }]);
    expect(problemsOf({ sources: [], environments: null } as never).map(each => each.path)).toEqual([
      'sources',
      'environments',
    ]);
  });

  it('a provider that signs its URL, in an environment without a public URL', () => {
    const config = { ...plain, sources: { twilio: { provider: 'twilio' } } };
    const wanted = ['environments.dev.publicUrl', 'environments.prod.publicUrl'];
    expect(problemsOf(config).map(each => each.path)).toEqual(wanted);
  });

  it.each([
    ['ebay', { verificationToken: 'a-token-of-thirty-two-characters-' }],
    ['contentful', {}],
    ['jira-connect', { clientKey: 'c', baseUrl: 'https://app.example.com' }],
  ])('a provider that signs a part of its URL or wants it in a handshake: %s', (provider, settings) => {
    const sources = { there: { provider, settings, allowList: ['192.0.2.0/24'] } };
    const wanted = ['environments.dev.publicUrl', 'environments.prod.publicUrl'];
    expect(problemsOf({ ...plain, sources }).map(each => each.path)).toEqual(wanted);
  });

  it('a provider without any authentication, open to everybody', () => {
    const open = { ...plain, sources: { mollie: { provider: 'mollie' } } };
    expect(problemsOf(open)).toMatchObject([{ path: 'sources.mollie.allowList', fix: expect.stringContaining('API') }]);
    const closed = { ...plain, sources: { mollie: { provider: 'mollie', allowList: ['192.0.2.0/24'] } } };
    expect(problemsOf(closed)).toEqual([]);
  });

  it('a provider spec that cannot hold: a time window over an unsigned value', () => {
    const generic = PROVIDERS['generic'] as ProviderSpec;
    const loose = { ...generic, verify: [{ ...generic.verify[0], message: '{body}' }] } as ProviderSpec;
    const problems = problemsOf({ ...plain, sources: { acme: { provider: loose } } });
    expect(problems.map(each => each.path)).toContain('sources.acme.provider');
    expect(problems[0]?.given).toMatch(/not part of the signed bytes/);
  });

  it('a setting the provider asks for and nobody gave, without ever showing a setting', () => {
    const silent = { ...plain, sources: { paypal: { provider: 'paypal' } } };
    expect(problemsOf(silent)[0]).toMatchObject({
      path: 'sources.paypal.settings.webhookId',
      allowed: PROVIDERS['paypal']?.settings?.['webhookId'],
    });
    const source = { provider: 'paypal', settings: { webhookId: ['canary-token'] } };
    const wrong = { ...plain, sources: { paypal: source } } as unknown as GatewayConfig;
    expect(() => resolveConfig(wrong, 'prod', PROVIDERS)).toThrow(/webhookId/);
    expect(JSON.stringify(problemsOf(wrong))).not.toContain('canary-token');
  });
});

describe('the error', () => {
  it('names all problems at once, each once, although four environments share a source', () => {
    const config = {
      sources: { stripe: { provider: 'stripe', unhandled: 'drop' } },
      environments: { local: {}, dev: { logLevel: 'verbose' }, prod: { retentionDays: 1 } },
    } as unknown as GatewayConfig;
    expect(() => resolveConfig(config, 'local', PROVIDERS)).toThrow(
      /has 3 problems:\n {2}1\. .*\n {2}2\. .*\n {2}3\. /,
    );
    const retry = { attempts: 2, baseSeconds: 9, capSeconds: 2 };
    expect(problemsOf(withValue('sources.stripe.retry', retry))).toHaveLength(1);
  });
});
