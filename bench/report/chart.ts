/**
 * The chart of bench/RESULTS.md, for somebody who has read nothing else: what one pays, what one waits for, how much a
 * function works, and how much others work for one event.
 */
import type { KnownNumbers } from './section.ts';

interface Bar {
  readonly label: string;
  readonly section: string;
  readonly name: string;
  readonly target: number;
  readonly show: (value: number) => string;
}

interface Group {
  readonly title: string;
  readonly bars: readonly Bar[];
}

const times = (value: number): string => `${value.toFixed(1)} ×`;
const dollars = (value: number): string => `$${value.toFixed(2)}`;
const tenths = (value: number): string => String(Math.round(value * 10) / 10);
const milliseconds = (value: number): string => `${Math.round(value)} ms`;
const kilobytes = (value: number): string => `${Math.round(value / 1000)} KB`;

const PAID = { section: 'c', show: dollars };
const COUNTED = { section: 'c', show: tenths };

const GROUPS: readonly Group[] = [
  {
    title: 'What you pay, predicted',
    bars: [
      { label: 'a million events received, at 1M a day', name: 'dollarsShipped', target: 7, ...PAID },
      { label: 'the same with the cheapest settings', name: 'dollarsCheapest', target: 6, ...PAID },
      { label: 'a million messages sent, few at a time', name: 'deliveryQuietDollars', target: 13, ...PAID },
      { label: 'a million messages sent, many at a time', name: 'deliveryBusyDollars', target: 10, ...PAID },
      { label: 'write units of an event', name: 'okWriteUnits', target: 4, ...COUNTED },
      { label: 'write units of one that comes again', name: 'duplicateWriteUnits', target: 3, ...COUNTED },
    ],
  },
  {
    title: 'What you wait for, predicted',
    bars: [
      {
        label: '9 of 10 requests are answered within',
        section: 'f',
        name: 'acceptP90',
        target: 50,
        show: milliseconds,
      },
      {
        label: '99 of 100 events are processed within',
        section: 'f',
        name: 'warmP99',
        target: 200,
        show: milliseconds,
      },
    ],
  },
  {
    title: 'How much a function works (CPU)',
    bars: [
      { label: 'its start, over an empty Node program', section: 'a', name: 'primed', target: 3.8, show: times },
      { label: 'its first event, over the bare calls', section: 'a', name: 'firstEvent', target: 8, show: times },
      { label: 'receiving an event, over the bare calls', section: 'b', name: 'clientRatio', target: 6, show: times },
      { label: 'code that it reads to start', section: 'a', name: 'raw', target: 308_000, show: kilobytes },
    ],
  },
];

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
  for (const { title, bars } of GROUPS) {
    const known = bars.filter(bar => numbers[bar.section]?.[bar.name] !== undefined);
    if (known.length === 0) continue;
    parts.push(
      head(title, y),
      `<line x1="${LEFT + UNIT}" x2="${LEFT + UNIT}" y1="${y + 22}" y2="${y + HEAD + known.length * ROW}" class="aim"/>`,
    );
    y += HEAD;
    for (const bar of known) {
      parts.push(drawBar(bar, numbers[bar.section]?.[bar.name] ?? 0, y));
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

function drawBar({ label, target, show }: Bar, value: number, y: number): string {
  const share = Math.min(MOST, value / target);
  const isWithin = value <= target;
  const verdict = isWithin ? `target ${show(target)}` : `misses its target, ${show(target)}`;
  return [
    named(label, y),
    rect(share, isWithin ? 'within' : 'beyond', y),
    said(Math.max(share, 1), `${show(value)}: ${verdict}`, y),
  ].join('');
}
