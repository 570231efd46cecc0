import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { narrowAllowLists, notCovered } from '#core/config/range-cover.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { PROVIDERS } from '#providers/index.ts';

const said = (sources: Parameters<typeof resolveDeployment>[0]['sources']): readonly string[] =>
  narrowAllowLists(resolveDeployment({ sources, environments: { prod: {} } }, 'prod', PROVIDERS));

describe('an allow list that lacks published ranges of its provider', () => {
  it('is named, with what would be refused and what to do', () => {
    const [line, ...more] = said({ github: { provider: 'github', allowList: ['140.82.112.0/20'] } });
    expect(more).toEqual([]);
    expect(line).toMatch(
      /^Source github refuses 5 of the 6 address ranges that GitHub published on .*192\.30\.252\.0\/22/,
    );
    expect(line).toMatch(/sources\.github\.allowList in gateway\.config\.ts/);
  });

  it('is not mentioned when it has all of them, or holds them in wider ones, or nothing is published', () => {
    expect(said({ github: { provider: 'github', allowList: PROVIDERS['github']?.ips?.ranges ?? [] } })).toEqual([]);
    expect(said({ github: { provider: 'github', allowList: ['0.0.0.0/0', '::/0'] } })).toEqual([]);
    expect(said({ github: { provider: 'github' } })).toEqual([]);
    expect(said({ postmark: { provider: 'postmark', allowList: ['192.0.2.0/24'] } })).toEqual([]);
  });

  it('is not what the README shows: whoever copied a part of a list would refuse webhooks', () => {
    expect(readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')).not.toContain('allowList: [');
  });
});

describe('ranges within others', () => {
  it('are compared bit by bit, each family by itself', () => {
    expect(notCovered(['192.0.2.128/25', '192.0.3.0/24'], ['192.0.2.0/24'])).toEqual(['192.0.3.0/24']);
    expect(notCovered(['192.0.2.0/23'], ['192.0.2.0/24'])).toEqual(['192.0.2.0/23']);
    expect(notCovered(['2001:db8:1::/48', '2001:db9::/32'], ['2001:0db8::/32', '0.0.0.0/0'])).toEqual([
      '2001:db9::/32',
    ]);
  });
});
