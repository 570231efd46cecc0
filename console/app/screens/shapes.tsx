/** What the events of a source look like, by type, and when a provider changed them. Names and types, never a value. */

import { useState } from 'preact/hooks';
import { serverNow } from '../../../ui/clock.ts';
import { grouped } from '../../../ui/grouped.ts';
import { Empty, Shown } from '../../../ui/parts.tsx';
import { visible } from '../../../ui/text.tsx';
import { Ago } from '../../../ui/time.tsx';
import type { ShapeRow } from '../../wire.ts';
import { useLoad } from '../parts/load.ts';

export function Shapes({ path }: { readonly path: string }) {
  const view = useLoad<{ shapes: readonly ShapeRow[]; watched: boolean }>(`${path}/shapes`, 30_000);
  return (
    <Shown of={view}>
      {({ shapes, watched }) =>
        shapes.length === 0 ? (
          <Empty title={watched ? 'No event was seen yet' : 'Shapes are not watched here'}>
            <p>
              {watched
                ? 'The structure of each event type shows here after its first event: its paths and their types.'
                : 'This source has schemaDrift: ‘off’ in gateway.config.ts.'}
            </p>
          </Empty>
        ) : (
          <ul class="plain shapes">
            {shapes.map(shape => (
              <li key={shape.type}>
                <Shape shape={shape} />
              </li>
            ))}
          </ul>
        )
      }
    </Shown>
  );
}

function Shape({ shape }: { readonly shape: ShapeRow }) {
  const [open, setOpen] = useState(false);
  const [last] = shape.changes;
  return (
    <>
      <button type="button" class="refused-line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span class="fold" aria-hidden="true">
          {open ? '▾' : '▸'}
        </span>
        <span class="why">
          <b>{visible(shape.type)}</b>
          <span class="faint">{grouped(shape.paths.length)} paths</span>
        </span>
        <span class={last === undefined ? 'faint' : 'warn'}>
          {last !== undefined ? (
            <>
              changed <Ago at={last.at} />
            </>
          ) : shape.learnUntil > serverNow() ? (
            'learning, its first day'
          ) : (
            'never changed'
          )}
        </span>
      </button>
      {shape.changes.map(change => (
        <div class="shape-change" key={change.at}>
          <p class="faint">
            <Ago at={change.at} />
            {change.paths > change.added.length + change.removed.length + change.changed.length
              ? `, ${change.paths} paths in all`
              : ''}
          </p>
          <ul class="plain">
            {(['added', 'removed', 'changed'] as const).flatMap(kind =>
              change[kind].map(path => (
                <li key={`${kind} ${path}`}>
                  <b class={kind}>{kind}</b> <code>{visible(path)}</code>
                </li>
              )),
            )}
          </ul>
        </div>
      ))}
      {open ? (
        <table class="paths">
          <thead>
            <tr>
              <th scope="col">Path</th>
              <th scope="col">Type</th>
              <th scope="col">There</th>
            </tr>
          </thead>
          <tbody>
            {shape.paths.map(({ path, types, optional }) => (
              <tr key={path}>
                <th scope="row">
                  <code>{visible(path)}</code>
                </th>
                <td>{types}</td>
                <td class="faint">{optional ? 'sometimes' : 'always'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
    </>
  );
}
