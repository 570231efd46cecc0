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
  /** Requests that are kept of one cause: where there are so many, more may have come. */
  readonly most: number;
  readonly refused: readonly RefusedRow[];
}

export function RefusedRequests({ path }: { readonly path: string }) {
  const view = useLoad<RefusedList>(`${path}/refused`, 5_000);
  return (
    <Shown of={view}>
      {({ refused, kept, most }) =>
        refused.length === 0 ? (
          <Empty title="Nothing was refused">
            <p>Requests that do not verify are kept here for three days, the last {most} of each cause.</p>
          </Empty>
        ) : (
          <>
            <p class="faint">
              These requests were not accepted, so you cannot replay them: the provider has to send them again.
              {kept ? '' : ' Headers and bodies are not kept (quarantine: false).'}
            </p>
            {byCause(refused).map(rows => (
              <Group rows={rows} most={most} path={path} key={rows[0]?.cause} />
            ))}
          </>
        )
      }
    </Shown>
  );
}

/** The cause that came last is first; within it the newest request. */
function byCause(rows: readonly RefusedRow[]): readonly (readonly RefusedRow[])[] {
  return [...new Set(rows.map(it => it.cause))].map(cause => rows.filter(it => it.cause === cause));
}

function Group({
  rows,
  most,
  path,
}: {
  readonly rows: readonly RefusedRow[];
  readonly most: number;
  readonly path: string;
}) {
  const [newest] = rows;
  if (newest === undefined) return null;
  const count = rows.length >= most ? `at least ${most}` : rows.length;
  return (
    <section class="card refused-group" aria-label={`Refused: ${newest.cause}`}>
      <p>
        <b>{visible(newest.cause.replaceAll('_', ' '))}</b> · {count} {rows.length === 1 ? 'request' : 'requests'}, last{' '}
        <Ago at={newest.at} />
      </p>
      <p class="faint">{visible(newest.likely)}</p>
      <ul class="plain refused">
        {rows.map(row => (
          <li key={`${row.id} ${row.at}`}>
            <Line row={row} path={path} />
          </li>
        ))}
      </ul>
    </section>
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
          {grouped(row.size)} bytes{row.hint === undefined ? '' : ` · ${visible(row.hint)}`}
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
