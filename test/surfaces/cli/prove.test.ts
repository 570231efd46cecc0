/**
 * `holdfast prove` without an AWS: where it refuses to run, what it takes, what it sends, and how it judges. The whole run,
 * and one that is stopped again and again, is test/e2e/prove.test.ts.
 */
import { describe, expect, it } from 'vitest';
import type { Deployment } from '#core/config/deployment.ts';
import type { EnvironmentConfig } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { runbookOfAlarm } from '#lib/alarms/runbooks.ts';
import { readDeployment } from '#local/project/sources.ts';
import { ALWAYS_RINGS, BREAKS } from '#local/prove/breaks.ts';
import { minutesOf, priceOf, problemsOf, refusalOf, shareOf, sizeOf } from '#local/prove/guard.ts';
import { isKnown, judge, type Kind, kindOf, pkOf, requestOf, sourceOf } from '#local/prove/plan.ts';
import { PROBES } from '#local/prove/probes.ts';
import { type Findings, judgeFindings, renderReport } from '#local/prove/report.ts';
import { prove } from '#local/prove.ts';
import { PROVIDERS } from '#providers/index.ts';
import { runScript } from '#test/e2e/run-script.ts';
import { AWS_RULES } from '#test/written/aws-rules.ts';
import { CliWorld } from './cli-world.ts';

const deploymentOf = (environment: EnvironmentConfig): Deployment =>
  resolveDeployment(
    { sources: { shop: { provider: 'generic' } }, environments: { prove: environment } },
    'prove',
    PROVIDERS,
  );

