/** The page: a frame around one screen. */
import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { onKey } from '../../ui/keys.ts';
import { Button, Shown, Trouble } from '../../ui/parts.tsx';
import { decodeUri, visible } from '../../ui/text.tsx';
import type { Hello } from '../wire.ts';
import { keptTheme } from './first.ts';
import { ask, earlyAnswers } from './parts/api.ts';
import { onLive, runLive, useLiveState } from './parts/live.ts';
import { useLoad } from './parts/load.ts';
import { go, Link, usePlace } from './parts/route.tsx';
import { session, setSession } from './parts/session.ts';
import { Alarms } from './screens/alarms.tsx';
import { Dead } from './screens/dead.tsx';
import { EventScreen } from './screens/event.tsx';
import { Events } from './screens/events.tsx';
import { Jobs } from './screens/jobs.tsx';
import { Now } from './screens/now.tsx';
import { Out, OutApp, OutMessageScreen } from './screens/out.tsx';
import { OutDeliveryScreen } from './screens/out-delivery.tsx';
import { OutEndpointScreen } from './screens/out-endpoint.tsx';
import { Source, Sources } from './screens/sources.tsx';

const SCREENS = [
  ['/', 'Now', 'n'],
  ['/events', 'Events', 'e'],
  ['/dead', 'Dead letters', 'd'],
  ['/jobs', 'Jobs', 'j'],
  ['/sources', 'Sources', 's'],
  ['/alarms', 'Alarms', 'a'],
  ['/out', 'Deliveries', 'o'],
] as const;

/** Without `outbound` there is nothing to see of deliveries. */
function screens(): readonly (typeof SCREENS)[number][] {
  return SCREENS.filter(([href]) => href !== '/out' || session().outbound);
}

function App() {
  const hello = useLoad<Hello>('/api/hello');
  const { data, problem } = hello;
  if (data !== undefined) setSession(data);
  useEffect(() => {
    if (data === undefined && problem !== undefined) {
      const timer = setInterval(hello.reload, 3_000);
      return () => clearInterval(timer);
    }
    return undefined;
  }, [data, problem, hello.reload]);
  useEffect(() => onLive(message => message.kind === 'changed' && hello.reload()), [hello.reload]);
  return data === undefined ? (
    <main class="alone">
      <h1>Holdfast</h1>
      <Shown of={hello}>{() => null}</Shown>
    </main>
  ) : (
    <Frame />
  );
}

