/** The first screen: is it well, what is the one next step, and what comes in. */

import { useEffect, useState } from 'preact/hooks';
import { shortAlarm } from '../../../core/words.ts';
import { grouped } from '../../../ui/grouped.ts';
import { Command, Copy, Empty, Shown, Spark, State, Url } from '../../../ui/parts.tsx';
import { visible } from '../../../ui/text.tsx';
import { Ago, clock } from '../../../ui/time.tsx';
import type { EventList, EventRow, NowView, SourceRow } from '../../wire.ts';
import { EventLine } from '../parts/event-line.tsx';
import { NEWEST } from '../parts/first-asked.ts';
import { onLive } from '../parts/live.ts';
import { useLoad } from '../parts/load.ts';
import { Link } from '../parts/route.tsx';
import { commandOf, session } from '../parts/session.ts';

const REFRESH_MS = 10_000;

export function Now() {
  const now = useLoad<NowView>('/api/now', REFRESH_MS);
  useReloadOnNews(now.reload);
  return (
    <>
      <Shown of={now}>
        {view => (
          <>
            <section class={`headline ${view.mood}`} aria-live="polite">
              <span class="mark" aria-hidden="true">
                {{ well: '✓', notice: '!', trouble: '✕' }[view.mood]}
              </span>
              <div>
                <h1>{visible(view.sentence)}</h1>
              </div>
              {view.next === undefined ? null : (
                <Link class="button primary" href={view.next.href}>
                  {visible(view.next.text)}
                </Link>
              )}
            </section>
            {view.needs.slice(1).map(({ text, isNotice, next }) => (
              <Link class="banner" href={next.href} key={text}>
                <State of={isNotice ? 'notice' : 'needs you'} /> {visible(text)} <u>{visible(next.text)}</u>
              </Link>
            ))}
            <Numbers view={view} />
            {view.jobs.map(job => (
              <Link class="banner" href="/jobs" key={job.id}>
                <State of="running" /> Replaying {grouped(job.done)} of{' '}
                {job.expected === undefined ? '?' : grouped(job.expected)}: {visible(job.why)}
              </Link>
            ))}
            {view.alarms
              .filter(alarm => alarm.notice)
              .map(alarm => (
                <Link class="banner" href={`/alarms?name=${encodeURIComponent(alarm.name)}`} key={alarm.name}>
                  <State of="notice" /> {visible(shortAlarm(alarm.name, session().environment))} since{' '}
                  <Ago at={alarm.since} />
                </Link>
              ))}
            <SourceTable rows={view.sources} />
          </>
        )}
      </Shown>
      <Newest />
    </>
  );
}

/** Numbers follow the events, at most once in two seconds. */
function useReloadOnNews(reload: () => void): void {
  useEffect(() => {
    let waiting: ReturnType<typeof setTimeout> | undefined;
    const stop = onLive(message => {
      if (message.kind !== 'event' || waiting !== undefined) return;
      waiting = setTimeout(() => {
        waiting = undefined;
        reload();
      }, 2_000);
    });
    return () => {
      stop();
      clearTimeout(waiting);
    };
  }, [reload]);
}

function Numbers({ view: { numbers } }: { readonly view: NowView }) {
  const count = (n: number, over = false): string => `${over ? 'over ' : ''}${grouped(n)}`;
  return (
    <dl class="numbers">
      <div>
        <dt>Received, last hour</dt>
        <dd>{count(numbers.received, numbers.capped)}</dd>
      </div>
      <div>
        <dt>In the queue</dt>
        <dd>
          {count(numbers.waiting)} <small>waiting</small> {count(numbers.inFlight)} <small>in flight</small>
        </dd>
      </div>
      <div>
        <dt>In progress</dt>
        <dd>
          {numbers.unfinishedAbout && !numbers.unfinishedCapped ? 'about ' : ''}
          {count(numbers.unfinished, numbers.unfinishedCapped)}{' '}
          {numbers.oldestAt === undefined ? null : (
            <small>
              oldest <Ago at={numbers.oldestAt} />
            </small>
          )}
        </dd>
      </div>
      <div class={numbers.dead > 0 ? 'bad' : ''}>
        <dt>Dead letters</dt>
        <dd>
          {count(numbers.dead, numbers.deadCapped)}{' '}
          {numbers.deadAt === undefined ? null : (
            <small>
              counted <Ago at={numbers.deadAt} />
            </small>
          )}
        </dd>
      </div>
    </dl>
  );
}

