/** What died, as few lines: by source, cause and error, each with its newest event. */

import { useEffect, useState } from 'preact/hooks';
import { causeWords } from '../../../core/words.ts';
import { grouped } from '../../../ui/grouped.ts';
import { Ask, Button, Empty, Spark, State } from '../../../ui/parts.tsx';
import { visible } from '../../../ui/text.tsx';
import { Ago } from '../../../ui/time.tsx';
import type { DeadGroupRow, DeadView } from '../../wire.ts';
import { ask } from '../parts/api.ts';
import { onLive } from '../parts/live.ts';
import { ShownTold, useTold } from '../parts/reads.tsx';
import { ReplayMany } from '../parts/replay.tsx';
import { Link } from '../parts/route.tsx';
import { session } from '../parts/session.ts';

type What = 'replay' | 'purge' | 'close';

export function Dead() {
  const view = useTold<DeadView>('/api/dead', 15_000);
  const [asking, setAsking] = useState<{ group: DeadGroupRow; what: What }>();
  useEffect(
    () =>
      onLive(message => {
        if (message.kind === 'event' && message.row.status === 'dead_letter' && !view.isBegun) view.reload();
      }),
    [view.reload, view.isBegun],
  );
  return (
    <>
      <h1>Dead letters</h1>
      <ShownTold of={view}>
        {({ groups, total, inQueue }) => {
          if (groups.length === 0)
            return (
              <Empty title="Nothing is dead">
                <p>
                  An event that its handler cannot process ends here and waits for a person. Nothing is deleted: you can
                  run each one again.
                </p>
              </Empty>
            );
          return (
            <>
              <p class="faint">
                {grouped(total)} dead {total === 1 ? 'event' : 'events'} in {groups.length}{' '}
                {groups.length === 1 ? 'group' : 'groups'}
                {inQueue > total
                  ? `; the dead-letter queue holds about ${grouped(inQueue - total)} more messages that are settled`
                  : ''}
                {view.isBegun && view.loadedAt !== undefined ? (
                  <>
                    . Counted <Ago at={view.loadedAt} />{' '}
                    <Button word="Count again …" look="small" onClick={view.reload} />
                  </>
                ) : null}
              </p>
              <div class="groups" role="list">
                {groups.map(group => (
                  <Group key={keyOf(group)} group={group} ask={what => setAsking({ group, what })} />
                ))}
              </div>
            </>
          );
        }}
      </ShownTold>
      {asking?.what === 'replay' ? (
        <ReplayMany query={queryOf(asking.group)} onClose={() => setAsking(undefined)} />
      ) : null}
      {asking?.what === 'purge' || asking?.what === 'close' ? (
        <Settle
          {...asking}
          what={asking.what}
          count={countOf(asking.group, view.data?.groups ?? [])}
          onClose={() => setAsking(undefined)}
          onDone={view.reload}
        />
      ) : null}
    </>
  );
}

function keyOf(group: DeadGroupRow): string {
  return `${group.source}\n${group.cause}\n${group.pattern}`;
}

/** Its own events; those without an error have nothing else in common than their cause. */
function meantBy({ source, cause, pattern }: DeadGroupRow): Record<string, string> {
  return { source, cause, ...(pattern === '' ? {} : { error: pattern }) };
}

function queryOf(group: DeadGroupRow): string {
  return `${new URLSearchParams({ ...meantBy(group), status: 'dead_letter', since: '90d' })}`;
}

/** Of a group without an error: all of its source and cause. */
function countOf({ source, cause, pattern, count }: DeadGroupRow, groups: readonly DeadGroupRow[]): number {
  if (pattern !== '') return count;
  return groups.filter(it => it.source === source && it.cause === cause).reduce((sum, it) => sum + it.count, 0);
}

interface GroupProps {
  readonly group: DeadGroupRow;
  readonly ask: (what: What) => void;
}

function Group({ group, ask: askFor }: GroupProps) {
  const { source, cause, error, count, sample } = group;
  return (
    <div class="card group" role="listitem">
      <div class="group-head">
        <span class="count">{grouped(count)}</span>
        <div>
          <p class="who">
            <State of="dead_letter" /> <b>{visible(source)}</b> <span class="faint">{visible(causeWords(cause))}</span>
          </p>
          <p class="pattern">
            <code>{visible(error === '' ? 'no error was recorded' : error)}</code>
          </p>
        </div>
      </div>
      <Spark values={group.histogram.map(() => 0)} bad={group.histogram} label={`Deaths over time, ${count} in all`} />
      <p class="faint">
        first <Ago at={group.firstAt} />, last <Ago at={group.lastAt} />: {visible(sample.type)}, after{' '}
        {sample.attempts} {sample.attempts === 1 ? 'attempt' : 'attempts'}
      </p>
      <div class="group-foot">
        {session().readOnly ? null : <Button word="Replay …" look="primary" onClick={() => askFor('replay')} />}
        <Link class="button" href={`/events/${encodeURIComponent(sample.id)}`}>
          Open the newest
        </Link>
        <Link class="button" href={`/events?${queryOf(group)}`}>
          List
        </Link>
        {session().readOnly ? null : (
          <>
            <Button word="Close …" onClick={() => askFor('close')} />
            <Button word="Purge …" look="apart" onClick={() => askFor('purge')} />
          </>
        )}
      </div>
    </div>
  );
}

interface SettleProps {
  readonly what: 'close' | 'purge';
  readonly group: DeadGroupRow;
  readonly count: number;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function Settle({ what, group, count, onClose, onDone }: SettleProps) {
  const { source, cause, pattern } = group;
  const isClose = what === 'close';
  const settle = (typed: string): Promise<unknown> => {
    const body = { confirm: count, ...(isClose ? { why: typed } : {}) };
    return ask(`/api/dead/${what}?${new URLSearchParams(meantBy(group))}`, { body });
  };
  return (
    <Ask
      title={isClose ? 'Close without running them' : 'Purge their messages'}
      confirm={isClose ? `Close ${grouped(count)}` : `Delete up to ${grouped(count)} messages`}
      danger
      field={
        isClose
          ? { label: 'Why? The next person will read it', autofocus: true }
          : { label: `Type ${count} to confirm`, autofocus: true, fits: typed => typed === String(count) }
      }
      onConfirm={settle}
      {...{ onDone, onClose }}
    >
      <p>
        {isClose ? 'All dead letters' : 'Deletes the messages'} of {visible(source)} with cause “
        {visible(causeWords(cause))}”{pattern === '' ? ' ' : ' and this error '}
        {isClose ? (
          <>
            will not be replayed. They leave this list, the status and the alarm. The record of each stays, with who
            closed it and why. A replay reopens it.
          </>
        ) : (
          <>
            from the dead-letter queue. The events stay here and can be replayed, but a redrive of the queue will not
            bring them back.
          </>
        )}
      </p>
    </Ask>
  );
}
