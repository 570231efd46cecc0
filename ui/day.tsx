/** A day of an endpoint or of a customer: tries by hour as bars, and deliveries by type. */
import { countWords, type DayCounts, dayWords } from '../core/words.ts';
import { serverNow } from './clock.ts';
import type { Delivery } from './delivery.ts';
import { grouped } from './grouped.ts';
import { Spark } from './parts.tsx';
import { visible } from './text.tsx';

const oldestFirst = (counts: readonly number[]): readonly number[] => counts.toReversed();
const triesOf = ({ successes, failures }: DayCounts): readonly number[] =>
  successes.map((ok, n) => ok + (failures[n] ?? 0));

/** In a list: bars and their sums; who cannot see them hears more. */
export function DaySpark({ day }: { readonly day: DayCounts }) {
  const sum = (counts: readonly number[]): string => grouped(counts.reduce((all, n) => all + n, 0));
  const tries = triesOf(day);
  return (
    <span class="day-spark">
      <Spark values={oldestFirst(tries)} bad={oldestFirst(day.failures)} label={dayWords(day)} />
      <small aria-hidden="true">{`${sum(tries)} in 24 h, ${sum(day.failures)} failed`}</small>
    </span>
  );
}

const HOUR_MS = 3_600_000;
/** `14:00`, in the reader's time. */
function hourOf(back: number): string {
  const at = new Date((Math.floor(serverNow() / HOUR_MS) - back) * HOUR_MS);
  return at.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
}

const [WIDTH, HEIGHT, STEP] = [720, 84, 30];

/** On a page of its own: bars with their scale, and the same as a table. */
export function DayChart({ day }: { readonly day: DayCounts }) {
  const tries = triesOf(day);
  const most = Math.max(1, ...tries);
  const tall = (n: number): number => (n === 0 ? 0 : Math.max(2, (n / most) * HEIGHT));
  const rows = tries.map((all, back) => ({ back, all, failed: day.failures[back] ?? 0 })).filter(({ all }) => all > 0);
  return (
    <figure class="day">
      <figcaption>{dayWords(day)}</figcaption>
      {rows.length === 0 ? null : (
        <>
          <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
            {rows.map(({ back, all, failed }) => {
              const x = WIDTH - (back + 1) * STEP + 3;
              return (
                <g key={back}>
                  <title>{`${hourOf(back)}: ${grouped(all)} tries, ${grouped(failed)} failed`}</title>
                  <rect class="ok" x={x} width={STEP - 6} y={HEIGHT - tall(all)} height={tall(all) - tall(failed)} />
                  <rect class="bad" x={x} width={STEP - 6} y={HEIGHT - tall(failed)} height={tall(failed)} />
                </g>
              );
            })}
          </svg>
          <div class="day-axis faint" aria-hidden="true">
            <span>{hourOf(23)}</span>
            <span>{hourOf(12)}</span>
            <span>now</span>
          </div>
          <details>
            <summary>As a table</summary>
            <table class="day-table">
              <thead>
                <tr>
                  <th scope="col">Hour from</th>
                  <th scope="col">Tries</th>
                  <th scope="col">Failed</th>
                </tr>
              </thead>
              <tbody>
                {rows.map(({ back, all, failed }) => (
                  <tr key={back}>
                    <th scope="row">{hourOf(back)}</th>
                    <td>{grouped(all)}</td>
                    <td>{grouped(failed)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </details>
        </>
      )}
    </figure>
  );
}

/** Of a delivery that is not well. One that was not tried yet, was canceled or dropped on purpose is neither. */
const FAILED = ['retrying', 'dead', 'aborted', 'expired'];

/** What became of the newest deliveries, by type: the one that fails most stands first. `more`: there are older ones. */
export function ByType({ deliveries, more }: { readonly deliveries: readonly Delivery[]; readonly more: boolean }) {
  if (deliveries.length < 2) return null;
  const types = [...Map.groupBy(deliveries, ({ type }) => type ?? 'no type')].map(([type, each]) => {
    const states = [...Map.groupBy(each, ({ status }) => status)].map(([status, of]) => [status, of.length] as const);
    const delivered = each.filter(({ status }) => status === 'delivered').length;
    return { type, all: each.length, delivered, failed: each.filter(it => FAILED.includes(it.status)).length, states };
  });
  const worst = types.toSorted((a, b) => b.failed - a.failed || b.all - a.all);
  const most = Math.max(...types.map(({ all }) => all));
  return (
    <figure class="by-type">
      <figcaption class="faint">{`${more ? 'The newest' : 'All'} ${grouped(deliveries.length)} deliveries by type`}</figcaption>
      <ul class="plain">
        {worst.map(({ type, all, delivered, failed, states }) => (
          <li key={type}>
            <span class="type">{visible(type)}</span>
            <svg viewBox={`0 0 ${most} 8`} preserveAspectRatio="none" aria-hidden="true">
              <rect class="open" width={all} height="8" />
              <rect class="ok" width={delivered} height="8" />
              <rect class="bad" x={delivered} width={failed} height="8" />
            </svg>
            <span class="faint">{countWords(states)}</span>
          </li>
        ))}
      </ul>
    </figure>
  );
}
