/** The list of events: filters in the address, rows of one height, and it says how far it looked. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { stateWord } from '../../../core/words.ts';
import { grouped } from '../../../ui/grouped.ts';
import { Button, Command, Empty, Trouble } from '../../../ui/parts.tsx';
import { problemOf } from '../../../ui/problem.ts';
import { visible } from '../../../ui/text.tsx';
import { Ago } from '../../../ui/time.tsx';
import type { EventList, EventRow, GrepHit, GrepLine, Problem, ReadsFirst } from '../../wire.ts';
import { ask, askLines } from '../parts/api.ts';
import { EventLine } from '../parts/event-line.tsx';
import { onLive } from '../parts/live.ts';
import { Reads, withRead } from '../parts/reads.tsx';
import { ReplayMany, ReplaySelected } from '../parts/replay.tsx';
import { go, usePlace, withQuery } from '../parts/route.tsx';
import { commandOf, session } from '../parts/session.ts';
import { VirtualList } from '../parts/virtual-list.tsx';

const FILTERS = ['source', 'status', 'type', 'cause', 'since', 'until', 'where'] as const;
const STATUSES = [
  '',
  'pending',
  'processing',
  'failed',
  'deferred',
  'dead_letter',
  'closed',
  'completed',
  'ignored',
  'rejected',
  'skipped_stale',
];
const WINDOWS = ['15m', '1h', '6h', '24h', '7d', '30d', '90d'];

export function Events() {
  const { query } = usePlace();
  const filter = new URLSearchParams(FILTERS.flatMap(name => (query.get(name) ? [[name, query.get(name) ?? '']] : [])));
  const text = query.get('text') ?? '';
  const key = `${filter}`;
  return (
    <>
      <h1>Events</h1>
      <Filters query={query} />
      {text === '' ? (
        <List key={key} filter={key} />
      ) : (
        <Found key={`${key} ${text}`} filter={key} text={text} path={query.get('path') ?? ''} />
      )}
    </>
  );
}

function Filters({ query }: { readonly query: URLSearchParams }) {
  const set = (name: string, value: string): void =>
    go(withQuery('/events', query, { [name]: value }), { replace: true });
  const textField = (name: string, label: string, placeholder: string) => (
    <label>
      <span>{label}</span>
      <input
        key={query.get(name) ?? ''}
        defaultValue={query.get(name) ?? ''}
        placeholder={placeholder}
        onChange={event => set(name, event.currentTarget.value.trim())}
      />
    </label>
  );
  const [field] = session().searchable;
  const choice = (name: string, label: string, options: readonly string[], fallback = '') => (
    <label>
      <span>{label}</span>
      <select value={query.get(name) ?? fallback} onChange={event => set(name, event.currentTarget.value)}>
        {[...new Set([...options, query.get(name) ?? fallback])].map(option => (
          <option key={option} value={option}>
            {option === '' ? 'all' : stateWord(option)}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <form class="filters" aria-label="Filters" onSubmit={event => event.preventDefault()}>
      {choice('source', 'Source', ['', ...session().sources])}
      {choice('status', 'State', STATUSES)}
      {choice('since', 'Received within', [...WINDOWS, '365d'], query.get('where') ? '365d' : '24h')}
      {textField('type', 'Type', 'invoice.*')}
      {textField('cause', 'Cause', 'handler_error')}
      {field === undefined ? null : textField('where', 'Field', `${field}=1234`)}
    </form>
  );
}

/** How far was looked. `version` counts up when a row changes: the rows themselves are kept in one place, and not copied. */
interface Looked {
  readonly version: number;
  readonly cursor: string | undefined;
  readonly lookedTo: number | undefined;
}

/** The rows that are shown, and where each is: a list may have a hundred thousand. */
class Shown {
  rows: EventRow[] = [];
  readonly #at = new Map<string, number>();

  has(id: string): boolean {
    return this.#at.has(id);
  }

  add(rows: readonly EventRow[]): void {
    for (const row of rows) if (!this.change(row)) this.#at.set(row.id, this.rows.push(row) - 1);
  }

  /** False: it is not shown. */
  change(row: EventRow): boolean {
    const at = this.#at.get(row.id);
    if (at === undefined) return false;
    this.rows[at] = row;
    return true;
  }

  /** Newer ones come before all others. */
  begin(rows: readonly EventRow[]): void {
    const all = [...rows, ...this.rows].sort((a, b) => b.receivedAt - a.receivedAt);
    this.clear();
    this.add(all);
  }

