/** The first screen: one true sentence, what needs a person, and each source. */

import { given } from '#core/given.ts';
import { HOUR_MS } from '#core/time.ts';
import { sharedReads } from '#operator/events/shared-reads.ts';
import { type AllTraffic, readTraffic } from '#operator/events/traffic.ts';
import { type Need, needsOf } from '#operator/health/needs.ts';
import { readSystem, type SystemView } from '#operator/health/system-view.ts';
import type { Operator } from '#operator/operator.ts';
import { countRefused, listRefused, type RefusedCount } from '#operator/refused/refused.ts';
import { listSources, type SourceView } from '#operator/sources/list-sources.ts';
import type { NowView, SourceRow } from '../wire.ts';
import { alarmRow, jobRow } from './rows.ts';

export async function describeNow(operator: Operator): Promise<NowView> {
  const already = await sharedReads(operator);
  const [system, traffic, views] = await Promise.all([
    readSystem(operator, already),
    readTraffic(operator, already),
    listSources(operator, already),
  ]);
  const now = operator.clock.now();
  const alarms = (system.alarms ?? [])
    .filter(alarm => alarm.state === 'ALARM')
    .map(alarm => alarmRow(alarm, operator.environment));
  const sources = rowsOf(operator, traffic, views, system.refused ?? []);
  const needs = needsOf(system, now);
  const { unfinished, received, main } = system;
  return {
    ...headline(system, needs),
    numbers: {
      received: received?.['1h'].count ?? 0,
      capped: received?.['1h'].capped ?? false,
      waiting: waitingIn(main),
      inFlight: main?.hidden ?? 0,
      unfinished: unfinished?.count ?? 0,
      unfinishedCapped: unfinished?.capped ?? false,
      unfinishedAbout: unfinished?.estimated ?? false,
      ...given({ oldestAt: unfinished?.oldestAt }),
      dead: system.openDeadLetters ?? 0,
      deadCapped: system.deadLettersCapped ?? false,
      ...given({ deadAt: system.deadLettersAt }),
    },
    needs,
    sources,
    alarms,
    jobs: (system.jobs ?? []).map(jobRow),
    now,
  };
}

/** Each source as a row, with what was read for it. */
export async function readSources(operator: Operator): Promise<{
  readonly rows: readonly SourceRow[];
  readonly views: readonly SourceView[];
  readonly refused: readonly RefusedCount[];
}> {
  const since = operator.clock.now() - HOUR_MS;
  const [traffic, views, requests] = await Promise.all([
    readTraffic(operator),
    listSources(operator),
    listRefused(operator, { sources: operator.sourceIds, since }),
  ]);
  const refused = countRefused(requests);
  return { rows: rowsOf(operator, traffic, views, refused), views, refused };
}

function rowsOf(
  operator: Operator,
  traffic: AllTraffic,
  views: readonly SourceView[],
  refused: readonly RefusedCount[],
): readonly SourceRow[] {
  return views.map(view => {
    const { spec } = operator.source(view.id);
    const flow = traffic.sources.find(it => it.source === view.id);
    return {
      id: view.id,
      title: spec.title,
      url: view.url,
      state: stateOf(view, flow?.lastAt),
      ...(view.paused === undefined
        ? {}
        : { pausedBy: view.paused.by, pausedWhy: view.paused.why, pausedSince: view.paused.since }),
      accepted: flow?.accepted ?? [],
      ...given({ cappedAt: traffic.cappedAt }),
      died: flow?.died ?? [],
      open: flow?.open ?? 0,
      more: flow?.more ?? false,
      refused: refused.reduce((sum, { source, count }) => sum + (source === view.id ? count : 0), 0),
      ...given({ lastAt: flow?.lastAt }),
    };
  });
}

function stateOf(view: SourceView, lastAt: number | undefined): SourceRow['state'] {
  if (view.paused !== undefined) return 'paused';
  if (view.secret === 'empty' || view.secret === 'absent' || view.secret === 'malformed') return 'no secret';
  if (view.secret === 'pairing') return 'pairing';
  return lastAt === undefined ? 'silent' : 'receiving';
}

function headline(
  { received, main }: SystemView,
  [first]: readonly Need[],
): Pick<NowView, 'sentence' | 'mood' | 'next'> {
  if (first !== undefined) {
    const { text, isNotice, next } = first;
    if (!isNotice) return { sentence: `Needs a person: ${text}`, mood: 'trouble', next };
    return { sentence: `${text[0]?.toUpperCase()}${text.slice(1)}`, mood: 'notice', next };
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
