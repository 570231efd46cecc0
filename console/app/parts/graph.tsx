/** Numbers over time against a threshold: what an alarm judges. Drawn once, in the colours of the theme. */

import { useState } from 'preact/hooks';
import { grouped } from '../../../ui/grouped.ts';
import { duration, exact } from '../../../ui/time.tsx';
import type { AlarmGraphView } from '../../wire.ts';

type Judged = NonNullable<AlarmGraphView['graph']>;
type Point = Judged['points'][number];

interface GraphProps extends Pick<Judged, 'points' | 'from' | 'periodMs'> {
  readonly label: string;
  readonly until: number;
  readonly threshold: number | undefined;
  /** Which side of the threshold is bad. */
  readonly isBad: (value: number) => boolean;
}

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [640, 168, 46, 22, 8];

export function Graph({ label, points, from, until, periodMs, threshold, isBad }: GraphProps) {
  const [under, setUnder] = useState<Point>();
  const most = niceMost(Math.max(0, threshold ?? 0, ...points.map(({ value }) => value)));
  const x = (at: number): number => LEFT + ((at - from) / Math.max(1, until - from)) * (WIDTH - LEFT);
  const y = (value: number): number => TOP + (1 - value / most) * (HEIGHT - BOTTOM - TOP);
  const width = Math.max(1.5, (periodMs / Math.max(1, until - from)) * (WIDTH - LEFT) - 1);
  const look = (event: MouseEvent): void => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const at = from + (((event.clientX - box.left) / box.width) * WIDTH - LEFT) * ((until - from) / (WIDTH - LEFT));
    setUnder(points.find(point => at >= point.at && at < point.at + periodMs));
  };
  return (
    <figure class="graph">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={label}
        onMouseMove={look}
        onMouseLeave={() => setUnder(undefined)}
      >
        {[0, most / 2, most].map(value => (
          <g key={value}>
            <line class="grid" x1={LEFT} x2={WIDTH} y1={y(value)} y2={y(value)} />
            <text x={LEFT - 8} y={y(value) + 4} text-anchor="end">
              {short(value)}
            </text>
          </g>
        ))}
        {ticks(from, until).map(at => (
          <text key={at} x={x(at)} y={HEIGHT - 5} text-anchor="middle">
            {new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })}
          </text>
        ))}
        {points.map(point => (
          <rect
            key={point.at}
            class={`${isBad(point.value) ? 'bad' : ''} ${point === under ? 'under' : ''}`}
            x={x(point.at)}
            width={width}
            y={Math.min(y(point.value), y(0) - 1)}
            height={Math.max(1, y(0) - y(point.value))}
          />
        ))}
        {threshold === undefined ? null : (
          <line class="threshold" x1={LEFT} x2={WIDTH} y1={y(threshold)} y2={y(threshold)} />
        )}
      </svg>
      <figcaption class="faint">
        {under === undefined
          ? `Each bar is ${duration(periodMs)}${threshold === undefined ? '' : `; the dashed line is the threshold, ${short(threshold)}`}`
          : `${short(under.value)} at ${exact(under.at).split('\n')[1] ?? ''}`}
      </figcaption>
    </figure>
  );
}

function short(value: number): string {
  if (Math.abs(value) >= 10_000) return `${grouped(Number((value / 1_000).toFixed(1)))} k`;
  return grouped(Number(value.toFixed(2)));
}

/** 1, 2 or 5 times a power of ten, so that the axis has round numbers. */
function niceMost(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 5, 10].find(step => step * power >= value * 1.05) ?? 20) * power;
}

/** Round times, about five. */
function ticks(from: number, until: number): readonly number[] {
  const step =
    [15, 30, 60, 180, 360, 1_440].map(min => min * 60_000).find(it => (until - from) / it <= 7) ?? 86_400_000;
  const first = Math.ceil((from + step / 4) / step) * step;
  return Array.from({ length: 8 }, (_, n) => first + n * step).filter(at => at < until - step / 4);
}
