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

/** `0.51 + 0.38`: each program's median in milliseconds. */
function byProgram({ rounds }: Outcome): string {
  const names = Object.keys(rounds[0]?.programs ?? {});
  return names
    .map(name => `${name} ${(median(rounds.map(it => it.programs[name] ?? Number.NaN)) / 1_000).toFixed(2)}`)
    .join(', ');
}

/** Of the systems that ran; `skipped` says which did not, and why. */
export function reportSideBySide(outcomes: readonly Outcome[], skipped: readonly string[], plan: Plan): Section {
  const ours = outcomes.filter(it => it.system === holdfast);
  const peers = outcomes.filter(it => !ours.includes(it));
  const durable = peers.filter(it => it.system.durable);
  const cpu = ours.map(
    (each): Figure => ({
      name: `CPU of the programs for an event: ${each.system.name}`,
      value: `${durable.map(peer => `${ratio(each, peer).toFixed(1)} × ${peer.system.name}`).join('; ')} (${(median(programs(each)) / 1_000).toFixed(2)} ms)`,
      reference: durable
        .map(peer => `${peer.system.name}: ${(median(programs(peer)) / 1_000).toFixed(2)} ms`)
        .join('; '),
      target: 'reported',
    }),
  );
  const kills = ours.map(
    ({ system, losses }): Figure => ({
      name: `lost, and effects twice, in ${losses.kills} kills: ${system.name}`,
      value: `${losses.lost} and ${losses.doubled}`,
      reference: peers.map(it => `${it.system.name}: ${it.losses.lost} and ${it.losses.doubled}`).join('; '),
      target: '0 and 0',
      reached: losses.lost === 0 && losses.doubled === 0,
    }),
  );
  return {
    id: 'd',
    title: '(d) Side by side',
    method: `All systems run on one core, the generator on the other. Events of 5 KB, unique ids, ${plan.duplicates * 100} % sent twice, HMAC-SHA256 verified by all. The CPU (user and system, from /proc) is that of the programs that receive and process. The stores' CPU is left out. Each system first gets as many events as four connections carry, until its CPU per event stops falling: then programs and stores are warm. Then all are at rest for ${plan.restSeconds} s, and the CPU that a program uses there is subtracted. Then ${plan.rounds} rounds: ${plan.perSecond} events a second for ${plan.roundSeconds} s, one system after the other. A round in which an event was refused is repeated. Ratios are the medians of the ratios of each round. Then a sender that retries sends ${plan.perSecond} events a second for ${plan.killSeconds} s, while each program except the stores is killed (SIGKILL) and started again, ${plan.kills} times in all. Ours are the real handlers in their bundles, one process for each function, over stand-ins for DynamoDB and SQS.`,
    figures: [...cpu, ...kills],
    tables: [
      {
        title: 'Each system',
        head: [
          'system',
          'on disk at the 200',
          'CPU ms per event, median [quartiles]',
          'by program',
          'CPU ms a second at rest',
          'its store, not counted: CPU ms per event',
          'not answered with 200 (rounds repeated)',
          'kills: acknowledged / lost / twice',
        ],
        rows: outcomes.map(each => [
          each.system.name,
          each.system.synced,
          showSpread(spreadOf(programs(each).map(it => it / 1_000)), 2),
          byProgram(each),
          (sum(each.rest.programs) * 1_000).toFixed(1),
          ours.includes(each) ? 'a stand-in for AWS' : (median(each.rounds.map(it => it.stores)) / 1_000).toFixed(2),
          `${each.rounds.reduce((all, it) => all + it.refused, 0)} (${each.repeated})`,
          `${each.losses.acknowledged} / ${each.losses.lost} / ${each.losses.doubled}`,
        ]),
      },
    ],
    notes: [
      'Latency and throughput are not compared: ours would be the figures of DynamoDB Local and ElasticMQ, which are made for tests. (f) predicts latency on AWS, and (e) what breaks first.',
      'Ours does more: each event is four requests to DynamoDB and one to SQS, as signed HTTP with JSON. Postgres and Redis have a binary connection that stays open. Ours also compresses the body, and the record keeps its timeline. On Lambda the programs cost nothing at rest, except the sweeper and the nightly audit (c).',
      `Counted with ours, though on AWS the service does it: taking messages from the queue and deleting them. That is two bare requests for each batch, which at this rate mostly holds one event. Not counted, because it comes 20 to 80 s later: the sweeper reads each arrival twice, which takes ${LOOKS_MICROS} µs (\`node bench/sweep/sweep-rate.ts\`).`,
      ...skipped,
    ],
    numbers: {
      ...Object.fromEntries(
        ours.flatMap(each => {
          const name = 'sdk';
          return [
            [`${name}CpuMs`, median(programs(each)) / 1_000],
            [`${name}Lost`, each.losses.lost],
            [`${name}Doubled`, each.losses.doubled],
            ...durable.map((peer, n) => [`${name}OverPeer${n + 1}`, ratio(each, peer)]),
          ];
        }),
      ),
    },
  };
}
