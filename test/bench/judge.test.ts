import { describe, expect, it } from 'vitest';
import { CLAIMS, type JudgedSection, judge, verdictText } from '#bench/judge/judge.ts';
import { BUSY_SHARE, busyShare } from '#bench/judge/others.ts';
import { judgeClaims, SLACK } from '#bench/judge/verdict.ts';
import type { Claim } from '#bench/report/claims.ts';
import { readNumbers } from '#bench/report/page.ts';

const published = readNumbers();
const ratio = CLAIMS.find(it => it.name === 'primed' && it.over === undefined) as Claim;
const counted = CLAIMS.find(it => it.name === 'okWriteUnits') as Claim;
const bounded = CLAIMS.find(it => it.kind === 'bounded') as Claim;

/** The verdict on a claim whose number is `times` what is published, or the bound. */
function verdictAt(claim: Claim, times: number, why: Readonly<Record<string, string>> = {}) {
  const said = claim.kind === 'bounded' ? (claim.target ?? 0) : (published[claim.section]?.[claim.name] ?? 0);
  expect(said).toBeGreaterThan(0);
  const [row] = judgeClaims([claim], published, { [claim.section]: { [claim.name]: times * said } }, why);
  return row;
}

describe('a verdict', () => {
  it.each([
    [ratio, SLACK.ratio],
    [counted, SLACK.counted],
    [bounded, SLACK.bounded],
  ])('is red when the number is worse than published, but for what a machine may add: %j', (claim, slack) => {
    expect(verdictAt(claim, slack - 0.001)).toMatchObject({ verdict: 'kept' });
    expect(verdictAt(claim, 0.5)).toMatchObject({ verdict: 'kept' });
    expect(verdictAt(claim, slack + 0.01)).toMatchObject({
      verdict: 'not kept',
      why: expect.stringMatching(/% above/),
    });
  });

  it('is none where others were at work, where nothing was measured, and of a prediction', () => {
    expect(verdictAt(ratio, 2, { [ratio.section]: 'others' })).toMatchObject({
      verdict: 'not comparable here',
      why: 'others',
    });
    expect(judgeClaims([counted], published, {}, {})[0]).toMatchObject({
      verdict: 'not comparable here',
      measured: '–',
    });
    expect(judgeClaims([counted], {}, published, {})[0]).toMatchObject({
      verdict: 'not comparable here',
      published: '–',
    });
    const predicted = CLAIMS.filter(it => it.kind === 'predicted');
    expect(predicted).toHaveLength(2);
    for (const each of predicted) expect(verdictAt(each, 9)).toMatchObject({ verdict: 'not comparable here' });
  });

  it('compares a number that is a share of another', () => {
    const over = CLAIMS.find(it => it.over === 'minimal') as Claim;
    const at = (primed: number) => judgeClaims([over], published, { a: { primed, minimal: 4 } }, {})[0]?.verdict;
    expect([at(2), at(4.5)]).toEqual(['kept', 'not kept']);
  });
});

describe('the judge', () => {
  const asPublished = (id: string, timed: boolean): JudgedSection => ({
    timed,
    measure: () => Promise.resolve(published[id] ?? {}),
  });
  const sections = { a: asPublished('a', true), c: asPublished('c', false) };
  const quiet = () => Promise.resolve(undefined);
  const run = (given: Partial<Parameters<typeof judge>[0]> = {}) =>
    judge({ published, sections, othersWork: quiet, say: () => undefined, ...given });
  const of = (rows: Awaited<ReturnType<typeof run>>, claim: Claim) => rows.find(it => it.claim === claim.label);

  it('finds what is published kept where the same is measured, and says of the rest why not', async () => {
    const rows = await run();
    expect(rows).toHaveLength(CLAIMS.length);
    expect(rows.filter(it => it.verdict === 'not kept')).toEqual([]);
    expect([of(rows, ratio)?.verdict, of(rows, counted)?.verdict]).toEqual(['kept', 'kept']);
    expect(rows.filter(it => it.verdict === 'not comparable here').every(it => it.why !== undefined)).toBe(true);
    expect(verdictText(rows)).toMatch(
      /\| claim \| published \| measured \| verdict \|[\s\S]*\d+ kept, 0 not kept, \d+ not/,
    );
  });

  it('measures no time while others are at work, but counts', async () => {
    const rows = await run({ othersWork: () => Promise.resolve('busy') });
    expect(of(rows, ratio)).toMatchObject({ verdict: 'not comparable here', why: 'busy', measured: '–' });
    expect(of(rows, counted)).toMatchObject({ verdict: 'kept' });
  });

  it('trusts no time when others came to work while it was measured', async () => {
    let looks = 0;
    const rows = await run({ othersWork: () => Promise.resolve(++looks === 2 ? 'busy now' : undefined) });
    expect(of(rows, ratio)).toMatchObject({ verdict: 'not comparable here', why: 'busy now' });
  });

  it('says why a section could not be measured, and goes on', async () => {
    const failing = { timed: true, measure: () => Promise.reject(new Error('no Postgres\nat all')) };
    const rows = await run({ sections: { a: failing, c: sections.c } });
    expect(of(rows, ratio)).toMatchObject({ verdict: 'not comparable here', why: 'no Postgres' });
    expect(of(rows, counted)).toMatchObject({ verdict: 'kept' });
  });

  it('knows a busy machine by the time in which no processor was idle', () => {
    expect(busyShare({ idle: 100, all: 200 }, { idle: 190, all: 300 })).toBeCloseTo(0.1);
    expect(busyShare({ idle: 100, all: 200 }, { idle: 100, all: 300 })).toBe(1);
    expect(busyShare({ idle: 1, all: 2 }, { idle: 1, all: 2 })).toBe(0);
    expect(BUSY_SHARE).toBeLessThan(0.5);
  });
});
