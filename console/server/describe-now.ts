/** The first screen: one true sentence, what needs a person, and each source. */
import { listSources, type SourceView } from '#operator/list-sources.ts';
import type { Operator } from '#operator/operator.ts';
import { isSweeperLate, readSystem, type SystemView } from '#operator/system-view.ts';
import { type AllTraffic, readTraffic } from '#operator/traffic.ts';
import type { AlarmRow, NowView, SourceRow } from '../wire.ts';
import { alarmRow, jobRow } from './rows.ts';

export async function describeNow(operator: Operator): Promise<NowView> {
  const [system, traffic, views] = await Promise.all([
    readSystem(operator),
    readTraffic(operator),
    listSources(operator),
  ]);
  const now = operator.clock.now();
  const alarms = system.alarms
    .filter(alarm => alarm.state === 'ALARM')
    .map(alarm => alarmRow(alarm, operator.environment));
  const sources = rowsOf(operator, traffic, views);
  const { unfinished } = system;
  return {
    ...headline(system, alarms, sources, now),
    numbers: {
      received: system.received['1h'].count,
      capped: system.received['1h'].capped,
      waiting: system.main.visible + system.main.delayed,
      inFlight: system.main.hidden,
      unfinished: unfinished.count,
      unfinishedCapped: unfinished.capped,
      ...(unfinished.oldestAt === undefined ? {} : { oldestAt: unfinished.oldestAt }),
      dead: system.openDeadLetters,
    },
    needs: needsIn(system, alarms, sources, now),
    sources,
    alarms,
    jobs: system.jobs.map(jobRow),
    ...(system.sweptUntil === undefined ? {} : { sweptUntil: system.sweptUntil }),
    now,
  };
}

export async function sourceRows(operator: Operator): Promise<readonly SourceRow[]> {
  const [traffic, views] = await Promise.all([readTraffic(operator), listSources(operator)]);
  return rowsOf(operator, traffic, views);
}

function rowsOf(operator: Operator, traffic: AllTraffic, views: readonly SourceView[]): readonly SourceRow[] {
  return views.map(view => {
    const { spec, dryRun } = operator.source(view.id);
    const flow = traffic.sources.find(it => it.source === view.id);
    return {
      id: view.id,
      provider: view.provider,
      title: spec.title,
      url: view.url,
      state: stateOf(view, dryRun, flow?.lastAt),
      ...(view.paused === undefined
        ? {}
        : { pausedBy: view.paused.by, pausedWhy: view.paused.why, pausedSince: view.paused.since }),
      accepted: flow?.accepted ?? [],
      died: flow?.died ?? [],
      ...(flow?.lastAt === undefined ? {} : { lastAt: flow.lastAt }),
    };
  });
}

function stateOf(view: SourceView, dryRun: boolean, lastAt: number | undefined): SourceRow['state'] {
  if (view.paused !== undefined) return 'paused';
  if (view.secret === 'empty' || view.secret === 'absent') return 'no secret';
  if (view.secret === 'pairing') return 'pairing';
  if (dryRun) return 'dry run';
  return lastAt === undefined ? 'silent' : 'receiving';
}

/** What a person is needed for, the gravest first. A source that waits for its first secret is no emergency. */
function needsIn(
  system: SystemView,
  alarms: readonly AlarmRow[],
  sources: readonly SourceRow[],
  now: number,
): readonly string[] {
  const { openDeadLetters: dead } = system;
  return [
    ...(dead > 0 ? [`${dead.toLocaleString('en')} dead ${dead === 1 ? 'letter needs' : 'letters need'} a person`] : []),
    ...alarms.filter(alarm => !alarm.notice).map(alarm => `alarm ${alarm.runbook}`),
    ...sources.filter(it => it.state === 'paused').map(it => `${it.id} is paused`),
    ...(isSweeperLate(system, now) ? ['the sweeper has not run for three minutes'] : []),
  ];
}

function headline(
  system: SystemView,
  alarms: readonly AlarmRow[],
  sources: readonly SourceRow[],
  now: number,
): Pick<NowView, 'sentence' | 'mood' | 'next'> {
  const { openDeadLetters: dead, received, main, pauses } = system;
  const [first] = needsIn(system, alarms, sources, now);
  if (first !== undefined) {
    const alarm = alarms.find(it => !it.notice);
    const [paused] = Object.keys(pauses);
    const next =
      dead > 0
        ? { text: 'See what died', href: '/dead' }
        : alarm !== undefined
          ? { text: 'Open the alarm', href: `/alarms?name=${encodeURIComponent(alarm.name)}` }
          : paused !== undefined
            ? { text: `Open ${paused}`, href: `/sources/${encodeURIComponent(paused)}` }
            : { text: 'Read the runbook', href: '/alarms?runbook=sweep-not-running' };
    return {
      sentence: `${first[0]?.toUpperCase()}${first.slice(1)}`,
      mood: dead > 0 || alarm ? 'trouble' : 'notice',
      next,
    };
  }
  const count = `${received['1h'].capped ? 'over ' : ''}${received['1h'].count.toLocaleString('en')}`;
  const waiting = main.visible + main.delayed;
  return {
    sentence: `All is well: ${count} received in the last hour, ${waiting.toLocaleString('en')} waiting, 0 dead`,
    mood: 'well',
  };
}
