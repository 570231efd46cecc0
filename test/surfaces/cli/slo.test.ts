/** What was kept of the objectives, out of the numbers of alarms; the page about them says the same. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Gateway } from '#operator/gateway.ts';
import { OBJECTIVES } from '#operator/health/service-levels.ts';
import { CliWorld } from './cli-world.ts';

type Numbers = Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>;
const asked: string[] = [];
const withNumbers = (numbers: Numbers): Partial<Gateway> => ({
  alarmParts: async (name, { from, to, periodMs }) => {
    asked.push(`${name} ${(to - from) / 86_400_000} d in ${periodMs / 60_000} min`);
    return numbers[name.replace('holdfast-local-', '')];
  },
});
const times = (count: number, value: number): readonly number[] => Array.from({ length: count }, () => value);
const WELL: Numbers = {
  'ingest-budget-burn': { errors: [400], throttled: [100], requests: times(30, 1e6 / 30) },
  'ingest-slow': { m: [...times(995, 80), ...times(5, 2_000)] },
  'sweep-oldest-unfinished': { m: times(8_640, 3) },
  'process-slow': { m: times(100, 40) },
  'process-new-dead-letters': { m: [3] },
  'process-retry-rate': { attempts: [11_000], retries: [1_000] },
  'audit-ledger-mismatch': { reported: times(30, 0) },
};
const run = async (numbers: Numbers) => {
  const cli = new CliWorld();
  const gateway = withNumbers(numbers);
  const { code, stdout } = await cli.run(['slo'], { gateway });
  const lines = Object.fromEntries(
    stdout
      .split('\n')
      .map(line => line.trim().split(/ {2,}/))
      .map(([name, ...rest]) => [name, rest]),
  );
  return { code, lines, value: (await cli.json(['slo'], { gateway })).value };
};

it('says of each objective what was kept, and how much of its budget is left', async () => {
  const { code, lines, value } = await run(WELL);
  expect(code).toBe(0);
  expect(lines['acceptance']?.slice(0, 3)).toEqual(['99.9 %', '99.95 % (500 bad)', '50 %']);
  expect(lines['speed of the answer']?.slice(0, 3)).toEqual(['99 %', '99.5 % (5 bad)', '50 %']);
  expect(lines['freshness']?.slice(0, 3)).toEqual(['99.9 %', '100 % (0 bad)', '100 %']);
  expect(lines['outcome']?.slice(0, 3)).toEqual(['99.9 %', '99.97 % (3 bad)', '70 %']);
  expect(lines['durability']?.slice(0, 2)).toEqual(['100 %', '0 found']);
  expect(value).toContainEqual(expect.objectContaining({ name: 'acceptance', bad: 500, of: expect.closeTo(1e6, 3) }));
  expect(asked).toContain('holdfast-local-ingest-slow 30 d in 5 min');
  expect(asked).toContain('holdfast-local-ingest-budget-burn 30 d in 1440 min');
});

it('fails where more was bad than may be, also where all was', async () => {
  const burnt = await run({ ...WELL, 'ingest-budget-burn': { errors: [9_000], throttled: [], requests: [9_000] } });
  expect([burnt.code, burnt.lines['acceptance']?.slice(1, 3)]).toEqual([1, ['0 % (9,000 bad)', 'overspent']]);
  const broken = await run({ ...WELL, 'audit-ledger-mismatch': { reported: [0, 2] } });
  expect([broken.code, broken.lines['durability']?.slice(1, 3)]).toEqual([1, ['2 found', 'none allowed']]);
});

it('says that it has no number where an alarm is not there, or nothing came', async () => {
  const { 'process-slow': _, ...without } = WELL;
  const { code, lines } = await run({ ...without, 'ingest-budget-burn': {} });
  expect(code).toBe(0);
  for (const name of ['acceptance', 'speed of processing']) expect(lines[name]?.[1], name).toBe('no number');
});

it('shows the objectives alone where no metrics are kept', async () => {
  const { code, stdout, stderr } = await new CliWorld().run(['slo']);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/keeps no metrics/)]);
  for (const { name } of OBJECTIVES) expect(stdout).toMatch(new RegExp(`${name} .*no number`));
});

it('are those of the page', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/operate/service-levels.md'), 'utf8');
  for (const { name, means, objective } of OBJECTIVES)
    expect(page).toContain(`| **${name}** | ${means} | ${Number((objective * 100).toFixed(3))} % |`);
});
