/** Sources: each with its address, its secret's state, its settings and its provider's page. */
import { useState } from 'preact/hooks';
import { grouped } from '../../../ui/grouped.ts';
import { Ask, Button, Command, Copy, Shown, Spark, State } from '../../../ui/parts.tsx';
import { visible } from '../../../ui/text.tsx';
import { Ago, duration } from '../../../ui/time.tsx';
import type { Sent, SourceDetail, SourceRow } from '../../wire.ts';
import { ask } from '../parts/api.ts';
import { useLoad } from '../parts/load.ts';
import { Markdown } from '../parts/markdown.tsx';
import { ReplayMany } from '../parts/replay.tsx';
import { Link, usePlace } from '../parts/route.tsx';
import { commandOf, session } from '../parts/session.ts';
import { Tabs } from '../parts/tabs.tsx';
import { SourceTable } from './now.tsx';
import { RefusedRequests } from './refused.tsx';
import { Shapes } from './shapes.tsx';

export function Sources() {
  const view = useLoad<{ sources: readonly SourceRow[] }>('/api/sources', 15_000);
  return (
    <>
      <h1>What is received</h1>
      <Shown of={view}>{({ sources }) => <SourceTable rows={sources} />}</Shown>
    </>
  );
}

/** What died lately: the state says whether a source receives, not what came of it. */
function Died({ row, onReplay }: { readonly row: SourceRow; readonly onReplay: () => void }) {
  const { open, more } = row;
  if (open === 0) return null;
  const died = row.died.reduce((sum, each) => sum + each, 0);
  const over = more ? 'over ' : '';
  return (
    <p class="banner">
      <State of="needs you" /> {died === 0 ? 'None' : `${died === open ? over : ''}${grouped(died)}`} died in the last
      hour, {over}
      {grouped(open)} {open === 1 ? 'is' : 'are'} open{' '}
      <Link class="button" href={`/events?${deadOf(row.id)}`}>
        See them
      </Link>
      {session().readOnly ? null : <Button word="Replay …" look="primary" onClick={onReplay} />}
    </p>
  );
}

const deadOf = (source: string): string => `${new URLSearchParams({ source, status: 'dead_letter', since: '90d' })}`;

export function Source({ name }: { readonly name: string }) {
  const path = `/api/sources/${encodeURIComponent(name)}`;
  const view = useLoad<SourceDetail>(path, 15_000);
  const [asking, setAsking] = useState<'pause' | 'resume' | 'send' | 'replay'>();
  const tab = usePlace().query.get('tab');
  return (
    <>
      <Shown of={view}>
        {({ row, secret, secretChangedAt, previousUntil, settings, refused, page }) => (
          <>
            <header class="event-head">
              <div>
                <p class="crumbs">
                  <Link href="/sources">Sources</Link>
                </p>
                <h1>
                  {row.id} <State of={row.state} />
                </h1>
                <p class="faint">
                  {row.title} · last event {row.lastAt === undefined ? 'more than a day ago' : <Ago at={row.lastAt} />}
                </p>
              </div>
              <div class="actions">
                <Link class="button" href={`/events?source=${encodeURIComponent(row.id)}`}>
                  Its events
                </Link>
                {session().readOnly ? null : (
                  <>
                    <Button word="Send a sample …" onClick={() => setAsking('send')} />
                    {row.state === 'paused' ? (
                      <Button word="Resume …" look="primary" onClick={() => setAsking('resume')} />
                    ) : (
                      <Button word="Pause …" onClick={() => setAsking('pause')} />
                    )}
                  </>
                )}
              </div>
            </header>
            <Died row={row} onReplay={() => setAsking('replay')} />
            {(tab === 'refused' ? [] : refused).map(({ cause, text }) => (
              <Link class="banner" href={`/sources/${encodeURIComponent(row.id)}?tab=refused`} key={cause}>
                <State of="notice" /> {visible(`${row.id} ${text}`)}. <u>See them</u>
              </Link>
            ))}
            {row.pausedSince === undefined ? null : (
              <p class="banner">
                Paused by {visible(row.pausedBy ?? '')} <Ago at={row.pausedSince} />: {visible(row.pausedWhy ?? '')}.
                Its events are accepted, and they wait.
              </p>
            )}
            <div class="columns">
              <SourceTabs path={path} page={page} />
              <aside class="card facts" aria-label="Facts">
                <h2>Address</h2>
                <p class="url">
                  <code>{visible(row.url)}</code> <Copy text={row.url} what="the URL" />
                </p>
                <h2>Last hour</h2>
                <Spark values={row.accepted} bad={row.died} label="Accepted and dead by minute" />
                <h2>Secret</h2>
                <p>
                  {secret}
                  {secretChangedAt === undefined ? (
                    ''
                  ) : (
                    <>
                      , changed <Ago at={secretChangedAt} />
                    </>
                  )}
                  {previousUntil === undefined ? (
                    ''
                  ) : (
                    <>
                      ; the one before is valid until <Ago at={previousUntil} />
                    </>
                  )}
                </p>
                {secret === 'not needed' ? null : (
                  <Command text={commandOf(`sources ${secret === 'set' ? 'rotate' : 'set-secret'} ${row.id}`)} />
                )}
                <h2>Settings</h2>
                <dl>
                  {settings.map(([key, value]) => (
                    <div key={key}>
                      <dt>{key}</dt>
                      <dd>{visible(value)}</dd>
                    </div>
                  ))}
                </dl>
              </aside>
            </div>
          </>
        )}
      </Shown>
      {asking === 'pause' || asking === 'resume' ? (
        <Pause name={name} what={asking} path={path} onClose={() => setAsking(undefined)} onDone={view.reload} />
      ) : null}
      {asking === 'replay' ? <ReplayMany query={deadOf(name)} onClose={() => setAsking(undefined)} /> : null}
      {asking === 'send' ? <SendSample path={path} name={name} onClose={() => setAsking(undefined)} /> : null}
    </>
  );
}

