/** Replays of many events: how far, how fast, who and why. */

import { useState } from 'preact/hooks';
import { serverNow } from '../../../ui/clock.ts';
import { grouped } from '../../../ui/grouped.ts';
import { Ask, Button, Command, Empty, Shown, State } from '../../../ui/parts.tsx';
import { visible } from '../../../ui/text.tsx';
import { Ago, duration } from '../../../ui/time.tsx';
import type { JobRow } from '../../wire.ts';
import { ask } from '../parts/api.ts';
import { useLoad } from '../parts/load.ts';
import { Link } from '../parts/route.tsx';
import { commandOf, session } from '../parts/session.ts';

export function Jobs() {
  const view = useLoad<{ jobs: readonly JobRow[] }>('/api/jobs', 2_000);
  const [cancelling, setCancelling] = useState<JobRow>();
  return (
    <>
      <h1>Replay jobs</h1>
      <Shown of={view}>
        {({ jobs }) =>
          jobs.length === 0 ? (
            <Empty title="No replay job has been started here">
              <p>
                Replay a group of <Link href="/dead">dead letters</Link>, or all events of a{' '}
                <Link href="/events">list</Link>. In a terminal:
              </p>
              <Command text={commandOf('replay --cause handler_error --since 6h --dry-run')} />
            </Empty>
          ) : (
            <div role="list" class="stack">
              {jobs.map(job => (
                <Job key={job.id} job={job} cancel={() => setCancelling(job)} />
              ))}
            </div>
          )
        }
      </Shown>
      {cancelling === undefined ? null : (
        <Ask
          title="Cancel this job"
          confirm="Cancel the job"
          danger
          onConfirm={() => ask(`/api/jobs/${encodeURIComponent(cancelling.id)}/cancel`, { body: {} })}
          onDone={view.reload}
          onClose={() => setCancelling(undefined)}
        >
          <p>Events that were replayed stay replayed. The others stay as they are.</p>
        </Ask>
      )}
    </>
  );
}

function Job({ job, cancel }: { readonly job: JobRow; readonly cancel: () => void }) {
  const total = job.expected ?? job.done;
  const share = total === 0 ? 1 : Math.min(1, job.done / total);
  const others = Object.entries(job.others).map(([reason, n]) => `${grouped(n)} ${reason.replace('_', ' ')}`);
  return (
    <div class="card job" role="listitem">
      <div class="section-head">
        <State of={job.state} />
        <b>{visible(job.why)}</b>
        <span class="faint">
          by {visible(job.by)}, <Ago at={job.createdAt} />
        </span>
        <span class="grow" />
        {job.state === 'running' && !session().readOnly ? (
          <Button word="Cancel …" look="small" onClick={cancel} />
        ) : null}
      </div>
      <progress max={1} value={share} aria-label={`${job.done} of ${total}`} />
      <p class="faint">
        {grouped(job.done)} of {grouped(total)}, {grouped(job.replayed)} replayed
        {others.length === 0 ? '' : `; not replayed: ${others.join(', ')}`} · {job.ratePerSecond} a second
        {` · ${job.beginning}`}
        {job.state === 'running' ? '' : ` · took ${duration((job.finishedAt ?? serverNow()) - job.createdAt)}`}
      </p>
      <p class="faint">
        <code>{job.id}</code> · {visible(job.meant)}
      </p>
    </div>
  );
}
