/** Run again: one event, several, or all that a filter means. Each asks why, because the next person reads it. */

import { useState } from 'preact/hooks';
import { grouped } from '../../../ui/grouped.ts';
import { Ask, Field } from '../../../ui/parts.tsx';
import { ApiProblem } from '../../../ui/problem.ts';
import { visible } from '../../../ui/text.tsx';
import { duration } from '../../../ui/time.tsx';
import type { ReplayPreview } from '../../wire.ts';
import { ask } from './api.ts';
import { ShownTold, useTold } from './reads.tsx';
import { go, Link } from './route.tsx';

const REFUSED: Readonly<Record<string, string>> = {
  running: 'an attempt is running: wait until it ends',
  changed: 'somebody else replayed it a moment ago',
  gone: 'its record is gone: its retention is over',
  body_missing: 'its body is gone: its retention is over',
};

const WHY = { label: 'Why?', placeholder: 'schema fixed in v42', autofocus: true };

interface SelectedProps {
  readonly ids: readonly string[];
  readonly onClose: () => void;
  readonly onDone?: () => void;
}

export function ReplaySelected({ ids, onClose, onDone }: SelectedProps) {
  const [why, setWhy] = useState('');
  const [newKey, setNewKey] = useState(false);
  const replay = async (): Promise<void> => {
    const refused: string[] = [];
    for (const id of ids) {
      const { outcome } = await ask<{ outcome: string }>(`/api/events/${encodeURIComponent(id)}/replay`, {
        body: { why, newKey },
      });
      if (outcome !== 'replayed' && outcome !== 'already_replayed')
        refused.push(`${id}: ${REFUSED[outcome] ?? outcome}`);
    }
    onDone?.();
    if (refused.length > 0)
      throw new ApiProblem(
        { problem: `${refused.length} of ${ids.length} not replayed`, fix: refused.slice(0, 5).join('\n') },
        0,
      );
  };
  const title = ids.length === 1 ? 'Replay this event' : `Replay ${ids.length} events`;
  return (
    <Ask title={title} confirm={title} onConfirm={replay} onClose={onClose} disabled={why.trim() === ''}>
      <p>
        {ids.length === 1 ? <code>{visible(ids[0] ?? '')}</code> : 'One after the other, together with live traffic.'}{' '}
        Its handler runs again.
      </p>
      <Field {...WHY} value={why} onInput={setWhy} hint="It is kept with the event, for the next person." />
      <label class="check">
        <input type="checkbox" checked={newKey} onChange={event => setNewKey(event.currentTarget.checked)} />
        <span>
          A new idempotency key <small class="faint">Calls to other services may happen again.</small>
        </span>
      </label>
    </Ask>
  );
}

/** A job for all that a filter means. `query` is the filter as the address has it. */
export function ReplayMany({ query, onClose }: { readonly query: string; readonly onClose: () => void }) {
  const [waits, setWaits] = useState<string>();
  const preview = useTold<ReplayPreview>(`/api/replay?${query}`);
  const { data } = preview;
  const start = async (why: string): Promise<void> => {
    const body = { why, expected: data?.count, asOf: data?.asOf };
    const started = await ask<{ waits?: string }>(`/api/replay?${query}`, { body });
    setWaits(started.waits);
    if (started.waits !== undefined) return;
    go('/jobs');
    onClose();
  };
  return (
    <Ask
      title="Replay all that match"
      confirm={
        preview.first !== undefined && !(preview.busy && preview.isBegun)
          ? 'Not counted yet'
          : data === undefined
            ? 'Counting …'
            : `Replay ${grouped(data.count)} events`
      }
      field={{ ...WHY, hint: 'It is kept with each event, for the next person.' }}
      onConfirm={start}
      stays
      onClose={onClose}
      disabled={data === undefined || data.count === 0 || waits !== undefined}
    >
      {waits === undefined ? null : (
        <p role="status" class="warn">
          The job is there (<Link href="/jobs">jobs</Link>). It begins in the next run of the sweeper, within a minute,
          because this one could not be asked for: {visible(waits)}
        </p>
      )}
      <ShownTold of={preview}>
        {({ count, kinds, ratePerSecond, seconds }) =>
          count === 0 ? (
            <p>There is nothing to replay: no event matches.</p>
          ) : (
            <>
              <p>
                <strong>{grouped(count)} events</strong>. The sweeper is told to begin now; at {ratePerSecond} a second
                it then takes about {duration(seconds * 1_000)}. It goes on when this page is closed.
              </p>
              <ul class="kinds">
                {kinds.slice(0, 6).map(([kind, of]) => (
                  <li key={kind}>
                    <b>{grouped(of)}</b> {visible(kind)}
                  </li>
                ))}
                {kinds.length > 6 ? <li class="faint">and {kinds.length - 6} more kinds</li> : null}
              </ul>
            </>
          )
        }
      </ShownTold>
    </Ask>
  );
}