function Frame() {
  const { path } = usePlace();
  const [help, setHelp] = useState(false);
  const search = useRef<HTMLInputElement>(null);
  useEffect(() => {
    void runLive();
    const stops = [
      onKey('/', () => search.current?.focus()),
      onKey('?', () => setHelp(true)),
      ...screens().map(([href, , key]) => onKey(`g ${key}`, () => go(href))),
    ];
    return () => stops.forEach(stop => void stop());
  }, []);
  const { environment, place, readOnly, by } = session();
  useEffect(() => {
    const name = SCREENS.find(([href]) => isAt(path, href))?.[1] ?? 'Holdfast';
    document.title = `${name} · ${environment} · Holdfast`;
  }, [path]);
  return (
    <div class="frame">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="side">
        <Link class="brand" href="/">
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <rect width="24" height="24" rx="6" />
            <path d="M7.5 5.5v13M16.5 5.5v13M7.5 12h9" />
          </svg>
          Holdfast
        </Link>
        <p class="where">
          <b class={environment === 'prod' ? 'env prod' : 'env'}>{environment}</b>
          {readOnly ? <span class="env">read-only</span> : null}
          <small title={place}>{place.replace(/^https?:\/\//, '')}</small>
        </p>
        <nav class="menu" aria-label="Screens">
          {screens().map(([href, name, key]) => (
            <Link key={href} href={href} aria-current={isAt(path, href) ? 'page' : undefined}>
              {name}
              <kbd aria-hidden="true">g {key}</kbd>
            </Link>
          ))}
        </nav>
        <div class="side-foot">
          <LiveMark />
          <Theme />
          <button type="button" class="small" onClick={() => setHelp(true)}>
            Keys <kbd aria-hidden="true">?</kbd>
          </button>
          <small class="faint">{visible(by)}</small>
        </div>
      </header>
      <div class="page">
        <Search input={search} />
        <main id="main" tabIndex={-1}>
          <LiveTrouble />
          <Screen path={path} />
        </main>
      </div>
      {help ? <Help onClose={() => setHelp(false)} /> : null}
    </div>
  );
}

function isAt(path: string, href: string): boolean {
  return href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`);
}

function Screen({ path }: { readonly path: string }) {
  const [, room, encoded, ...rest] = path.split('/');
  const name = encoded && decodeUri(encoded);
  if (path === '/') return <Now />;
  if (room === 'events' && name !== undefined) return <EventScreen key={name} id={name} />;
  if (room === 'events') return <Events />;
  if (room === 'dead') return <Dead />;
  if (room === 'jobs') return <Jobs />;
  if (room === 'sources' && name !== undefined) return <Source key={name} name={name} />;
  if (room === 'sources') return <Sources />;
  if (room === 'alarms') return <Alarms />;
  if (room === 'out') return <Outbound app={name} rest={rest.map(decodeUri)} />;
  return (
    <>
      <h1>This screen does not exist</h1>
      <p>
        <Link href="/">Go to the first screen</Link>
      </p>
    </>
  );
}

/** `/out/<app>/messages/<message>`, `/out/<app>/endpoints/<endpoint>/<message>`. */
function Outbound({ app, rest }: { readonly app: string | undefined; readonly rest: readonly string[] }) {
  const [kind, id, message] = rest;
  if (app === undefined) return <Out />;
  if (kind === 'messages' && id) return <OutMessageScreen key={id} app={app} message={id} />;
  if (kind === 'endpoints' && id && message)
    return <OutDeliveryScreen key={`${id} ${message}`} app={app} ep={id} message={message} />;
  if (kind === 'endpoints' && id) return <OutEndpointScreen key={id} app={app} ep={id} />;
  return <OutApp key={app} app={app} />;
}

/** An id opens its event, `order=1234` lists those with that value; any other text is looked for in the bodies of the last day. */
function Search({ input }: { readonly input: { current: HTMLInputElement | null } }) {
  const [busy, setBusy] = useState(false);
  const [example] = session().searchable;
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const text = input.current?.value.trim() ?? '';
    if (text === '') return;
    const field = /^([a-z][a-z0-9_]*)=/.exec(text)?.[1] ?? '';
    if (session().searchable.includes(field)) {
      go(`/events?${new URLSearchParams({ where: text })}`);
      input.current?.blur();
      return;
    }
    setBusy(true);
    try {
      const { row } = await ask<{ row: { id: string } }>(`/api/events/${encodeURIComponent(text)}`);
      go(`/events/${encodeURIComponent(row.id)}`);
    } catch {
      go(`/events?${new URLSearchParams({ text, since: '24h' })}`);
    }
    setBusy(false);
    input.current?.blur();
  };
  return (
    <form class="search" role="search" onSubmit={event => void submit(event)}>
      <input
        ref={input}
        type="search"
        aria-label="Search"
        placeholder={`The id of an event, the provider's id, ${example === undefined ? '' : `${example}=…, `}or a text in a body`}
      />
      <kbd aria-hidden="true">{busy ? '…' : '/'}</kbd>
    </form>
  );
}

function LiveMark() {
  const { connection, trouble } = useLiveState();
  const [shape, look, word] =
    connection === 'broken'
      ? ['▲', 'warn', 'reconnecting']
      : trouble
        ? ['▲', 'warn', 'cannot read']
        : connection === 'live'
          ? ['●', 'ok', 'live']
          : ['◌', 'quiet', 'connecting'];
  return (
    <span class={`state ${look}`} role="status">
      <span class="shape" aria-hidden="true">
        {shape}
      </span>
      {word}
    </span>
  );
}

function LiveTrouble() {
  const { connection, trouble } = useLiveState();
  if (connection === 'broken')
    return (
      <Trouble
        of={{
          problem: 'The live connection broke. It comes back by itself and leaves nothing out.',
          fix: 'If it does not, check that `holdfast console` is still running.',
        }}
      />
    );
  return trouble === undefined ? null : <Trouble of={trouble} />;
}

const THEMES = ['system', 'light', 'dark'] as const;

function Theme() {
  const [theme, setTheme] = useState(keptTheme);
  const change = (to: string): void => {
    setTheme(to);
    localStorage.setItem('theme', to);
    document.documentElement.dataset['theme'] = to;
  };
  const next = THEMES[((THEMES as readonly string[]).indexOf(theme) + 1) % THEMES.length] ?? 'system';
  return (
    <button type="button" class="small" onClick={() => change(next)} aria-label={`Theme: ${theme}. Change to ${next}`}>
      {{ system: '◑ system', light: '○ light', dark: '● dark' }[theme] ?? theme}
    </button>
  );
}

const KEYS = [
  ['/', 'search'],
  ['j  k', 'next, previous event of the list'],
  ['Enter', 'open it'],
  ['r', 'replay it'],
  ...SCREENS.map(([, name, key]) => [`g ${key}`, name] as const),
  ['?', 'these keys'],
] as const;

function Help({ onClose }: { readonly onClose: () => void }) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => ref.current?.showModal(), []);
  return (
    <dialog ref={ref} onClose={onClose} aria-labelledby="help-title">
      <h2 id="help-title">Keys</h2>
      <dl class="keys">
        {KEYS.map(([key, about]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
      <div class="actions">
        <Button word="Close" look="primary" onClick={() => ref.current?.close()} />
      </div>
    </dialog>
  );
}

/** Answers that come within it are shown at once: each state on the way would be drawn before them. */
const AT_ONCE_MS = 100;
const root = document.getElementById('app');
const tooLong = new Promise(done => setTimeout(done, AT_ONCE_MS));
if (root !== null) void Promise.race([earlyAnswers(), tooLong]).then(() => render(<App />, root));