  clear(): void {
    this.rows = [];
    this.#at.clear();
  }
}

function List({ filter }: { readonly filter: string }) {
  const shown = useRef(new Shown()).current;
  const [{ cursor, lookedTo }, setLooked] = useState<Looked>({ version: 0, cursor: undefined, lookedTo: undefined });
  const { rows } = shown;
  const [problem, setProblem] = useState<Problem>();
  const [busy, setBusy] = useState(false);
  const [fresh, setFresh] = useState<readonly EventRow[]>([]);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [asking, setAsking] = useState<'selected' | 'all'>();
  const running = useRef(false);
  const [first, setFirst] = useState<ReadsFirst>();
  const begun = useRef(false);

  const load = async (from?: string): Promise<void> => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    try {
      const query = new URLSearchParams(filter);
      if (from !== undefined) query.set('cursor', from);
      const path = `/api/events?${query}`;
      const page = await ask<EventList | ReadsFirst>(begun.current ? withRead(path) : path);
      if ('reads' in page) {
        setFirst(page);
        running.current = false;
        setBusy(false);
        return;
      }
      setFirst(undefined);
      if (from === undefined) shown.clear();
      shown.add(page.events);
      setLooked(before => ({ version: before.version + 1, cursor: page.cursor, lookedTo: page.lookedTo }));
      setProblem(undefined);
      if (from === undefined) setFresh([]);
    } catch (error) {
      setFirst(undefined);
      setProblem(problemOf(error));
    }
    running.current = false;
    setBusy(false);
  };
  const begin = (): void => {
    begun.current = true;
    void load();
  };
  useEffect(() => void load(), []);
  useEffect(
    () =>
      onLive(message => {
        if (message.kind !== 'event' || !fits(message.row, filter)) return;
        const { row } = message;
        if (shown.change(row)) setLooked(before => ({ ...before, version: before.version + 1 }));
        else setFresh(before => [row, ...before.filter(it => it.id !== row.id)].slice(0, 1_000));
      }),
    [],
  );
  const news = fresh.filter(row => !shown.has(row.id));
  const showNews = (): void => {
    shown.begin(news);
    setFresh([]);
  };
  const toggle = (id: string): void => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    setSelected(next);
  };
  const ended = !busy && problem === undefined && lookedTo !== undefined;
  return (
    <>
      <div class="list-head">
        <span class="faint" aria-live="polite">
          {grouped(rows.length)} shown
          {cursor === undefined || lookedTo === undefined ? (
            ''
          ) : (
            <>
              {' '}
              · looked back to <Ago at={lookedTo} />
            </>
          )}
          {busy ? ' · looking …' : ''}
        </span>
        {news.length > 0 ? <Button word={`Show ${news.length} new`} look="small primary" onClick={showNews} /> : null}
        <span class="grow" />
        {session().readOnly || rows.length === 0 ? null : selected.size > 0 ? (
          <Button word={`Replay ${selected.size} selected …`} look="small" onClick={() => setAsking('selected')} />
        ) : new URLSearchParams(filter).has('where') ? null : (
          <Button word="Replay all that match …" look="small" onClick={() => setAsking('all')} />
        )}
      </div>
      {problem === undefined ? null : <Trouble of={problem} />}
      {first === undefined ? null : <Reads of={first} busy={busy} onBegin={begin} />}
      {rows.length === 0 ? (
        ended && cursor === undefined ? (
          <Empty title="No event matches">
            <p>The whole time window was searched. Choose a longer one, or fewer filters. To send a signed sample:</p>
            <Command text={commandOf('send stripe')} />
          </Empty>
        ) : ended ? (
          <Empty title="Nothing found yet">
            <p>The search stopped here; there may be more.</p>
          </Empty>
        ) : null
      ) : (
        <VirtualList
          label="Events"
          rows={rows}
          onEnd={() => cursor !== undefined && void load(cursor)}
          onOpen={row => go(`/events/${encodeURIComponent(row.id)}`)}
          onReplay={row => {
            if (session().readOnly) return;
            setSelected(new Set([row.id]));
            setAsking('selected');
          }}
          changed={selected}
          render={(row, active) => (
            <>
              <input
                type="checkbox"
                aria-label={`Select ${visible(row.id).slice(0, 80)}`}
                checked={selected.has(row.id)}
                tabIndex={-1}
                onChange={() => toggle(row.id)}
              />
              <EventLine row={row} active={active} />
            </>
          )}
        />
      )}
      {cursor !== undefined && !busy ? (
        <p class="look-on">
          <Button word="Look further back" onClick={() => void load(cursor)} />
        </p>
      ) : null}
      {asking === 'selected' ? (
        <ReplaySelected
          ids={[...selected]}
          onClose={() => setAsking(undefined)}
          onDone={() => setSelected(new Set())}
        />
      ) : null}
      {asking === 'all' ? <ReplayMany query={filter} onClose={() => setAsking(undefined)} /> : null}
    </>
  );
}