const TABS = [
  ['', 'At the provider'],
  ['refused', 'Refused requests'],
  ['shapes', 'Event shapes'],
] as const;

/** What to enter at the provider, what was refused, what the events look like. */
function SourceTabs({ path, page }: { readonly path: string; readonly page: string | undefined }) {
  const { query } = usePlace();
  const tab = TABS.find(([name]) => name === query.get('tab'))?.[0] ?? '';
  return (
    <Tabs label="What to show" tabs={TABS} tab={tab}>
      {tab === 'refused' ? <RefusedRequests path={path} /> : null}
      {tab === 'shapes' ? <Shapes path={path} /> : null}
      {tab !== '' ? null : page === undefined ? (
        <p>You described this provider yourself, so it has no page here.</p>
      ) : (
        <Markdown text={page} />
      )}
    </Tabs>
  );
}

interface PauseProps {
  readonly name: string;
  readonly what: 'pause' | 'resume';
  readonly path: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function Pause({ name, what, path, onClose, onDone }: PauseProps) {
  const title = `${what === 'pause' ? 'Pause' : 'Resume'} ${name}`;
  const field = { label: 'Why?', placeholder: 'ledger is being migrated', autofocus: true };
  return (
    <Ask
      title={title}
      confirm={title}
      {...(what === 'pause' ? { field } : {})}
      onConfirm={why => ask(`${path}/${what}`, { body: { why } })}
      {...{ onDone, onClose }}
    >
      <p>
        {what === 'pause'
          ? 'Its handlers stop. Its events are still verified, recorded and acknowledged, and they wait until you resume it.'
          : 'The sweeper sends its waiting events to the handlers, oldest first.'}
      </p>
    </Ask>
  );
}

function SendSample({
  path,
  name,
  onClose,
}: {
  readonly path: string;
  readonly name: string;
  readonly onClose: () => void;
}) {
  const sample = useLoad<{ body: string }>(`${path}/sample`);
  const [edited, setEdited] = useState<string>();
  const [sent, setSent] = useState<Sent>();
  const text = edited ?? (sample.data === undefined ? '' : pretty(sample.data.body));
  return (
    <Ask
      title={`Send a signed sample to ${name}`}
      confirm={sent === undefined ? 'Sign and send' : 'Sent'}
      onConfirm={async () => setSent(await ask<Sent>(`${path}/send`, { body: { body: text } }))}
      stays
      onClose={onClose}
      disabled={sent !== undefined || text === ''}
    >
      <p>Its handlers will run. You can edit the body before it is signed:</p>
      <textarea
        class="sample-body"
        aria-label="Body"
        value={text}
        onInput={event => setEdited(event.currentTarget.value)}
        rows={14}
        spellcheck={false}
      />
      {sent === undefined ? null : (
        <p role="status">
          Answered <b>{sent.status}</b> in {duration(sent.ms)} <code>{visible(sent.body.slice(0, 300))}</code>
        </p>
      )}
    </Ask>
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
