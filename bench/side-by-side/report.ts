/** Section (d) of bench/RESULTS.md. */
import { SWEEPER_PER_CORE } from '#core/config/sweeper-speed.ts';
import type { System } from '#test/kit/processes/system.ts';
import { showSpread, spreadOf } from '../measure/statistics.ts';
import type { Figure, Section } from '../report/section.ts';
import { type Rest, type Round, sum } from './cpu-per-event.ts';
import { holdfast } from './holdfast.ts';
import type { Losses } from './kill-storm.ts';
import type { Plan } from './plan.ts';

export interface Outcome {
  readonly system: System;
  readonly rest: Rest;
  readonly rounds: readonly Round[];
  /** Rounds that were measured again, since an event was refused. */
  readonly repeated: number;
  readonly losses: Losses;
}

const LOOKS_MICROS = Math.round(2e6 / SWEEPER_PER_CORE.arrivals);
const programs = ({ rounds }: Pick<Outcome, 'rounds'>): readonly number[] => rounds.map(it => sum(it.programs));
const median = (values: readonly number[]): number => spreadOf(values).median;
/** Round by round, so that both met the same neighbours. */
export const ratio = (ours: Pick<Outcome, 'rounds'>, peer: Pick<Outcome, 'rounds'>): number => {
  const theirs = programs(peer);
  return median(programs(ours).map((each, n) => each / (theirs[n] ?? Number.NaN)));
};

/** Of the systems that ran; `skipped` says which did not, and why. */
export function reportSideBySide(outcomes: readonly Outcome[], skipped: readonly string[], plan: Plan): Section {
  const ours = outcomes.filter(it => it.system === holdfast);
  const [first] = ours;
  const peers = outcomes.filter(it => !ours.includes(it));
  const durable = peers.filter(it => it.system.durable);
  const kills = ours.map(
    ({ losses }): Figure => ({
      name: `lost, and effects twice, in ${losses.kills} kills`,
      value: `${losses.lost} and ${losses.doubled}`,
      reference: peers.map(it => `${it.system.name}: ${it.losses.lost} and ${it.losses.doubled}`).join('; '),
      target: '0 and 0',
      reached: losses.lost === 0 && losses.doubled === 0,
    }),
  );
  const repeated = outcomes.filter(it => it.repeated > 0).map(it => `${it.system.name} ${it.repeated}`);
  return {
    id: 'd',
    title: '(d) Side by side',
    method: `All systems on one core; 5 KB events, ${plan.duplicates * 100} % sent twice, HMAC-SHA256 verified by all. CPU is that of the programs, without stores and rest: ${plan.rounds} rounds of ${plan.perSecond} events a second for ${plan.roundSeconds} s. Then a sender that retries sends ${plan.perSecond * plan.killSeconds} events while programs are killed ${plan.kills} times. Ours are the bundles, over stand-ins for AWS.`,
    figures: kills,
    tables: [
      {
        title: 'Each system',
        head: [
          'system',
          'on disk at the 200',
          'CPU ms per event',
          'ours, over it',
          'CPU ms a second at rest',
          'CPU ms of its store',
        ],
        rows: outcomes.map(each => [
          each.system.name,
          each.system.synced,
          showSpread(spreadOf(programs(each).map(it => it / 1_000)), 2),
          first === undefined || !durable.includes(each) ? '' : `${ratio(first, each).toFixed(1)} ×`,
          (sum(each.rest.programs) * 1_000).toFixed(1),
          ours.includes(each) ? 'AWS' : (median(each.rounds.map(it => it.stores)) / 1_000).toFixed(2),
        ]),
      },
    ],
    notes: [
      'Latency and throughput are not compared: ours would be those of stores made for tests.',
      'Ours does more: five signed HTTP requests for each event; it packs the body and keeps a timeline.',
      `Counted with ours, though AWS does it: receiving and deleting messages. Not counted: the sweeper reads each arrival twice, later, in ${LOOKS_MICROS} µs.`,
      ...(repeated.length === 0 ? [] : [`Rounds repeated, because an event was refused: ${repeated.join(', ')}.`]),
      ...skipped,
    ],
    numbers: Object.fromEntries(
      ours.flatMap(each => durable.map((peer, n) => [`sdkOverPeer${n + 1}`, ratio(each, peer)])),
    ),
  };
}
