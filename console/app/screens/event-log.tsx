/** What was logged of an event or of one attempt, read when somebody asks for it. */
import { useEffect } from 'preact/hooks';
import { Empty, Shown } from '../../../ui/parts.tsx';
import { visible } from '../../../ui/text.tsx';
import type { EventLogView, LogRow } from '../../wire.ts';
import { useLoad } from '../parts/load.ts';
import { Link } from '../parts/route.tsx';

/** `at`: when the attempt began; `''`: everything since the event arrived. */
export function EventLog({ path, at }: { readonly path: string; readonly at: string }) {
  const view = useLoad<EventLogView>(`${path}/log${at === '' ? '' : `?at=${at}`}`);
  // Asked for by a link above it, which on a phone is far above it.
  useEffect(() => document.getElementById('tab-panel')?.scrollIntoView({ block: 'nearest' }), [at]);
  return (
    <>
      <p class="faint">
        {at === '' ? 'Everything that the functions logged of this event.' : 'What was logged of one attempt.'}{' '}
        {at === '' ? null : <Link href="?tab=log">The whole log of the event</Link>}
      </p>
      <Shown of={view}>
        {({ lines, none, code }) => (
          <>
            {none === undefined ? null : (
              <Empty title="There is no line">
                <p>{visible(none)}</p>
              </Empty>
            )}
            {code === undefined ? null : <CodeLines code={code} />}
            <ol class="plain log">
              {lines.map((line, n) => (
                <Line key={n} line={line} />
              ))}
            </ol>
          </>
        )}
      </Shown>
    </>
  );
}

function Line({ line: { at, from, level, stage, words, places } }: { readonly line: LogRow }) {
  return (
    <li>
      <div class="log-head">
        <time dateTime={new Date(at).toISOString()}>{new Date(at).toISOString().slice(11, 23)}</time>
        {level === 'ERROR' || level === 'WARN' ? (
          <b class="log-level">{level === 'ERROR' ? 'error' : 'warning'}</b>
        ) : null}{' '}
        <b>{visible(from)}</b> <span class="faint">{visible(stage)}</span>
      </div>
      <dl class="log-words">
        {words.map(([name, text]) => (
          <div key={name}>
            <dt>{visible(name)}</dt>
            <dd>{visible(text)}</dd>
          </div>
        ))}
      </dl>
      {places.length === 0 ? null : (
        <ul class="plain log-places" aria-label="Where it was thrown, the innermost first">
          {places.map((place, n) => (
            <li key={n}>
              <code>{visible(place)}</code>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function CodeLines({ code: { file, line, lines } }: { readonly code: NonNullable<EventLogView['code']> }) {
  return (
    <figure class="code-lines">
      <figcaption>
        It was thrown at <code>{visible(`${file}:${line}`)}</code>{' '}
        <span class="faint">(the file as this checkout has it)</span>
      </figcaption>
      <pre tabIndex={0}>
        {lines.map(({ n, text }) => (
          <span key={n} class={n === line ? 'thrown' : ''}>
            <span class="faint">{`${n === line ? '›' : ' '} ${String(n).padStart(4)}  `}</span>
            {visible(text)}
            {'\n'}
          </span>
        ))}
      </pre>
    </figure>
  );
}
