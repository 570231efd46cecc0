/** Draws a CloudWatch dashboard from its JSON: the same grid, titles, lines, targets and tables, with given numbers. */
import { MINUTE_MS } from '#core/time.ts';
import { evaluateAlarm } from '#local/alarms/evaluate-alarm.ts';
import { compileMetricMath, type Series } from '#local/alarms/metric-math.ts';
import { type MetricId, statistic } from '#local/alarms/metric-store.ts';
import type { Dashboard, MetricOptions, Widget } from './body.ts';
import type { Night } from './night.ts';

const COLUMN = 60;
const ROW = 40;
const TOP = 96;
const COLOURS = [
  '#1f77b4',
  '#ff7f0e',
  '#2ca02c',
  '#d62728',
  '#9467bd',
  '#8c564b',
  '#e377c2',
  '#7f7f7f',
  '#bcbd22',
  '#17becf',
];

interface Line {
  readonly label: string;
  readonly right: boolean;
  readonly points: readonly (number | undefined)[];
}

export function drawDashboard(dashboard: Dashboard, night: Night, says: readonly string[]): string {
  const width = 24 * COLUMN;
  const height = TOP + ROW * Math.max(...dashboard.widgets.map(it => it.y + it.height)) + 10;
  const head = says.map(
    (text, n) => `<text x="16" y="${24 + n * 18}" class="${n === 0 ? 'title' : 'small'}">${xmlText(text)}</text>`,
  );
  const drawn = dashboard.widgets.map(widget => drawWidget(widget, dashboard, night));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${xmlText(says[0] ?? '')}">
<style>text{font:11px system-ui,sans-serif;fill:#24292f}.title{font-size:14px;font-weight:600}.head{font-size:17px;font-weight:600}.small{font-size:12px;fill:#57606a}.axis{fill:#57606a;font-size:10px}.box{fill:#fff;stroke:#d0d7de}.grid{stroke:#eaeef2}polyline{fill:none;stroke-width:1.6}.aim{stroke:#d1242f;stroke-dasharray:5 3}</style>
<rect width="${width}" height="${height}" fill="#f6f8fa"/>
${[...head, ...drawn].join('\n')}
</svg>
`;
}

function drawWidget(widget: Widget, dashboard: Dashboard, night: Night): string {
  const box = {
    x: widget.x * COLUMN + 4,
    y: TOP + widget.y * ROW + 4,
    w: widget.width * COLUMN - 8,
    h: widget.height * ROW - 8,
  };
  const { title = '', markdown = '' } = widget.properties;
  if (widget.type === 'text')
    return `<text x="${box.x + 6}" y="${box.y + 23}" class="head">${xmlText(markdown.replace(/^#+ /, ''))}</text>`;
  const inner =
    widget.type === 'alarm'
      ? drawAlarms(widget, dashboard, night)
      : widget.type === 'log'
        ? drawTable(widget.properties.query ?? '', night)
        : drawGraph(widget, night, box);
  return `<g transform="translate(${box.x} ${box.y})"><rect width="${box.w}" height="${box.h}" rx="4" class="box"/><text x="10" y="18" class="title">${xmlText(title)}</text>${inner}</g>`;
}

/** A tile for each alarm, as it is at the end. */
function drawAlarms({ properties: { alarms = [] } }: Widget, dashboard: Dashboard, night: Night): string {
  const known = new Map(
    dashboard.alarmsOver(night.store).map(it => [it.name.toLowerCase().replace(/[^a-z0-9]/g, ''), it]),
  );
  const tiles = alarms.map((reference, n) => {
    const id = reference.includes(':alarm:') ? reference.slice(reference.indexOf(':alarm:') + 7) : reference;
    const plain = id
      .replace(/^\[Alarms?/, '')
      .replace(/[0-9A-F]{8},Arn\]$/, '')
      .toLowerCase()
      .replace(/[^a-z0-9]/g, '');
    const alarm = known.get(plain) ?? known.get(`holdfastprod${plain}`);
    const state = alarm && evaluateAlarm(alarm, night.until, night.from)?.state;
    const colour = state === 'OK' ? '#2da44e' : state === 'ALARM' ? '#d1242f' : '#8c959f';
    const name = (alarm?.name ?? id).replace(/^holdfast-prod-/, '');
    const [x, y] = [10 + (n % 9) * 157, 28 + Math.floor(n / 9) * 25];
    return `<rect x="${x}" y="${y}" width="151" height="21" rx="3" fill="${colour}"/><text x="${x + 5}" y="${y + 14}" style="fill:#fff;font-size:9px">${xmlText(name.length > 30 ? `${name.slice(0, 29)}…` : name)}</text>`;
  });
  return tiles.join('');
}

function drawGraph({ properties }: Widget, night: Night, { w, h }: { w: number; h: number }): string {
  const lines = linesOf(properties.metrics ?? [], night);
  const aims = properties.annotations?.horizontal ?? [];
  const [left, right, top, bottom] = [42, w - 42, 30, h - 44];
  const sides = [false, true].map(side => {
    const values = lines.filter(it => it.right === side).flatMap(it => it.points.filter(point => point !== undefined));
    return Math.max(1, ...values, ...(side ? [] : aims.map(it => it.value)));
  });
  const x = (n: number): number => left + ((n + 1) / minutesOf(night)) * (right - left);
  const y = (value: number, side: boolean): number => bottom - (value / (sides[Number(side)] ?? 1)) * (bottom - top);
  const parts = [0, 0.5, 1].map(share => {
    const at = bottom - share * (bottom - top);
    const mark = (side: boolean): string =>
      lines.some(it => it.right === side) ? short((sides[Number(side)] ?? 1) * share) : '';
    return `<line x1="${left}" x2="${right}" y1="${at}" y2="${at}" class="grid"/><text x="${left - 5}" y="${at + 3}" text-anchor="end" class="axis">${mark(false)}</text><text x="${right + 5}" y="${at + 3}" class="axis">${mark(true)}</text>`;
  });
  for (let at = 0; at <= minutesOf(night); at += 30)
    parts.push(
      `<text x="${x(at - 1)}" y="${bottom + 13}" text-anchor="middle" class="axis">${new Date(night.from + at * MINUTE_MS).toISOString().slice(11, 16)}</text>`,
    );
  for (const { value, label } of aims)
    parts.push(
      `<line x1="${left}" x2="${right}" y1="${y(value, false)}" y2="${y(value, false)}" class="aim"/><text x="${right}" y="${y(value, false) - 3}" text-anchor="end" class="axis">${xmlText(label)}: ${value}</text>`,
    );
  lines.forEach(({ points, right: side }, n) => {
    for (const run of runsOf(points)) {
      const path = run.map(([at, value]) => `${x(at).toFixed(1)},${y(value, side).toFixed(1)}`);
      // A point alone would not be seen.
      if (path.length === 1)
        path.push(`${(x(run[0]?.[0] ?? 0) + 1.5).toFixed(1)},${y(run[0]?.[1] ?? 0, side).toFixed(1)}`);
      parts.push(`<polyline points="${path.join(' ')}" stroke="${COLOURS[n % COLOURS.length]}"/>`);
    }
  });
  if (lines.every(it => it.points.every(point => point === undefined)))
    parts.push(`<text x="${w / 2}" y="${h / 2}" text-anchor="middle" class="axis">no data in these two hours</text>`);
  return parts.join('') + legendOf(lines, w, h);
}

/** Names in two rows; those that do not fit are counted. */
function legendOf(lines: readonly Line[], w: number, h: number): string {
  let [x, row] = [10, 0];
  const parts: string[] = [];
  for (const [n, { label, right }] of lines.entries()) {
    const text = right ? `${label} (right)` : label;
    const wide = 18 + text.length * 6;
    if (x + wide > w - 66) [x, row] = [10, row + 1];
    if (row > 1) {
      parts.push(`<text x="${w - 62}" y="${h - 6}" class="axis">and ${lines.length - n} more</text>`);
      break;
    }
    const y = h - 19 + row * 13;
    parts.push(
      `<rect x="${x}" y="${y - 7}" width="9" height="7" fill="${COLOURS[n % COLOURS.length]}"/><text x="${x + 12}" y="${y}" class="axis">${xmlText(text)}</text>`,
    );
    x += wide;
  }
  return parts.join('');
}

function linesOf(rows: NonNullable<Widget['properties']['metrics']>, night: Night): readonly Line[] {
  const all = rows.map(row => {
    const options = row.find((it): it is MetricOptions => typeof it !== 'string') ?? {};
    return { options, id: idOf(row.filter(it => typeof it === 'string')) };
  });
  const seriesAt = (until: number): ((id: string) => Series) => {
    const find = (id: string): Series => {
      const found = all.find(it => it.options.id === id);
      return period => found && pointOf(found.id, found.options, night, until - period * MINUTE_MS);
    };
    return find;
  };
  return all.flatMap(({ options, id }) => {
    if (options.visible === false) return [];
    const line = (label: string, point: (until: number) => number | undefined): Line => ({
      label,
      right: options.yAxis === 'right',
      points: Array.from({ length: minutesOf(night) }, (_, n) => point(night.from + (n + 1) * MINUTE_MS)),
    });
    const { expression, label = '' } = options;
    if (expression?.startsWith('SEARCH('))
      return searched(expression, night).map(it =>
        line(`${it.dimensions['source']} ${it.dimensions['cause']}`, until =>
          pointOf(it, { stat: 'Sum' }, night, until),
        ),
      );
    if (expression !== undefined) return [line(label, until => compileMetricMath(expression, seriesAt(until))(0))];
    return [line(label, until => pointOf(id, options, night, until))];
  });
}

function pointOf(id: MetricId, { stat = 'Average' }: MetricOptions, night: Night, until: number): number | undefined {
  return statistic(stat, night.store.values(id, until - MINUTE_MS, until));
}

function idOf([namespace = '', name = '', ...pairs]: readonly string[]): MetricId {
  const dimensions: Record<string, string> = {};
  for (let n = 0; n < pairs.length; n += 2) dimensions[pairs[n] ?? ''] = pairs[n + 1] ?? '';
  return { namespace, name, dimensions };
}

/** Of `SEARCH('{Namespace,dimension,…} MetricName="…" dimension="value"', …)`: the metrics it would find. */
function searched(expression: string, { store }: Night): readonly MetricId[] {
  const [, schema = ''] = /\{([^}]*)\}/.exec(expression) ?? [];
  const [namespace = '', ...names] = schema.split(',');
  const wanted = [...expression.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value] as const);
  return store
    .metrics()
    .filter(
      it =>
        it.namespace === namespace &&
        Object.keys(it.dimensions).toSorted().join() === names.toSorted().join() &&
        wanted.every(([key, value]) => (key === 'MetricName' ? it.name : it.dimensions[key]) === value),
    );
}

/** `filter … | stats count(*) as …, latest(error) as last_error by … | sort … | limit …`, over the functions' own lines. */
function drawTable(query: string, { lines }: Night): string {
  const stage = /stage = "(\w+)"/.exec(query)?.[1];
  const outcomes = /outcome in \[([^\]]*)\]/.exec(query)?.[1];
  const by = (/ by ([\w, ]+)/.exec(query)?.[1] ?? '').split(',').map(it => it.trim());
  const counted = /count\(\*\) as (\w+)/.exec(query)?.[1] ?? '';
  const rows = new Map<string, { count: number; error: string }>();
  for (const line of lines) {
    if (line['stage'] !== stage || (outcomes !== undefined && !outcomes.includes(`"${String(line['outcome'])}"`)))
      continue;
    const key = JSON.stringify(by.map(name => line[name] ?? ''));
    rows.set(key, { count: (rows.get(key)?.count ?? 0) + 1, error: String(line['error'] ?? '') });
  }
  const cells = [...rows]
    .toSorted(([, a], [, b]) => b.count - a.count)
    .slice(0, 8)
    .map(([key, { count, error }]) => [...(JSON.parse(key) as string[]), String(count), error]);
  const places = [10, 80, 190, 280, 340];
  return [[...by, counted, 'last_error'], ...cells]
    .flatMap((row, n) =>
      row.map(
        (text, at) =>
          `<text x="${places[at]}" y="${42 + n * 20}" class="${n === 0 ? 'small' : ''}">${xmlText(text.length > 64 ? `${text.slice(0, 63)}…` : text)}</text>`,
      ),
    )
    .join('');
}

function runsOf(points: readonly (number | undefined)[]): readonly (readonly [number, number])[][] {
  const runs: (readonly [number, number])[][] = [[]];
  points.forEach((value, at) => {
    if (value === undefined) runs.push([]);
    else runs.at(-1)?.push([at, value]);
  });
  return runs.filter(run => run.length > 0);
}

const minutesOf = ({ from, until }: Night): number => Math.round((until - from) / MINUTE_MS);
const short = (value: number): string =>
  value >= 10 ? String(Math.round(value)) : String(Math.round(value * 10) / 10);
const xmlText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
