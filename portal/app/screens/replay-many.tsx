/** Many deliveries sent again: how many there are before, how far it is after. */
import { useEffect, useState } from 'preact/hooks';
import { stateWord } from '../../../core/words.ts';
import { REASON_ASKED } from '../../../ui/gate.ts';
import { grouped } from '../../../ui/grouped.ts';
import { useAct } from '../../../ui/load.ts';
import { Ask, Button, Trouble } from '../../../ui/parts.tsx';
import { visible } from '../../../ui/text.tsx';
import { clock } from '../../../ui/time.tsx';
import { ask, useAsk } from '../parts/api.ts';
import { appId, pathOf } from '../parts/session.ts';
import type { DeliveryPage, Endpoint, Job } from '../wire.ts';

const PAGE = 250;
/** What is counted before it says "more than". */
const PAGES = 8;

interface ManyProps {
  /** Absent: of all. */
  readonly endpoint: Endpoint | undefined;
  readonly filter: URLSearchParams;
  readonly onClose: () => void;
  readonly onStarted: (job: string) => void;
}

export function ReplayMany({ endpoint, filter, onClose, onStarted }: ManyProps) {
  const counted = useCount(endpoint, filter);
  const status = filter.get('status') ?? 'dead';
  const type = filter.get('type');
  const since = filter.get('since');
  const start = async (why: string): Promise<void> => {
    const body = {
      ...{ app: appId(), status, as_of: counted?.asOf },
      ...(endpoint ? { endpoint: endpoint.id } : {}),
      ...(type ? { types: [type] } : {}),
      ...(since ? { since } : {}),
      ...(why === '' ? {} : { why }),
    };
    onStarted((await ask<Job>('/replay-jobs', { body })).id);
  };
  const many = counted === undefined ? '' : `${counted.more ? 'more than ' : ''}${grouped(counted.count)}`;
  return (
    <Ask
      title="Send many again"
      confirm={counted === undefined ? 'Counting …' : `Send ${many} again`}
      field={{ label: REASON_ASKED, fits: () => true }}
      onConfirm={start}
      onClose={onClose}
      disabled={counted === undefined || counted.count === 0}
    >
      <p role="status">
        {counted === undefined
          ? 'Counting …'
          : `${many} ${counted.count === 1 ? 'delivery is' : 'deliveries are'} ${stateWord(status)}${endpoint ? '' : ', whichever endpoint they go to'}${type ? ` and of the type ${visible(type)}` : ''}${since ? `, published since ${clock(since)}` : ''}.`}
        {counted?.count === 0 ? ' Close this and choose another state in the list.' : ''}
      </p>
      <p>
        Each goes out with the webhook-id that it had, so that your server recognises what it already has. New messages
        go first.
      </p>
      {filter.get('code_class') ? (
        <p class="warn">The filter “Answer” does not count here: all deliveries in this state are sent.</p>
      ) : null}
    </Ask>
  );
}

interface Counted {
  readonly count: number;
  readonly more: boolean;
  /** What is replayed by others from now on is left alone. */
  readonly asOf: string;
}

function useCount(endpoint: Endpoint | undefined, filter: URLSearchParams): Counted | undefined {
  const [counted, setCounted] = useState<Counted>();
  const query = new URLSearchParams([...filter].filter(([name]) => name !== 'code_class')).toString();
  const path = endpoint ? `${pathOf('endpoints', endpoint.id)}/deliveries` : pathOf('deliveries');
  useEffect(() => {
    const controller = new AbortController();
    count(`${path}?${query}`, controller.signal).then(setCounted, () => undefined);
    return () => controller.abort();
  }, [path, query]);
  return counted;
}

async function count(path: string, signal: AbortSignal): Promise<Counted> {
  const { now } = await ask<{ now: string }>('/session', { signal });
  let cursor: string | null = '';
  let found = 0;
  for (let page = 0; page < PAGES && cursor !== null; page++) {
    const next: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { data, cursor: after }: DeliveryPage = await ask(`${path}&limit=${PAGE}${next}`, { signal });
    found += data.length;
    cursor = after;
  }
  return { count: found, more: cursor !== null, asOf: now };
}

const OVER = ['done', 'canceled'];

/** Goes on when the page is closed. */
export function JobProgress({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const [isOver, setOver] = useState(false);
  const view = useAsk<Job>(`/replay-jobs/${encodeURIComponent(id)}`, isOver ? undefined : 2_000);
  const { state, counts } = view.data ?? {};
  useEffect(() => {
    if (state === undefined || !OVER.includes(state)) return;
    setOver(true);
    onDone();
  }, [state, onDone]);
  const { problem, act: begin } = useAct();
  const steer = async (act: 'pause' | 'resume' | 'cancel'): Promise<void> => {
    await ask(`/replay-jobs/${encodeURIComponent(id)}/${act}`, { body: {} });
    view.reload();
  };
  return (
    <section class="banner" aria-label="Sending again">
      <span role="status">
        {state === 'done'
          ? `${grouped(counts?.replayed ?? 0)} are sent again.`
          : state === 'canceled'
            ? 'Canceled.'
            : `Sending again: ${grouped(counts?.replayed ?? 0)} so far. It goes on when you leave.`}
        {counts !== undefined && counts.skipped > 0 ? ` ${grouped(counts.skipped)} were left out.` : ''}
      </span>
      {isOver ? null : (
        <span class="actions">
          <Button
            word={state === 'paused' ? 'Resume' : 'Pause'}
            look="small"
            onClick={() => begin(() => steer(state === 'paused' ? 'resume' : 'pause'))}
          />
          <Button word="Cancel" look="small" onClick={() => begin(() => steer('cancel'))} />
        </span>
      )}
      {problem === undefined ? null : <Trouble of={problem} />}
    </section>
  );
}
