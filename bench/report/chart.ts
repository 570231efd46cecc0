/**
 * The chart of bench/RESULTS.md, for somebody who has read nothing else: what one pays, what one waits for, how much a
 * function works, and how much others work for one event.
 */
import { ALTERNATIVES } from '#operator/cost/alternatives.ts';
import { type Claim, DRAWN, dollars, numberOf, times } from './claims.ts';
import type { KnownNumbers } from './section.ts';

const LEFT = 320;
const UNIT = 135;
/** Shares beyond are cut, and say so by their number. */
const MOST = 2;
const ROW = 26;
const HEAD = 30;

/** The chart as SVG, of the figures that are known. */
export function drawChart(numbers: KnownNumbers): string {
  const parts: string[] = [];
  let y = 12;
  for (const { title, claims } of DRAWN) {
    const known = claims.filter(each => numberOf(each, numbers) !== undefined);
    if (known.length === 0) continue;
    parts.push(
      head(title, y),
      `<line x1="${LEFT + UNIT}" x2="${LEFT + UNIT}" y1="${y + 22}" y2="${y + HEAD + known.length * ROW}" class="aim"/>`,
    );
    y += HEAD;
    for (const each of known) {
      parts.push(drawBar(numberOf(each, numbers) ?? 0, each, y));
      y += ROW;
    }
    y += 12;
  }
  for (const { title, rows, show } of besides(numbers)) {
    parts.push(head(title, y));
    y += HEAD;
    const most = Math.max(...rows.map(([, value]) => value));
    for (const [label, value] of rows) {
      const share = (MOST * value) / most;
      parts.push(named(label, y), rect(share, label === US ? 'own' : 'peer', y), said(share, show(value), y));
      y += ROW;
    }
    y += 12;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 ${y + 10}" width="800" height="${y + 10}" role="img" aria-label="What Holdfast costs and how fast it is, each figure beside its target">
<style>text{font:13px system-ui,sans-serif;fill:#57606a}.name{fill:#24292f}.title{fill:#24292f;font-weight:600}.within{fill:#2da44e}.beyond{fill:#d1242f}.peer{fill:#8c959f}.own{fill:#0969da}.aim{stroke:#24292f;stroke-width:1.5}@media(prefers-color-scheme:dark){text{fill:#9198a1}.name,.title{fill:#e6edf3}.aim{stroke:#e6edf3}}</style>
${parts.join('\n')}
</svg>
`;
}

const US = 'Holdfast';

interface Beside {
  readonly title: string;
  readonly rows: readonly (readonly [label: string, value: number])[];
  readonly show: (value: number) => string;
}

/** Others, the leanest first: what they ask for a million events, and their CPU for one, over that of the leanest. */
function besides({ c = {}, d = {} }: KnownNumbers): readonly Beside[] {
  const { dollarsShipped: own } = c;
  const { sdkOverPeer1: postgres, sdkOverPeer2: bull } = d;
  const prices = ALTERNATIVES.map(({ short, perMillion }) => [short, perMillion] as const);
  const leanest = Math.max(postgres ?? 0, bull ?? 0);
  const sorted = (rows: Beside['rows']): Beside['rows'] => [...rows].sort(([, one], [, other]) => one - other);
  return [
    ...(own === undefined
      ? []
      : [{ title: 'A million events, beside others', show: dollars, rows: sorted([[US, own], ...prices]) }]),
    ...(postgres === undefined || bull === undefined
      ? []
      : [
          {
            title: 'CPU of one event, beside others, without the database',
            show: times,
            rows: sorted([
              ['a Node server with Postgres 15', leanest / postgres],
              ['BullMQ on Redis 7', leanest / bull],
              [US, leanest],
            ]),
          },
        ]),
  ];
}

const head = (title: string, y: number): string => `<text x="10" y="${y + 16}" class="title">${title}</text>`;
const named = (label: string, y: number): string =>
  `<text x="${LEFT - 10}" y="${y + 14}" text-anchor="end" class="name">${label}</text>`;
const rect = (share: number, side: string, y: number): string =>
  `<rect x="${LEFT}" y="${y}" width="${Math.round(share * UNIT)}" height="${ROW - 8}" rx="2" class="${side}"/>`;
const said = (share: number, text: string, y: number): string =>
  `<text x="${LEFT + Math.round(share * UNIT) + 8}" y="${y + 14}">${text}</text>`;

function drawBar(value: number, { label, target = value, show }: Claim, y: number): string {
  const share = Math.min(MOST, value / target);
  const isWithin = value <= target;
  const verdict = isWithin ? `target ${show(target)}` : `misses its target, ${show(target)}`;
  return [
    named(label, y),
    rect(share, isWithin ? 'within' : 'beyond', y),
    said(Math.max(share, 1), `${show(value)}: ${verdict}`, y),
  ].join('');
}
