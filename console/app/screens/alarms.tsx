/** All alarms by state, and the runbook of the one that is open. */

import { shortAlarm } from '../../../core/words.ts';
import { grouped } from '../../../ui/grouped.ts';
import { Empty, Shown, State } from '../../../ui/parts.tsx';
import { visible } from '../../../ui/text.tsx';
import { Ago, duration } from '../../../ui/time.tsx';
import type { AlarmGraphView, AlarmRow } from '../../wire.ts';
import { Graph } from '../parts/graph.tsx';
import { useLoad } from '../parts/load.ts';
import { Markdown } from '../parts/markdown.tsx';
import { Link, usePlace } from '../parts/route.tsx';
import { session } from '../parts/session.ts';

export function Alarms() {
  const { query } = usePlace();
  const view = useLoad<{ alarms: readonly AlarmRow[] }>('/api/alarms', 15_000);
  return (
    <>
      <h1>Alarms</h1>
      <Shown of={view}>
        {({ alarms }) => {
          const named = query.get('runbook');
          const open =
            alarms.find(it => it.name === query.get('name')) ??
            (named === null ? alarms.find(it => it.state === 'ALARM') : undefined);
          const runbook = open?.runbook ?? named ?? undefined;
          if (alarms.length === 0 && runbook === undefined)
            return (
              <Empty title="No alarm is deployed here">
                <p>
                  The stacks create alarms. Set <code>alarms</code> of the environment in gateway.config.ts.
                </p>
              </Empty>
            );
          return (
            <div class="columns alarms">
              <nav class="card" aria-label="Alarms">
                <ul class="plain">
                  {alarms.map(alarm => (
                    <li key={alarm.name}>
                      <Link
                        href={`/alarms?name=${encodeURIComponent(alarm.name)}`}
                        aria-current={alarm === open ? 'true' : undefined}
                      >
                        <State of={stateOf(alarm)} />{' '}
                        <span>
                          {visible(shortOf(alarm.name))}{' '}
                          <small class="faint">{visible(/^(\w+): /.exec(alarm.description)?.[1] ?? '')}</small>
                        </span>
                      </Link>
                    </li>
                  ))}
                </ul>
              </nav>
              <section class="card guide">
                {open === undefined ? null : <Open alarm={open} all={alarms} key={open.name} />}
                {runbook === undefined ? (
                  <p class="faint">Choose an alarm to see what it means and the first command to run.</p>
                ) : (
                  <Runbook name={runbook} />
                )}
              </section>
            </div>
          );
        }}
      </Shown>
    </>
  );
}

/** What it watches, who is told, and what it saw last. */
function Open({ alarm, all }: { readonly alarm: AlarmRow; readonly all: readonly AlarmRow[] }) {
  return (
    <>
      <h2>{visible(shortOf(alarm.name))}</h2>
      <p>
        <State of={stateOf(alarm)} /> since <Ago at={alarm.since} />
      </p>
      <p>{visible(alarm.meaning)}</p>
      {alarm.told === undefined ? null : <p>{visible(alarm.told)}</p>}
      {alarm.watches === undefined ? <Judged name={alarm.name} /> : <Parts of={alarm.watches} all={all} />}
      {alarm.reason === '' ? null : <p class="faint">At its last change: {visible(alarm.reason)}</p>}
    </>
  );
}

const shortOf = (name: string): string => shortAlarm(name, session().environment);
const stateOf = ({ state, notice }: AlarmRow): string => (state === 'ALARM' && notice ? 'notice' : state);

/** Of one that combines others, these. */
function Parts({ of, all }: { readonly of: readonly string[]; readonly all: readonly AlarmRow[] }) {
  return (
    <>
      <p>It rings while one of these rings:</p>
      <ul class="plain">
        {of.map(name => (
          <li key={name}>
            <State of={all.find(it => it.name === name)?.state ?? 'INSUFFICIENT_DATA'} />{' '}
            <Link href={`/alarms?name=${encodeURIComponent(name)}`}>{visible(shortOf(name))}</Link>
          </li>
        ))}
      </ul>
    </>
  );
}

type Judgement = NonNullable<AlarmGraphView['graph']>;

const BREACHES: Readonly<Record<string, readonly [word: string, test: (value: number, threshold: number) => boolean]>> =
  {
    GreaterThanThreshold: ['above', (value, threshold) => value > threshold],
    GreaterThanOrEqualToThreshold: ['at or above', (value, threshold) => value >= threshold],
    LessThanThreshold: ['below', (value, threshold) => value < threshold],
    LessThanOrEqualToThreshold: ['at or below', (value, threshold) => value <= threshold],
  };

/** The numbers it judges, against its threshold. */
function Judged({ name }: { readonly name: string }) {
  const view = useLoad<AlarmGraphView>(`/api/alarms/${encodeURIComponent(name)}/graph`, 60_000);
  return (
    <Shown of={view}>
      {({ graph, now }) => {
        if (graph === undefined) return <p class="faint">CloudWatch has no alarm of this name any more.</p>;
        const { points, from, periodMs, threshold } = graph;
        const [, test] = BREACHES[graph.comparison] ?? [];
        const isBad = (value: number): boolean => threshold !== undefined && test?.(value, threshold) === true;
        const bad = points.filter(({ value }) => isBad(value)).length;
        return (
          <>
            <p class="faint">{ruleOf(graph)}</p>
            {points.length === 0 ? (
              <p class="faint">CloudWatch has no number for it in the last {duration(now - from)}.</p>
            ) : (
              <Graph
                {...{ points, from, periodMs, threshold, isBad }}
                until={now}
                label={`${points.length} values in the last ${duration(now - from)}, ${bad} of them breach the threshold`}
              />
            )}
          </>
        );
      }}
    </Shown>
  );
}

/** "In ALARM when 1 of 1 periods of 60 s is above 0; a period without a number counts as good." */
function ruleOf({ periods, needed, periodMs, comparison, threshold, missing }: Judgement): string {
  const [word = comparison] = BREACHES[comparison] ?? [];
  const what = threshold === undefined ? 'outside its usual band' : `${word} ${grouped(threshold)}`;
  const many =
    periods === 1
      ? `a period of ${duration(periodMs)} is`
      : `${needed} of ${periods} periods of ${duration(periodMs)} are`;
  const without = { breaching: 'counts as bad', notBreaching: 'counts as good', ignore: 'changes nothing' }[missing];
  return `In alarm when ${many} ${what}${without === undefined ? '' : `; a period without a number ${without}`}.`;
}

function Runbook({ name }: { readonly name: string }) {
  const view = useLoad<{ markdown: string }>(`/api/runbooks/${encodeURIComponent(name)}`);
  return <Shown of={view}>{({ markdown }) => <Markdown text={markdown} />}</Shown>;
}
