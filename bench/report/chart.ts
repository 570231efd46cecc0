/**
 * The chart of bench/RESULTS.md, for somebody who has read nothing else: what one pays, what one waits for, how much a
 * function works, and how much others work for one event.
 */
import { type Claim, DRAWN, numberOf } from './claims.ts';
import type { KnownNumbers } from './section.ts';

const times = (value: number): string => `${value.toFixed(1)} ×`;

const LEFT = 270;
const UNIT = 150;
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
  const peers = peersOf(numbers['d'] ?? {});
  if (peers.length > 0) parts.push(head('CPU of one event, beside others', y));
  if (peers.length > 0) y += HEAD;
  const most = Math.max(...peers.map(([, value]) => value));
  for (const [label, value] of peers) {
    parts.push(named(label, y), rect((MOST * value) / most, 'peer', y), said(MOST * (value / most), times(value), y));
    y += ROW;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 ${y + 10}" width="800" height="${y + 10}" role="img" aria-label="What Holdfast costs and how fast it is, each figure beside its target">
<style>text{font:13px system-ui,sans-serif;fill:#57606a}.name{fill:#24292f}.title{fill:#24292f;font-weight:600}.within{fill:#2da44e}.beyond{fill:#d1242f}.peer{fill:#8c959f}.aim{stroke:#24292f;stroke-width:1.5}@media(prefers-color-scheme:dark){text{fill:#9198a1}.name,.title{fill:#e6edf3}.aim{stroke:#e6edf3}}</style>
${parts.join('\n')}
</svg>
`;
}

/** Times the CPU of the leanest one. */
function peersOf({
  sdkOverPeer1: postgres,
  sdkOverPeer2: bull,
}: Readonly<Record<string, number>>): readonly (readonly [string, number])[] {
  if (postgres === undefined || bull === undefined) return [];
  return [
    ['node:http + Postgres 15', 1],
    ['BullMQ on Redis 7', postgres / bull],
    ['Holdfast', postgres],
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
