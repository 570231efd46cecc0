/** What was sent and what was answered. */
import { useState } from 'preact/hooks';
import { answerWords } from '../core/words.ts';
import type { Attempt as AttemptOf } from './delivery.ts';
import { JsonTree } from './json-tree.tsx';
import { State } from './parts.tsx';
import { visible } from './text.tsx';
import { Ago, duration } from './time.tsx';

const SHOWN = 200_000;

/** JSON as a tree, anything else as text. */
export function Text({ text }: { readonly text: string }) {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Shown as it is.
  }
  if (typeof value === 'object' && value !== null) return <JsonTree value={value} search="" />;
  return <pre class="raw">{visible(text.slice(0, SHOWN))}</pre>;
}

export function Headers({ of }: { readonly of: Readonly<Record<string, string>> }) {
  return (
    <dl class="headers">
      {Object.entries(of).map(([name, value]) => (
        <div key={name}>
          <dt>{visible(name)}</dt>
          <dd>
            <code>{visible(value)}</code>
          </dd>
        </div>
      ))}
    </dl>
  );
}

const KINDS: Readonly<Record<string, string>> = { delivery: 'attempt', trial: 'attempt while on hold' };

/** Open is the last one of which more than the record is kept: what to look at now. */
export function Attempts({ of }: { readonly of: readonly AttemptOf[] }) {
  const telling = of.findLastIndex(({ request }) => request !== null);
  return (
    <ul class="plain refused">
      {of.map((each, n) => (
        <li key={`${each.at} ${each.attempt}`}>
          <Attempt attempt={each} isOpen={n === (telling < 0 ? of.length - 1 : telling)} />
        </li>
      ))}
    </ul>
  );
}

function Attempt({ attempt, isOpen }: { readonly attempt: AttemptOf; readonly isOpen: boolean }) {
  const [open, setOpen] = useState(isOpen);
  const { kind, attempt: n, at, code, class: of, timings_ms: timings, detail, request, response } = attempt;
  return (
    <>
      <button type="button" class="refused-line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span class="fold" aria-hidden="true">
          {open ? '▾' : '▸'}
        </span>
        <span class="why">
          <b>
            {KINDS[kind] ?? kind} {n}
          </b>
          <State of={of === 'ok' ? 'delivered' : 'failed attempt'} />
          <span>{visible(answerWords(code, of))}</span>
          <span class="faint">{timings['total'] === undefined ? '' : duration(timings['total'])}</span>
        </span>
        <span class="faint">
          <Ago at={Date.parse(at)} />
        </span>
      </button>
      {open ? (
        <div class="refused-content">
          {attempt.in_words ? <p>{visible(attempt.in_words)}</p> : null}
          {detail === null ? null : <p>{visible(detail)}</p>}
          {request === null ? (
            <p class="faint">After a success only the record is kept.</p>
          ) : (
            <>
              <p>
                <b>POST</b> <code>{visible(request.url)}</code>
              </p>
              <Headers of={request.headers} />
            </>
          )}
          {response?.body ? (
            <>
              <h3>Answered{response.truncated ? ' (its beginning)' : ''}</h3>
              <Text text={response.body} />
            </>
          ) : null}
          <p class="faint">
            {Object.entries(timings)
              .map(([name, ms]) => `${name} ${duration(ms)}`)
              .join(' · ')}
          </p>
        </div>
      ) : null}
    </>
  );
}
