import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { quantile, spreadOf } from '#bench/measure/statistics.ts';
import { drawChart } from '#bench/report/chart.ts';
import { mergeSections, PAGE, readNumbers } from '#bench/report/page.ts';
import { type Section, toMarkdown } from '#bench/report/section.ts';
import { readArguments } from '#bench/run.ts';

const section = (id: string, title: string): Section => ({ id, title, method: 'how', figures: [] });

describe('the page', () => {
  it('gets the new sections in order and keeps all others', () => {
    const first = mergeSections('', [section('c', 'C one'), section('e', 'E one')], 'today');
    const second = mergeSections(first, [section('c', 'C two'), section('a', 'A one')], 'tomorrow');
    const titles = [...second.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
    expect(titles).toEqual(['A one', 'C two', 'E one']);
    expect(mergeSections(second, [], 'later')).toBe(second);
  });

  it('says in every section on which machine and when', () => {
    const page = readFileSync(PAGE, 'utf8');
    const sections = [...page.matchAll(/<!-- bench:(\w) -->\n([\s\S]*?)<!-- \/bench:\1 -->/g)];
    expect(sections.map(([, id]) => id)).toEqual(expect.arrayContaining(['a', 'b', 'c', 'f']));
    for (const [, id, text] of sections) expect(text, id).toMatch(/^_20\d\d-\d\d-\d\d, .*Node v\d+.*_$/m);
  });
});

/** The last one is by hand. */
const SECTIONS = [...readFileSync(PAGE, 'utf8').matchAll(/<!-- bench:([a-hj]) -->\n([\s\S]*?)<!-- \/bench:\1 -->/g)];

describe('a section of the page', () => {
  it.each(SECTIONS.map(([, id = '', text = '']) => ({ id, text })))(
    'says in sixty words how it was measured, and in three notes what changes how it is read ($id)',
    ({ text }) => {
      const [, method = ''] = text.split('\n\n');
      expect(method.split(/\s+/).length).toBeLessThanOrEqual(60);
      expect(text.match(/^- /gm)?.length ?? 0).toBeLessThanOrEqual(3);
    },
  );

  it('has a target and its verdict in one cell, and no column for what few have', () => {
    const figures = [
      { name: 'one', value: '1', reference: 'r', target: '≤ 2 (1)', reached: true },
      { name: 'two', value: '3', reference: 'r', target: '≤ 2', reached: false },
      { name: 'three', value: '3', reference: 'r' },
    ];
    const lines = toMarkdown({ ...section('a', 'A'), figures }).split('\n');
    expect(lines.filter(line => line.startsWith('|')).slice(2)).toEqual([
      '| one | 1 | r | ≤ 2 (1): reached |',
      '| two | 3 | r | ≤ 2: **not reached** |',
      '| three | 3 | r |  |',
    ]);
    expect(SECTIONS.map(([, , text]) => text).join('\n')).toContain('|  | now | beside, in the same run | target |');
  });
});

describe('the chart', () => {
  it('is drawn from the published numbers', () => {
    const chart = readFileSync(join(PAGE, '../../docs/understand/measured.svg'), 'utf8');
    expect(chart, 'run: npm run bench -- c --write').toBe(drawChart(readNumbers()));
  });

  it('tells what is within its target from what is beyond, and leaves out what is not known', () => {
    const chart = drawChart({ c: { okWriteUnits: 4, duplicateWriteUnits: 12 } });
    expect(chart.match(/class="within"/g)).toHaveLength(1);
    expect(chart.match(/class="beyond"/g)).toHaveLength(1);
    expect(chart).toContain('4: target 4');
    expect(chart).toContain('12: misses its target, 3');
    expect(chart).not.toContain('processed within');
    expect(chart).not.toContain('Postgres');
    const dear = drawChart({ c: { dollarsShipped: 30 } });
    expect([...dear.matchAll(/class="(own|peer)"/g)].map(([, side]) => side)).toEqual(['peer', 'peer', 'own', 'peer']);
    expect(drawChart({ d: { sdkOverPeer1: 6, sdkOverPeer2: 4 } })).toContain('1.5 ×');
  });
});

it('the labels of the chart have room beside their bars', () => {
  const labels = [...drawChart(readNumbers()).matchAll(/class="name">([^<]*)</g)].map(([, label = '']) => label);
  expect(labels.length).toBeGreaterThan(15);
  expect(labels.filter(label => label.length > 44)).toEqual([]);
});

describe('the arguments', () => {
  it('choose benchmarks, in their order', () => {
    expect(readArguments(['c', 'a'], ['a', 'b', 'c'])).toEqual({ ids: ['a', 'c'], quick: false, write: false });
    expect(readArguments(['--quick'], ['a', 'b', 'c', 'd', 'f']).ids).toEqual(['a', 'b', 'c', 'f']);
    expect(readArguments(['--write'], ['a', 'd']).ids).toEqual(['a', 'd']);
  });

  it.each([['z'], ['--fast']])('refuse %s and name the choices', wrong => {
    expect(() => readArguments([wrong])).toThrow(new RegExp(`"${wrong}".*a \\(cold start.*--quick, --write`));
  });
});

describe('statistics', () => {
  it('take values between neighbours', () => {
    expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
    expect(quantile([5], 0.99)).toBe(5);
    expect(spreadOf([1, 2, 3, 4, 5])).toEqual({ median: 3, lower: 2, upper: 4 });
    expect(() => quantile([], 0.5)).toThrow(RangeError);
  });
});
