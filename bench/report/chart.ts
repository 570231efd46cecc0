/** The chart of docs/performance.md: each figure as a share of its target, so that unlike things fit one axis. */
import type { KnownNumbers } from './section.ts';

interface Bar {
  readonly label: string;
  readonly section: string;
  readonly name: string;
  readonly target: number;
  readonly moonshot?: number;
  readonly show: (value: number) => string;
}

const times = (value: number): string => `${value.toFixed(1)} ×`;
const dollars = (value: number): string => `$${value.toFixed(2)}`;
const whole = (value: number): string => String(Math.round(value));
const tenths = (value: number): string => String(Math.round(value * 10) / 10);
const milliseconds = (value: number): string => `${Math.round(value)} ms`;

const BARS: readonly Bar[] = [
  { label: 'a  start of ingest, wall', section: 'a', name: 'startWall', target: 2.2, moonshot: 1.5, show: times },
  { label: 'a  first event, CPU', section: 'a', name: 'firstEvent', target: 7.5, moonshot: 2.5, show: times },
  {
    label: 'a  bytes of ingest',
    section: 'a',
    name: 'raw',
    target: 260_000,
    moonshot: 40_000,
    show: it => `${whole(it / 1000)} KB`,
  },
  { label: 'b  ingest, no-op ports', section: 'b', name: 'ingestRatio', target: 4, moonshot: 2.5, show: times },
  { label: 'b  ingest, with client', section: 'b', name: 'clientRatio', target: 6, moonshot: 3, show: times },
  { label: 'b  process, no-op ports', section: 'b', name: 'processRatio', target: 40, moonshot: 15, show: times },
  { label: 'c  write units, ok event', section: 'c', name: 'okWriteUnits', target: 4, moonshot: 3, show: tenths },
  { label: 'c  write units, duplicate', section: 'c', name: 'duplicateWriteUnits', target: 3, show: tenths },
  {
    label: 'c  per million, batch 10 (predicted)',
    section: 'c',
    name: 'dollarsBatch10',
    target: 5.4,
    moonshot: 4.2,
    show: dollars,
  },
  { label: 'f  p99 warm (predicted)', section: 'f', name: 'warmP99', target: 200, moonshot: 160, show: milliseconds },
  { label: 'f  accept p90 (predicted)', section: 'f', name: 'acceptP90', target: 50, show: milliseconds },
];

const LEFT = 250;
const UNIT = 150;
/** Shares beyond are cut, and say so by their number. */
const MOST = 3;
const ROW = 26;
const TOP = 46;

/** The chart as SVG, of the figures that are known. */
export function drawChart(numbers: KnownNumbers): string {
  const known = BARS.filter(bar => numbers[bar.section]?.[bar.name] !== undefined);
  const width = LEFT + MOST * UNIT + 130;
  const height = TOP + known.length * ROW + 30;
  const rows = known.map((bar, at) => drawBar(bar, numbers[bar.section]?.[bar.name] ?? 0, TOP + at * ROW));
  const targetX = LEFT + UNIT;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Each figure as a share of its target">
<style>text{font:13px system-ui,sans-serif;fill:#57606a}.name{fill:#24292f}.within{fill:#2da44e}.beyond{fill:#d1242f}.aim{stroke:#24292f;stroke-width:1.5}.moon{stroke:#8250df;stroke-width:2}@media(prefers-color-scheme:dark){text{fill:#9198a1}.name{fill:#e6edf3}.aim{stroke:#e6edf3}}</style>
<text x="${targetX}" y="18" text-anchor="middle" class="name">target</text>
<text x="${targetX + 60}" y="18" fill="#8250df">violet: moonshot</text>
<line x1="${targetX}" x2="${targetX}" y1="26" y2="${height - 24}" class="aim"/>
${rows.join('\n')}
<text x="${LEFT}" y="${height - 6}">0</text><text x="${LEFT + 2 * UNIT}" y="${height - 6}" text-anchor="middle">2 × target</text><text x="${LEFT + 3 * UNIT}" y="${height - 6}" text-anchor="middle">3 ×</text>
</svg>
`;
}

function drawBar({ label, target, moonshot, show }: Bar, value: number, y: number): string {
  const share = Math.min(MOST, value / target);
  const side = value <= target ? 'within' : 'beyond';
  const parts = [
    `<text x="${LEFT - 10}" y="${y + 14}" text-anchor="end" class="name">${label}</text>`,
    `<rect x="${LEFT}" y="${y}" width="${Math.round(share * UNIT)}" height="${ROW - 8}" rx="2" class="${side}"/>`,
    `<text x="${LEFT + Math.round(Math.max(share, 1) * UNIT) + 8}" y="${y + 14}">${show(value)} of ${show(target)}</text>`,
  ];
  if (moonshot !== undefined) {
    const x = LEFT + Math.round((moonshot / target) * UNIT);
    parts.push(`<line x1="${x}" x2="${x}" y1="${y - 2}" y2="${y + ROW - 6}" class="moon"/>`);
  }
  return parts.join('');
}