describe('where it may run', () => {
  it('is an environment that is disposable and tells nobody', () => {
    expect(problemsOf(deploymentOf({ disposable: true, outbound: {} }))).toEqual([]);
    expect(problemsOf(deploymentOf({})).join()).toMatch(/prove is not disposable.*prove: \{ disposable: true/);
    const told = { disposable: true, alarmTargets: { page: [{ email: 'oncall@example.com' }] } } as const;
    expect(problemsOf(deploymentOf(told)).join()).toMatch(/tells somebody/);
    const encryptionKey = 'arn:aws:kms:eu-central-1:123456789012:key/11111111-2222-3333-4444-555555555555';
    expect(problemsOf(deploymentOf({ disposable: true, encryptionKey })).join()).toMatch(/encryptionKey/);
  });

  it('is never one that somebody else deployed, whole or half', () => {
    const stack = (name: string, isOurs: boolean) => ({ name: `holdfast-dev-${name}`, isOurs });
    expect(refusalOf('dev', [])).toBeUndefined();
    expect(refusalOf('dev', [stack('data', true), stack('gateway', true)])).toBeUndefined();
    expect(refusalOf('dev', [stack('data', true), stack('gateway', false)])).toMatch(
      /^Nothing was changed: holdfast-dev-gateway is deployed and was not made by holdfast prove/,
    );
  });

  it.each([
    [['--env', 'nowhere'], /nowhere/],
    [['--env', 'prod', '--yes'], /^Nothing was done:\n- prod is not disposable/],
    [['--env', 'dev', '--yes', '--max-dollars', 'ten'], /^--max-dollars: "ten"/],
    [['--env', 'local', '--port', 'x'], /"x" is not a port/],
  ])('is said before any call to AWS: %j', async (args, message) => {
    const { code, stderr } = await new CliWorld().run(['prove', ...args], { readDeployment, prove, realTime: true });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(message);
  });

  it('is said by the program, too', async () => {
    const run = runScript('prove', ['--env', 'prod', '--yes']);
    expect(await run.exitCode).not.toBe(0);
    expect(run.stderr()).toMatch(/^Nothing was done:\n- prod is not disposable/);
  });
});

describe('what it takes', () => {
  it('is a fifth of what is free, and nothing where that is too little or all others would have less than a hundred', () => {
    const all = (free: number): number => {
      const share = shareOf(free);
      return typeof share === 'string' ? 0 : share.ingest + share.process + share.prove;
    };
    expect(all(1_000)).toBe(200);
    expect(all(100_000)).toBe(500);
    expect(all(125)).toBe(23);
    expect(shareOf(10)).toMatch(
      /^Nothing was changed: 10 functions may run at once here.*A fifth of them.* is 2; it needs 20/,
    );
    for (let free = 0; free < 2_000; free++) {
      expect(all(free)).toBeLessThanOrEqual(free / 5);
      if (all(free) > 0) expect(free - all(free)).toBeGreaterThanOrEqual(100);
    }
  });

  it('costs about ten dollars and an hour, and little when it is short', () => {
    const share = shareOf(1_000);
    if (typeof share === 'string') throw new Error(share);
    const waits = BREAKS.reduce((sum, each) => sum + each.holdMs, 0);
    expect(priceOf(sizeOf(false, false))).toBeGreaterThan(8);
    expect(priceOf(sizeOf(false, false))).toBeLessThan(15);
    expect(priceOf(sizeOf(false, true))).toBeLessThan(1);
    expect(minutesOf(sizeOf(false, false), waits, share, false)).toBeLessThan(75);
  });
});

describe('what it sends', () => {
  const sources = ['a', 'b', 'c', 'd', 'e'];

  it('has every kind, for every source', () => {
    const seen = new Set(Array.from({ length: 5_000 }, (_, n) => `${kindOf(n)} ${sourceOf(n, sources)}`));
    const kinds: readonly Kind[] = ['plain', 'duplicate', 'fails', 'dies', 'poison', 'forged'];
    for (const kind of kinds)
      for (const source of sources) expect(seen, `${kind} ${source}`).toContain(`${kind} ${source}`);
  });

  it('is an event of its own for each number, known by its key', () => {
    for (const spec of ['generic', 'stripe', 'github', 'shopify', 'standard-webhooks']) {
      expect(isKnown(spec)).toBe(true);
      const { headers, body } = requestOf('r1', 42, spec, 0);
      expect(JSON.stringify([headers, body])).toContain('prove-r1-42');
      expect(JSON.parse(body).data).toMatchObject({ n: 42 });
    }
    expect(() => requestOf('r1', 1, 'slack', 0)).toThrow(/nobody knows/);
    expect(() => pkOf('not a name', 1, 'a')).toThrow(RangeError);
  });
});

it.each([
  ['plain', 'completed', 1, 'right'],
  ['plain', 'completed', 2, 'twice'],
  ['plain', 'completed', 0, 'lost'],
  ['plain', undefined, 0, 'lost'],
  ['plain', 'dead_letter', 0, 'lost'],
  ['plain', 'failed', 0, 'open'],
  ['dies', 'processing', 1, 'open'],
  ['duplicate', 'completed', 2, 'twice'],
  ['poison', 'dead_letter', 0, 'right'],
  ['poison', 'failed', 0, 'open'],
  ['poison', undefined, 0, 'lost'],
  ['forged', undefined, 0, 'right'],
  ['forged', 'completed', 1, 'forged'],
  ['forged', 'pending', 0, 'forged'],
] as const)('judges %s that is %s with %i effects: %s', (kind, status, times, verdict) => {
  expect(judge(kind, { status, times })).toBe(verdict);
});

it('breaks and asks what the alarms and the ledger know', () => {
  for (const id of [...ALWAYS_RINGS, ...BREAKS.flatMap(each => each.rings)].filter(each => !each.endsWith('-')))
    expect(() => runbookOfAlarm(id)).not.toThrow();
  const rules = AWS_RULES.map(each => each.rule);
  expect(PROBES.length).toBeGreaterThanOrEqual(12);
  for (const { rule } of PROBES) expect(rules).toContain(rule);
});

describe('the report', () => {
  const good: Findings = {
    environment: 'prove',
    place: 'eu-central-1',
    at: new Date(0),
    version: '0.1.0',
    minutes: 50,
    dollars: 9.5,
    events: 1_000,
    sources: ['shop'],
    requests: 1_100,
    acknowledged: 990,
    latencyMs: [30, 10, 20],
    wrong: { lost: [], twice: [], forged: [], open: [] },
    breaks: [{ name: 'sweep does not run', bit: true }],
    alarms: { rang: ['sweep-not-running'], missing: [], tooShort: [] },
    probes: [{ rule: 'A call takes ten messages.', seen: true }],
    templates: [{ name: 'holdfast-prove-data', sha256: 'abc' }],
  };

  it('puts each finding under one heading', () => {
    expect(judgeFindings(good).differs).toEqual([]);
    expect(renderReport(good)).toMatch(/half of the answers within 20 ms, 99 % within 30 ms/);
    const bad: Findings = {
      ...good,
      wrong: { lost: ['evt_shop.1'], twice: ['evt_shop.2'], forged: ['evt_shop.3'], open: ['evt_shop.4'] },
      breaks: [{ name: 'a table', bit: false, notLocally: 'it throttles no table' }],
      alarms: { rang: [], missing: ['sweep-not-running'], tooShort: ['process-queue-age'] },
      probes: [
        { rule: 'A.', seen: 'it was taken' },
        { rule: 'B.', seen: 'it was taken', locally: 'it is taken' },
      ],
      stopped: '$16 are spent',
    };
    const { differs, notShown } = judgeFindings(bad);
    expect(differs.join('\n')).toMatch(
      /^lost: 1 of 990 \(evt_shop\.1\)\n.*twice: 1 .*\nforged .*: 1 .*\nnot at their end.*: 1 .*\ndid not ring: sweep-not-running\nA\. \(seen: it was taken\)\nit was stopped: \$16/,
    );
    expect(notShown.join('\n')).toMatch(
      /outbound.*\na table: it throttles no table\n.*process-queue-age\nB\. \(the local AWS/,
    );
  });
});
