/** One event: its way on a time axis, its facts, its body, and what can be done with it. */

import { useEffect, useState } from 'preact/hooks';
import { Headers } from '../../../ui/exchange.tsx';
import { grouped } from '../../../ui/grouped.ts';
import { JsonTree } from '../../../ui/json-tree.tsx';
import { onKey } from '../../../ui/keys.ts';
import { Ask, Button, Copy, Empty, Field, Shown, State } from '../../../ui/parts.tsx';
import { shortId, visible } from '../../../ui/text.tsx';
import { Ago, duration, exact } from '../../../ui/time.tsx';
import type { Difference, EventBody, EventDetail, EventRow, Sent, Step } from '../../wire.ts';
import { ask } from '../parts/api.ts';
import { onLive } from '../parts/live.ts';
import { useLoad } from '../parts/load.ts';
import { ShownTold, useTold } from '../parts/reads.tsx';
import { ReplaySelected } from '../parts/replay.tsx';
import { Link, usePlace, withQuery } from '../parts/route.tsx';
import { session } from '../parts/session.ts';
import { Tabs } from '../parts/tabs.tsx';
import { EventLog } from './event-log.tsx';

const TABS = ['body', 'headers', 'result', 'replays', 'log', 'compare'] as const;

export function EventScreen({ id }: { readonly id: string }) {
  const path = `/api/events/${encodeURIComponent(id)}`;
  const detail = useLoad<EventDetail>(path);
  useEffect(
    () =>
      onLive(message => {
        if (message.kind === 'event' && message.row.id === id) detail.reload();
      }),
    [id, detail.reload],
  );
  const open =
    detail.data !== undefined &&
    !['completed', 'ignored', 'rejected', 'skipped_stale', 'dead_letter', 'closed'].includes(detail.data.row.status);
  useEffect(() => {
    const timer = open ? setInterval(detail.reload, 2_000) : undefined;
    return () => clearInterval(timer);
  }, [open, detail.reload]);
  return (
    <Shown of={detail}>
      {data => (
        <>
          <Head row={data.row} reload={detail.reload} />
          <Way steps={data.way} />
          <div class="columns">
            <EventTabs detail={data} path={path} />
            <aside class="card facts" aria-label="Facts">
              <dl>
                {data.facts.map(([name, value]) => (
                  <div key={name}>
                    <dt>{name}</dt>
                    <dd>
                      <Fact name={name} value={value} />
                    </dd>
                  </div>
                ))}
              </dl>
            </aside>
          </div>
        </>
      )}
    </Shown>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  if (/^\d{4}-\d\d-\d\dT/.test(value))
    return (
      <>
        <Ago at={Date.parse(value)} /> <Copy text={value} what={name} />
      </>
    );
  const isId = ['id', 'provider id', 'sha-256'].includes(name);
  if (!isId) return <span>{visible(value)}</span>;
  return (
    <>
      <code title={visible(value)}>{shortId(value)}</code> <Copy text={value} what={name} />
    </>
  );
}

function Head({ row, reload }: { readonly row: EventRow; readonly reload: () => void }) {
  const [asking, setAsking] = useState<'replay' | 'send' | 'save'>();
  const { readOnly } = session();
  const path = `/api/events/${encodeURIComponent(row.id)}`;
  useEffect(() => onKey('r', () => !readOnly && setAsking('replay')), []);
  const curl = async (): Promise<string> => (await ask<{ curl: string }>(`${path}/curl`)).curl;
  return (
    <header class="event-head">
      <div>
        <p class="crumbs">
          <Link href="/events">Events</Link> /{' '}
          <Link href={`/events?source=${encodeURIComponent(row.source)}`}>{visible(row.source)}</Link>
        </p>
        <h1>
          {visible(row.type)} <State of={row.status} />
        </h1>
        <p class="faint">
          <code title={visible(row.id)}>{shortId(row.id)}</code> · received <Ago at={row.receivedAt} />
          {row.tookMs === undefined ? '' : ` · ended after ${duration(row.tookMs)}`}
        </p>
      </div>
      <div class="actions">
        <Copy text={row.id} label="Copy id" />
        <Copy text={curl} label="Copy as curl" />
        {readOnly ? null : (
          <>
            <Button word="Send to localhost …" onClick={() => setAsking('send')} />
            <Button word="Save as test …" onClick={() => setAsking('save')} />
            <Button word="Replay …" look="primary" onClick={() => setAsking('replay')} />
          </>
        )}
      </div>
      {row.error === undefined || row.status === 'completed' ? null : (
        <p class="error-line">
          <code>{visible(row.error)}</code>
        </p>
      )}
      {asking === 'replay' ? (
        <ReplaySelected ids={[row.id]} onClose={() => setAsking(undefined)} onDone={reload} />
      ) : null}
      {asking === 'send' ? <SendOn path={path} onClose={() => setAsking(undefined)} /> : null}
      {asking === 'save' ? <SaveAsTest path={path} onClose={() => setAsking(undefined)} /> : null}
    </header>
  );
}

/** Stretches as wide as the logarithm of their length, so that 12 ms and 12 h both show. A replay begins a lane. */
function Way({ steps }: { readonly steps: readonly Step[] }) {
  const { query } = usePlace();
  const lanes: Step[][] = [[]];
  for (const step of steps) {
    if (step.kind === 'replayed') lanes.push([]);
    lanes.at(-1)?.push(step);
  }
  return (
    <section class="card way" aria-label="What happened to it">
      {lanes.map((lane, n) => (
        <div class="lanes" key={n}>
          <ol class="lane">
            {lane.map((step, at) => (
              <li
                key={at}
                class={`step ${step.kind} ${step.outcome ?? ''}`}
                style={step.ms === undefined ? {} : { flexGrow: `${1 + Math.log10(1 + step.ms) * 2}` }}
                title={`${exact(step.at)}${step.note === undefined ? '' : `\n${visible(step.note)}`}`}
              >
                <span class="bar" aria-hidden="true" />
                <b>{visible(step.label)}</b>
                <span>
                  {step.ms === undefined ? (
                    step.kind === 'next' ? (
                      <Ago at={step.at} />
                    ) : (
                      new Date(step.at).toLocaleTimeString(undefined, { hourCycle: 'h23' })
                    )
                  ) : (
                    duration(step.ms)
                  )}
                </span>
                {step.note === undefined || step.note === 'ok' ? null : <small>{visible(step.note)}</small>}
                {step.kind === 'attempt' ? (
                  <Link href={withQuery(location.pathname, query, { tab: 'log', at: String(step.at) })}>its log</Link>
                ) : null}
              </li>
            ))}
          </ol>
          <p class="faint way-sum">{tookWords(lane)}</p>
        </div>
      ))}
    </section>
  );
}

/** `of 34 ms: 9 ms in the queue, 24 ms in attempts, 1 ms waited`. */
function tookWords(lane: readonly Step[]): string {
  const sum = (kind: Step['kind']): number =>
    lane.reduce((all, step) => all + (step.kind === kind ? (step.ms ?? 0) : 0), 0);
  const parts = [
    [sum('queued'), 'in the queue'],
    [sum('attempt'), 'in attempts'],
    [sum('waited'), 'between them'],
  ] as const;
  const all = parts.reduce((total, [ms]) => total + ms, 0);
  const said = parts.flatMap(([ms, where]) => (ms === 0 ? [] : [`${duration(ms)} ${where}`]));
  return said.length === 0 ? '' : `${duration(all)} in all: ${said.join(', ')}`;
}

function EventTabs({ detail, path }: { readonly detail: EventDetail; readonly path: string }) {
  const { query } = usePlace();
  const tab = TABS.find(it => it === query.get('tab')) ?? 'body';
  const shown = TABS.filter(
    it => (it !== 'result' || detail.result !== undefined) && (it !== 'replays' || detail.replays.length > 0),
  );
  return (
    <Tabs
      label="What to show"
      tabs={shown.map(name => [name === 'body' ? '' : name, name])}
      tab={tab === 'body' ? '' : tab}
    >
      {tab === 'body' || tab === 'headers' ? <Body path={path} tab={tab} /> : null}
      {tab === 'result' ? <JsonTree value={detail.result} search="" /> : null}
      {tab === 'replays' ? (
        <ul class="plain">
          {detail.replays.map(it => (
            <li key={it.gen}>
              <b>{visible(it.by)}</b> <Ago at={it.at} />: {visible(it.why)}
            </li>
          ))}
        </ul>
      ) : null}
      {tab === 'log' ? <EventLog path={path} at={query.get('at') ?? ''} /> : null}
      {tab === 'compare' ? <Compare path={path} row={detail.row} /> : null}
    </Tabs>
  );
}

/** A body is fetched when somebody asks for it, never with a list. */
function Body({ path, tab }: { readonly path: string; readonly tab: 'body' | 'headers' }) {
  const [asked, setAsked] = useState(session().environment === 'local');
  const [raw, setRaw] = useState(false);
  const [search, setSearch] = useState('');
  const body = useLoad<EventBody>(asked ? `${path}/body` : undefined);
  if (!asked)
    return (
      <Empty title={tab === 'body' ? 'The body has not been read yet' : 'The headers have not been read yet'}>
        <p>A body may hold data that only some people should see. It is read only when you ask for it.</p>
        <Button word="Show it" look="primary" onClick={() => setAsked(true)} />
      </Empty>
    );
  return (
    <Shown of={body}>
      {({ headers, dropped, text, base64, size }) => {
        if (tab === 'headers')
          return Object.keys(headers).length === 0 ? (
            <p class="faint">No headers were kept.</p>
          ) : (
            <>
              <Headers of={headers} />
              <p class="faint">
                Dropped once the signature was verified: <code>{visible(dropped.join(', '))}</code>, because whoever
                reads a signature could send the request again, and all others, which <code>keepHeaders</code> of the
                provider does not name.
              </p>
            </>
          );
        const parsed = text === undefined ? undefined : parse(text);
        return (
          <>
            <div class="body-head">
              <input
                type="search"
                placeholder="Search in the body"
                aria-label="Search in the body"
                value={search}
                onInput={event => setSearch(event.currentTarget.value)}
              />
              <span class="faint">{grouped(size)} bytes</span>
              <span class="grow" />
              {parsed === undefined ? null : (
                <Button word="Raw" look="small" aria-pressed={raw} onClick={() => setRaw(!raw)} />
              )}
              <Copy text={text ?? base64} label={text === undefined ? 'Copy base64' : 'Copy body'} />
            </div>
            {parsed !== undefined && !raw ? (
              <JsonTree value={parsed.value} search={search} />
            ) : (
              <Raw text={text} base64={base64} search={search} />
            )}
          </>
        );
      }}
    </Shown>
  );
}

const RAW_SHOWN = 200_000;

function Raw({
  text,
  base64,
  search,
}: {
  readonly text: string | undefined;
  readonly base64: string;
  readonly search: string;
}) {
  const all = text ?? hexDump(base64);
  const at = search === '' ? -1 : all.toLowerCase().indexOf(search.toLowerCase());
  const from = at > RAW_SHOWN / 2 ? at - 1_000 : 0;
  const part = all.slice(from, from + RAW_SHOWN);
  return (
    <pre class="raw">
      {from > 0 ? '… ' : ''}
      {at < 0 ? (
        visible(part)
      ) : (
        <>
          {visible(part.slice(0, at - from))}
          <mark>{visible(part.slice(at - from, at - from + search.length))}</mark>
          {visible(part.slice(at - from + search.length))}
        </>
      )}
      {from + RAW_SHOWN < all.length ? ` … ${grouped(all.length - from - RAW_SHOWN)} more` : ''}
    </pre>
  );
}

function hexDump(base64: string): string {
  const bytes = Uint8Array.from(atob(base64.slice(0, 64_000)), char => char.charCodeAt(0));
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const row = [...bytes.subarray(at, at + 16)];
    const hex = row.map(byte => byte.toString(16).padStart(2, '0')).join(' ');
    const chars = row.map(byte => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${at.toString(16).padStart(6, '0')}  ${hex.padEnd(47)}  ${chars}`);
  }
  return lines.join('\n');
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { value } : undefined;
  } catch {
    return undefined;
  }
}

function Compare({ path, row }: { readonly path: string; readonly row: EventRow }) {
  const query = new URLSearchParams({ source: row.source, type: row.type, since: '30d', limit: '20' });
  const others = useTold<{ events: readonly EventRow[] }>(`/api/events?${query}`);
  const [other, setOther] = useState('');
  const result = useLoad<{ differences: readonly Difference[] }>(
    other === '' ? undefined : `${path}/compare?with=${encodeURIComponent(other)}`,
  );
  return (
    <>
      <ShownTold of={others}>
        {({ events }) => (
          <label class="field">
            <span>Compare with</span>
            <select value={other} onChange={event => setOther(event.currentTarget.value)}>
              <option value="">an event of the same type …</option>
              {events
                .filter(it => it.id !== row.id)
                .map(it => (
                  <option value={it.id} key={it.id}>
                    {shortId(it.key)} · {it.status} · {new Date(it.receivedAt).toLocaleString()}
                  </option>
                ))}
            </select>
          </label>
        )}
      </ShownTold>
      {other === '' ? null : (
        <Shown of={result}>
          {({ differences }) =>
            differences.length === 0 ? (
              <p>No difference.</p>
            ) : (
              <table class="diff">
                <thead>
                  <tr>
                    <th scope="col">Where</th>
                    <th scope="col">This event</th>
                    <th scope="col">The other</th>
                  </tr>
                </thead>
                <tbody>
                  {differences.map(it => (
                    <tr key={it.path} class={it.kind}>
                      <th scope="row">
                        <code>{visible(it.path)}</code> <small>{it.kind === 'type' ? 'other kind' : it.kind}</small>
                      </th>
                      <td>
                        <code>{visible(it.left ?? '–')}</code>
                      </td>
                      <td>
                        <code>{visible(it.right ?? '–')}</code>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )
          }
        </Shown>
      )}
    </>
  );
}

function SendOn({ path, onClose }: { readonly path: string; readonly onClose: () => void }) {
  const [url, setUrl] = useState(localStorage.getItem('send-to') ?? 'http://localhost:3000/webhooks');
  const [sign, setSign] = useState(true);
  const [sent, setSent] = useState<Sent>();
  const submit = async (): Promise<void> => {
    localStorage.setItem('send-to', url);
    setSent(await ask<Sent>(`${path}/send`, { body: { url, sign } }));
  };
  return (
    <Ask
      title="Send to this machine"
      confirm={sent === undefined ? 'Send' : 'Sent'}
      onConfirm={submit}
      stays
      onClose={onClose}
      disabled={sent !== undefined}
    >
      <Field label="Address" value={url} onInput={setUrl} autofocus hint="Only an address of this machine." />
      <label class="check">
        <input type="checkbox" checked={sign} onChange={event => setSign(event.currentTarget.checked)} />
        <span>Sign again with the source's secret, as the provider would</span>
      </label>
      {sent === undefined ? null : (
        <p role="status">
          Answered <b>{sent.status}</b> in {duration(sent.ms)}{' '}
          {sent.body === '' ? '' : <code>{visible(sent.body.slice(0, 300))}</code>}
        </p>
      )}
    </Ask>
  );
}

function SaveAsTest({ path, onClose }: { readonly path: string; readonly onClose: () => void }) {
  const [saved, setSaved] = useState<{ test: string; fixture: string; masked: number }>();
  return (
    <Ask
      title="Save as a test"
      confirm={saved === undefined ? 'Write the test' : 'Written'}
      onConfirm={async () => setSaved(await ask(`${path}/save`, { body: {} }))}
      stays
      onClose={onClose}
      disabled={saved !== undefined}
    >
      {saved === undefined ? (
        <p>
          This writes a test of its handler into this project, with the body as a fixture. Secrets, names and addresses
          are masked; look at the fixture before you commit it.
        </p>
      ) : (
        <p role="status">
          Wrote <code>{saved.test}</code> and its fixture; {saved.masked} values masked. Run it:{' '}
          <code>npx vitest run {saved.test}</code>
        </p>
      )}
    </Ask>
  );
}