export function SourceTable({ rows }: { readonly rows: readonly SourceRow[] }) {
  return (
    <section aria-labelledby="sources-title">
      <h2 id="sources-title">Sources</h2>
      <div class="card sources" role="list">
        {rows.map(row => (
          <SourceLine row={row} key={row.id} />
        ))}
      </div>
    </section>
  );
}

function SourceLine({ row }: { readonly row: SourceRow }) {
  const accepted = row.accepted.reduce((sum, n) => sum + n, 0);
  const died = row.died.reduce((sum, n) => sum + n, 0);
  const over = row.more && died > 0 ? 'over ' : '';
  // Of an hour with very many only the newest were read.
  const newest =
    row.cappedAt === undefined ? '' : `, of which all since ${clock(new Date(row.cappedAt).toISOString())} are shown`;
  const atLeast = row.cappedAt === undefined ? '' : 'over ';
  const said = `${atLeast}${accepted} accepted and ${over}${died} dead in the last hour${newest}`;
  return (
    <div class="source-line" role="listitem">
      <div class="who">
        <Link href={`/sources/${encodeURIComponent(row.id)}`}>{row.id}</Link>
        <span class="faint">{row.title}</span>
        {row.pausedSince === undefined ? null : (
          <span class="faint">
            paused by {visible(row.pausedBy ?? '')} <Ago at={row.pausedSince} />: {visible(row.pausedWhy ?? '')}
          </span>
        )}
      </div>
      <State of={row.state} />
      <Spark values={row.accepted} bad={row.died} label={said} />
      <span class="counts">
        <span title={newest === '' ? undefined : said}>
          {atLeast}
          {grouped(accepted)}
        </span>
        {died > 0 ? (
          <span class="bad-text">
            {' '}
            · {over}
            {grouped(died)} dead
          </span>
        ) : null}
        {row.refused === 0 ? null : <span class="warn"> · {grouped(row.refused)} refused</span>}
      </span>
      <span class="faint last">{row.lastAt === undefined ? 'none today' : <Ago at={row.lastAt} />}</span>
      <span class="url">
        <code>
          <Url of={row.url} />
        </code>
        <Copy text={row.url} what={`the URL of ${row.id}`} />
      </span>
    </div>
  );
}

/** The newest events. While the mouse is over the list it does not move, and says how many came since. */
function Newest() {
  const list = useLoad<EventList>(NEWEST.path);
  const [fresh, setFresh] = useState<readonly EventRow[]>([]);
  const [held, setHeld] = useState<readonly EventRow[]>();
  useEffect(
    () =>
      onLive(message => {
        if (message.kind === 'event')
          setFresh(before => [message.row, ...before.filter(it => it.id !== message.row.id)].slice(0, 200));
        else if (message.kind === 'hello' && message.missed) list.reload();
      }),
    [list.reload],
  );
  const newest = newestOf([...(list.data?.events ?? []), ...fresh.toReversed()]);
  // Rows that are held may change their state; none moves.
  const shown = held?.map(row => fresh.find(it => it.id === row.id) ?? row) ?? newest;
  const since = held === undefined ? 0 : fresh.filter(row => !held.some(it => it.id === row.id)).length;
  return (
    <section aria-labelledby="newest-title">
      <div class="section-head">
        <h2 id="newest-title">Newest events</h2>
        <span class="faint" aria-live="polite">
          {held === undefined ? '' : `paused while you point at it${since > 0 ? `, ${since} new` : ''}`}
        </span>
        <Link class="more" href="/events">
          All events
        </Link>
      </div>
      <Shown of={list}>
        {() =>
          shown.length === 0 ? (
            <Empty title="No event in the last 24 hours">
              <p>Each webhook shows here within a second of its answer. To send a signed sample:</p>
              <Command text={commandOf('send stripe')} />
            </Empty>
          ) : (
            <div
              class="card events"
              role="list"
              onMouseEnter={() => setHeld(newest)}
              onMouseLeave={() => setHeld(undefined)}
            >
              {shown.map(row => (
                <div role="listitem" key={row.id}>
                  <EventLine row={row} />
                </div>
              ))}
            </div>
          )
        }
      </Shown>
    </section>
  );
}

/** Of rows of the same event the last. */
function newestOf(rows: readonly EventRow[]): readonly EventRow[] {
  const byId = new Map(rows.map(row => [row.id, row]));
  return [...byId.values()]
    .sort((a, b) => b.receivedAt - a.receivedAt || (a.id < b.id ? -1 : 1))
    .slice(0, NEWEST.shown);
}
