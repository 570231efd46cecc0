import { describe, expect, it } from 'vitest';
import type { RoutesConfig } from '#core/config/gateway-config.ts';
import { ConfigError, resolveDeployment } from '#core/config/resolve-config.ts';
import { checkHandlers, checkReach } from '#core/config/route-config.ts';
import { defineHandlers, done, type HandlerRegistration } from '#core/handler/handler-contract.ts';
import { PROVIDERS } from '#providers/index.ts';
import { gateway as example } from '../../../docs/receive/routing-example.ts';

const QUEUE = 'arn:aws:sqs:eu-central-1:123456789012:invoices';

function resolve(routes: unknown, environment = 'prod') {
  const config = {
    sources: { stripe: { provider: 'stripe' }, default: { provider: 'generic' } },
    environments: {
      local: {},
      prod: { publicUrl: 'https://hooks.example.com' },
      [environment]: {
        ...(environment === 'prod' ? { publicUrl: 'https://hooks.example.com' } : {}),
        routes: routes as RoutesConfig,
      },
    },
  };
  return resolveDeployment(config, environment, PROVIDERS);
}

/** Place and words of every problem. */
function problemsOf(routes: unknown, environment?: string): readonly string[] {
  try {
    resolve(routes, environment);
  } catch (error) {
    if (error instanceof ConfigError)
      return error.problems.map(it => `${it.path}: ${it.given}; ${it.allowed}; ${it.fix}`);
    throw error;
  }
  return [];
}

describe('the example of the guide', () => {
  it('resolves in each of its environments', () => {
    const targetsOf = (environment: string) =>
      resolveDeployment(example, environment, PROVIDERS).config.sources.flatMap(it => it.routes ?? []);
    expect(targetsOf('local').map(it => it.type)).toEqual(['invoice.*']);
    expect(targetsOf('prod').map(it => [it.type, it.targets.length])).toEqual([
      ['invoice.*', 3],
      ['charge.dispute.created', 1],
      ['*', 1],
    ]);
  });
});

describe('a route to customers', () => {
  const withOutbound = (address: string) =>
    resolveDeployment(
      {
        sources: { stripe: { provider: 'stripe' } },
        environments: { prod: { outbound: {}, routes: { stripe: { '*': [address] } } } },
      },
      'prod',
      PROVIDERS,
    ).config.sources[0]?.routes;

  it('leads to the application of its uid', () => {
    expect(withOutbound('outbound:acme-1.eu_2')).toEqual([
      { type: '*', targets: [{ kind: 'outbound', address: 'outbound:acme-1.eu_2' }] },
    ]);
  });

  it('is refused where nothing is sent, and where it names no application', () => {
    expect(problemsOf({ stripe: { '*': ['outbound:acme'] } })).toEqual([
      expect.stringMatching(/stripe\."\*"\[0\].*without `outbound`.*add outbound: \{\} to environments\.prod/),
    ]);
    for (const address of ['outbound:', 'outbound:a/b', 'outbound:ä', `outbound:${'a'.repeat(101)}`])
      expect(problemsOf({ stripe: { '*': [address] } }), address).toEqual([
        expect.stringContaining('outbound: and the uid of an application'),
      ]);
  });
});

