/** The first screen: one true sentence, what needs a person, and each source. */

import { given } from '#core/given.ts';
import { type AllTraffic, readTraffic } from '#operator/events/traffic.ts';
import { describeSweeper, isSweeperLate } from '#operator/health/sweeper.ts';
import { readSystem, type SystemView } from '#operator/health/system-view.ts';
import type { Operator } from '#operator/operator.ts';
import { listSources, type SourceView } from '#operator/sources/list-sources.ts';
import type { AlarmRow, NowView, SourceRow } from '../wire.ts';
import { alarmRow, jobRow } from './rows.ts';

export async function describeNow(operator: Operator): Promise<NowView> {
  const [system, traffic, views] = await Promise.all([
    readSystem(operator),
    readTraffic(operator),
    listSources(operator),
  ]);
  const now = operator.clock.now();
  const alarms = (system.alarms ?? [])
    .filter(alarm => alarm.state === 'ALARM')
    .map(alarm => alarmRow(alarm, operator.environment));
  const sources = rowsOf(operator, traffic, views);
  const { unfinished, received, main } = system;
  return {
    ...headline(system, alarms, sources, now),
    numbers: {
      received: received?.['1h'].count ?? 0,
      capped: received?.['1h'].capped ?? false,
      waiting: waitingIn(main),
      inFlight: main?.hidden ?? 0,
      unfinished: unfinished?.count ?? 0,
      unfinishedCapped: unfinished?.capped ?? false,
      ...given({ oldestAt: unfinished?.oldestAt }),
      dead: system.openDeadLetters ?? 0,
    },
    needs: needsIn(system, alarms, sources, now),
    sources,
    alarms,
    jobs: (system.jobs ?? []).map(jobRow),
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
      ...given({ lastAt: flow?.lastAt }),
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
  const { openDeadLetters: dead = 0 } = system;
  return [
    ...(dead > 0 ? [`${dead.toLocaleString('en')} dead ${dead === 1 ? 'letter needs' : 'letters need'} a person`] : []),
    ...alarms.filter(alarm => !alarm.notice).map(alarm => `alarm ${alarm.runbook}`),
    ...sources.filter(it => it.state === 'paused').map(it => `${it.id} is paused`),
    ...(system.sweeper && isSweeperLate(system.sweeper, now) ? [describeSweeper(system.sweeper, now)] : []),
    // Numbers of what was not read are shown as 0: this sentence keeps the page from saying that all is well.
    ...system.unread.map(({ part, why }) => `${part} cannot be read: ${why}`),
  ];
}

function headline(
  system: SystemView,
  alarms: readonly AlarmRow[],
  sources: readonly SourceRow[],
  now: number,
): Pick<NowView, 'sentence' | 'mood' | 'next'> {
  const { openDeadLetters: dead = 0, received, main, pauses } = system;
  const [first] = needsIn(system, alarms, sources, now);
  if (first !== undefined) {
    const alarm = alarms.find(it => !it.notice);
    const [paused] = Object.keys(pauses ?? {});
    const next =
      dead > 0
        ? { text: 'See what died', href: '/dead' }
        : alarm !== undefined
          ? { text: 'Open the alarm', href: `/alarms?name=${encodeURIComponent(alarm.name)}` }
          : paused !== undefined
            ? { text: `Open ${paused}`, href: `/sources/${encodeURIComponent(paused)}` }
            : system.unread.length > 0
              ? { text: 'See the alarms', href: '/alarms' }
              : { text: 'Read the runbook', href: '/alarms?runbook=sweep-not-running' };
    return {
      sentence: `${first[0]?.toUpperCase()}${first.slice(1)}`,
      mood: dead > 0 || alarm ? 'trouble' : 'notice',
      next,
    };
  }
  const { capped = false, count: whole = 0 } = received?.['1h'] ?? {};
  const count = `${capped ? 'over ' : ''}${whole.toLocaleString('en')}`;
  const waiting = waitingIn(main);
  return {
    sentence: `All is well: ${count} received in the last hour, ${waiting.toLocaleString('en')} waiting, 0 dead`,
    mood: 'well',
  };
}

function waitingIn(main: SystemView['main']): number {
  return main === undefined ? 0 : main.visible + main.delayed;
}
