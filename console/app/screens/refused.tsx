/** The last requests of a source that were not accepted, each with the sentence that says why. */

import { useState } from 'preact/hooks';
import { Headers, Text } from '../../../ui/exchange.tsx';
import { grouped } from '../../../ui/grouped.ts';
import { Copy, Empty, Shown } from '../../../ui/parts.tsx';
import { visible } from '../../../ui/text.tsx';
import { Ago } from '../../../ui/time.tsx';
import type { RefusedDetail, RefusedRow } from '../../wire.ts';
import { useLoad } from '../parts/load.ts';

interface RefusedList {
  readonly kept: boolean;
  readonly refused: readonly RefusedRow[];
}

export function RefusedRequests({ path }: { readonly path: string }) {
  const view = useLoad<RefusedList>(`${path}/refused`, 5_000);
  return (
    <Shown of={view}>
      {({ refused, kept }) =>
        refused.length === 0 ? (
          <Empty title="Nothing was refused">
            <p>Requests that do not verify are kept here for three days, the last 20 of each cause.</p>
          </Empty>
        ) : (
          <>
            <p class="faint">
              These requests were not accepted, so you cannot replay them: the provider has to send them again.
              {kept ? '' : ' Headers and bodies are not kept (quarantine: false).'}
            </p>
            <ul class="plain refused">
              {refused.map(row => (
                <li key={`${row.id} ${row.at}`}>
                  <Line row={row} path={path} />
                </li>
              ))}
            </ul>
          </>
        )
      }
    </Shown>
  );
}

function Line({ row, path }: { readonly row: RefusedRow; readonly path: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="refused-line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span class="fold" aria-hidden="true">
          {open ? '▾' : '▸'}
        </span>
        <span class="why">
          <b>{visible(row.cause.replaceAll('_', ' '))}</b>
          <span>{visible(row.likely)}</span>
        </span>
        <span class="faint">
          <Ago at={row.at} />
        </span>
      </button>
      {open ? <Content row={row} path={path} /> : null}
    </>
  );
}

function Content({ row, path }: { readonly row: RefusedRow; readonly path: string }) {
  const view = useLoad<RefusedDetail>(`${path}/refused/${encodeURIComponent(row.id)}`);
  return (
    <Shown of={view}>
      {({ headers, text }) => (
        <div class="refused-content">
          <p class="faint">
            <code>{row.id}</code>
            {row.hint === undefined ? '' : ` · the check said: ${visible(row.hint)}`} · {grouped(row.size)} bytes
          </p>
          {headers === undefined ? <p class="faint">Its headers and body were not kept.</p> : <Headers of={headers} />}
          {text === undefined ? null : (
            <>
              <p>
                <Copy text={text} label="Copy body" />
              </p>
              <Text text={text} />
            </>
          )}
        </div>
      )}
    </Shown>
  );
}