/** As the server's filter, for what the live stream brings. */
function fits(row: EventRow, filter: string): boolean {
  const query = new URLSearchParams(filter);
  const list = (name: string): readonly string[] => (query.get(name) ?? '').split(',').filter(it => it !== '');
  const type = query.get('type') ?? '';
  return (
    (list('source').length === 0 || list('source').includes(row.source)) &&
    (list('status').length === 0 || list('status').includes(row.status)) &&
    (type === '' || type === row.type || (type.endsWith('.*') && row.type.startsWith(type.slice(0, -1)))) &&
    (!query.get('cause') || query.get('cause') === row.cause) &&
    !query.get('until') &&
    !query.get('where')
  );
}

/** Hits of a search in bodies, as they come. */
function Found({ filter, text, path }: { readonly filter: string; readonly text: string; readonly path: string }) {
  const [hits, setHits] = useState<readonly GrepHit[]>([]);
  const [tally, setTally] = useState<Extract<GrepLine, { kind: 'progress' | 'end' }>>();
  const [problem, setProblem] = useState<Problem>();
  const running = useRef<AbortController | undefined>(undefined);
  const [first, setFirst] = useState<ReadsFirst>();
  const begun = useRef(false);
  const look = async (cursor?: string): Promise<void> => {
    const controller = new AbortController();
    running.current = controller;
    const query = new URLSearchParams(filter);
    query.set('text', text);
    if (path !== '') query.set('path', path);
    if (cursor !== undefined) query.set('cursor', cursor);
    try {
      for await (const line of askLines<GrepLine>(
        begun.current ? withRead(`/api/grep?${query}`) : `/api/grep?${query}`,
        controller.signal,
      )) {
        if (line.kind === 'reads') setFirst(line);
        else if (line.kind === 'hit') setHits(before => [...before, line.hit]);
        else setTally(before => ({ ...line, read: line.read, hits: before?.hits ?? 0 }));
      }
    } catch (error) {
      if (!controller.signal.aborted) setProblem(problemOf(error));
    }
    setTally(before => (before === undefined ? before : { ...before, kind: 'end' }));
  };
  useEffect(() => {
    void look();
    return () => running.current?.abort();
  }, []);
  if (first !== undefined)
    return (
      <Reads
        of={first}
        onBegin={() => {
          begun.current = true;
          setFirst(undefined);
          void look();
        }}
      />
    );
  const looking = tally?.kind !== 'end' && problem === undefined;
  return (
    <>
      <div class="list-head" aria-live="polite">
        <span>
          “{visible(text)}”: {hits.length} found
          {tally === undefined ? (
            ''
          ) : (
            <span class="faint">
              {' '}
              · {grouped(tally.read)} bodies read, about ${tally.dollars.toFixed(4)} · looked back to{' '}
              <Ago at={tally.lookedTo} />
            </span>
          )}
        </span>
        <span class="grow" />
        {looking ? (
          <Button word="Stop" look="small" onClick={() => running.current?.abort()} />
        ) : tally?.cursor === undefined ? null : (
          <Button word="Look further back" look="small" onClick={() => void look(tally.cursor)} />
        )}
      </div>
      {problem === undefined ? null : <Trouble of={problem} />}
      {hits.length === 0 && !looking ? (
        <Empty title="No body contains this text">
          <p>
            Choose a longer time window above. Or search in a terminal, which shows hits at once and continues where it
            stopped:
          </p>
          <Command text={commandOf(`events grep ${JSON.stringify(text)} --since 7d`)} />
        </Empty>
      ) : null}
      {hits.length === 0 ? null : (
        <div class="card events" role="list">
          {hits.map(({ row, excerpt }) => (
            <div role="listitem" key={row.id}>
              <EventLine row={row} />
              <p class="excerpt">
                <code>{visible(excerpt)}</code>
              </p>
            </div>
          ))}
        </div>
      )}
    </>
  );
}