describe('routes', () => {
  it('stand at their source, in what the functions see and in what is deployed, with the kind of each target', () => {
    const targets = [
      'arn:aws:events:eu-central-1:123456789012:event-bus/billing',
      `${QUEUE}.fifo`,
      'arn:aws:sns:eu-central-1:210987654321:invoices',
      'arn:aws:lambda:eu-central-1:123456789012:function:bill:live',
      'arn:aws:states:eu-central-1:123456789012:stateMachine:bill',
      'https://billing.example.com/hooks?x=1',
    ];
    const { config, sources } = resolve({ stripe: { 'invoice.*': targets, '*': [QUEUE] } });
    const [stripe, other] = config.sources;
    expect(stripe?.routes?.map(route => route.type)).toEqual(['invoice.*', '*']);
    const kinds = ['event_bus', 'queue', 'topic', 'function', 'state_machine', 'http'];
    expect(stripe?.routes?.[0]?.targets).toEqual(targets.map((address, at) => ({ kind: kinds[at], address })));
    expect(sources[0]?.source).toEqual(stripe);
    expect(other).not.toHaveProperty('routes');
  });

  it.each([
    ['arn:aws:sqs:eu-central-1:12345:invoices', /twelve-digit account.*copy the whole ARN/],
    ['arn:aws:sqs:eu-central-1:123456789012:', /twelve-digit account/],
    ['arn:aws:sqs::123456789012:invoices', /<region>/],
    ['arn:aws:sqs:eu-central-1:123456789012:*', /twelve-digit account/],
    ['arn:aws:events:eu-central-1:123456789012:rule/billing', /event-bus\/billing/],
    ['arn:aws:sns:eu-central-1:123456789012:invoices:0c7b', /arn:aws:sns:/],
    ['arn:aws:states:eu-central-1:123456789012:execution:bill:1', /stateMachine:bill/],
    ['arn:aws:kinesis:eu-central-1:123456789012:stream/x', /EventBridge bus, SQS queue.*nothing sends to "kinesis"/],
    ['invoices', /an ARN or an https URL/],
    ['http://billing.example.com/hooks', /https \(http only to 127\.0\.0\.1.*write https/],
    ['https://me:secret@billing.example.com/', /without user, password.*end in logs/],
    ['https://hooks.example.com/webhooks/stripe', /the gateway itself/],
    ['http://127.0.0.1:8080/hooks', /do not run on this machine/],
    ['https://localhost/hooks', /do not run on this machine/],
  ])('refuses %s by name', (target, words) => {
    const [problem, ...more] = problemsOf({ stripe: { '*': [target] } });
    expect(problem).toMatch(words);
    expect(problem).toContain('environments.prod.routes.stripe."*"[0]');
    expect(more).toEqual([]);
  });

  it('lets a loopback address pass in local', () => {
    expect(problemsOf({ stripe: { '*': ['http://127.0.0.1:8080/hooks', 'http://[::1]:8080/'] } }, 'local')).toEqual([]);
  });

  it('refuses a target named twice, two regions, an unknown source and a type that hides its *, all at once', () => {
    expect(problemsOf({ stripe: { 'invoice.*.paid': [QUEUE] } })).toEqual([
      expect.stringMatching(/^environments\.prod\.routes\.stripe\."invoice\.\*\.paid".*move the \* to the end/),
    ]);
    const elsewhere = QUEUE.replace('eu-central-1', 'us-east-1');
    expect(problemsOf({ stripe: { '*': [QUEUE, elsewhere, QUEUE] }, strip: { '*': [QUEUE] } })).toEqual([
      expect.stringMatching(/^environments\.prod\.routes\.strip: a source.*did you mean stripe\?$/),
      expect.stringMatching(/"\*"\[2\]: .*which is \[0\] already.*twice.*remove it$/),
      expect.stringMatching(/targets in eu-central-1 and us-east-1.*pass events on to the other$/),
    ]);
  });

  it.each([
    ['no target', { stripe: { '*': [] } }],
    ['too many', { stripe: { '*': Array.from({ length: 11 }, (_, n) => `${QUEUE}${n}`) } }],
    ['no list', { stripe: { '*': QUEUE } }],
    ['no types', { stripe: [QUEUE] }],
    ['an empty type', { stripe: { '': [QUEUE] } }],
    ['a number', { stripe: { '*': [7] } }],
  ])('refuses %s', (_name, routes) => {
    expect(problemsOf(routes).length).toBeGreaterThan(0);
  });
});

describe('a type with a handler and a route', () => {
  const conflictsOf = (source: string, type: string) => {
    const registration: HandlerRegistration = { source, type, handle: async () => done() };
    return checkHandlers(resolve({ stripe: { 'invoice.*': [QUEUE] } }), defineHandlers([registration]));
  };

  it('is a problem when both name the same source and type, and only then', () => {
    expect(conflictsOf('stripe', 'invoice.*')).toEqual([
      expect.objectContaining({ path: 'environments.prod.routes.stripe."invoice.*"' }),
    ]);
    expect(conflictsOf('stripe', 'invoice.paid')).toEqual([]);
    expect(conflictsOf('stripe', '*')).toEqual([]);
    expect(conflictsOf('*', 'invoice.*')).toEqual([]);
    expect(conflictsOf('default', 'invoice.*')).toEqual([]);
  });
});

describe('a target', () => {
  const machine = 'arn:aws:states:eu-central-1:210987654321:stateMachine:bill';
  const reach = (place: { region?: string; account?: string }) =>
    checkReach({
      ...resolve({ stripe: { '*': [QUEUE, machine], 'invoice.*': [QUEUE, 'https://example.com/'] } }),
      ...place,
    });

  it('is in the region of the environment, and a state machine in its account; where neither is known all pass', () => {
    expect(reach({})).toEqual([]);
    expect(reach({ region: 'eu-central-1', account: '210987654321' })).toEqual([]);
    expect(reach({ region: 'eu-west-1' }).map(it => it.given)).toEqual([
      `${QUEUE}, in an environment in eu-west-1`,
      `${machine}, in an environment in eu-west-1`,
    ]);
    expect(reach({ region: 'eu-central-1', account: '123456789012' })).toEqual([
      expect.objectContaining({ given: `${machine}, in an environment in account 123456789012` }),
    ]);
  });
});
