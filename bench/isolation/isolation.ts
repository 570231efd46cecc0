/** Benchmark (g): endpoints that hang, and what that does to the others; beside a plain queue in the same run. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { javaMissing } from '#test/adapters/contracts/java-services.ts';
import type { Bench, Figure, Section, Table } from '../report/section.ts';
import { startLocalStores } from './local-stores.ts';
import { PHASES, type Phase, type Scenario, type SystemResult } from './scenario.ts';
import { virtualHoldfast } from './virtual-holdfast.ts';
import { virtualPlainQueue } from './virtual-plain-queue.ts';

const DEADLINE_MS = 15_000;
const SEED = 1;

interface Plan {
  readonly virtual: readonly Scenario[];
  readonly local: readonly Scenario[];
}
interface Outcome {
  readonly scenario: Scenario;
  readonly ours: SystemResult;
  readonly plain: SystemResult;
}

/** 1, 10 and 100 of 1,000 endpoints. */
function planOf(quick: boolean): Plan {
  const on = (
    rest: Pick<Scenario, 'perSecond' | 'seconds' | 'slots'>,
    deaths: readonly (readonly [dead: number, share: number])[],
  ): readonly Scenario[] =>
    deaths.map(([dead, deadShare]) => ({
      ...{ ...rest, endpoints: 1_000, dead, deadShare, deadlineMs: DEADLINE_MS },
      name: `${dead} of 1,000, ${Math.round(deadShare * 100)} % of the traffic`,
    }));
  const slots = { fast: 150, slow: 50 };
  const local = { perSecond: 5, slots: { fast: 40, slow: 10 } };
  return quick
    ? {
        virtual: on({ perSecond: 100, slots, seconds: { before: 10, during: 40, after: 10 } }, [[10, 0.3]]),
        local: on({ ...local, seconds: { before: 20, during: 30, after: 5 } }, [[10, 0.5]]),
      }
    : {
        virtual: on({ perSecond: 290, slots, seconds: { before: 20, during: 60, after: 20 } }, [
          [1, 0.05],
          [10, 0.1],
          [100, 0.1],
        ]),
        local: on({ ...local, seconds: { before: 40, during: 60, after: 10 } }, [
          [1, 0.5],
          [10, 0.5],
          [100, 0.5],
        ]),
      };
}

export const measureIsolation: Bench = async ({ quick, say }): Promise<Section> => {
  const plan = planOf(quick);
  const virtual: Outcome[] = [];
  for (const scenario of plan.virtual) {
    say(`  virtual clock: ${scenario.name}`);
    const ours = await virtualHoldfast(scenario, SEED);
    virtual.push({ scenario, ours, plain: await virtualPlainQueue(scenario, SEED) });
    say(`  ${JSON.stringify(virtual.at(-1))}`);
  }
  const skipped: string[] = [];
  const local: Outcome[] = [];
  const missing = await javaMissing();
  if (missing === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'isolation-'));
    const stores = await startLocalStores(folder);
    try {
      for (const scenario of plan.local) {
        say(`  local stores: ${scenario.name}`);
        const plain = await stores.run('plain', scenario);
        local.push({ scenario, plain, ours: await stores.run('holdfast', scenario) });
        say(`  ${JSON.stringify(local.at(-1))}`);
      }
    } finally {
      await stores.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  } else skipped.push(`Not run on local stores: ${missing}.`);
  return report(virtual, local, skipped);
};

/**
 * Of a judge: what the p99 of healthy endpoints becomes on the virtual clock while ten of a thousand hang, over what it was
 * before.
 */
export async function measureTenHang(): Promise<Readonly<Record<string, number>>> {
  const scenario = planOf(false).virtual.find(it => it.dead === 10) as Scenario;
  return { virtualTen: overBefore(await virtualHoldfast(scenario, SEED)) };
}

const overBefore = ({ phases }: SystemResult): number => phases.during.p99 / phases.before.p99;

/** What may be added to the p99 of healthy endpoints: a tenth or 20 ms; with a hundred dead at once 100 ms. */
const allowedOver = (dead: number, before: number): number =>
  dead >= 100 ? before + 100 : Math.max(1.1 * before, before + 20);

const ms = (value: number): string => (Number.isNaN(value) ? '–' : `${Math.round(value).toLocaleString('en')} ms`);

function figureOf(where: string, { scenario, ours, plain }: Outcome): Figure {
  const [before, during] = [ours.phases.before.p99, ours.phases.during.p99];
  const limit = allowedOver(scenario.dead, before);
  const times = plain.phases.during.p99 / plain.phases.before.p99;
  return {
    name: `${where}: healthy p99 while ${scenario.name} hang`,
    value: `${ms(before)} → ${ms(during)}`,
    reference: `plain queue: ${ms(plain.phases.before.p99)} → ${ms(plain.phases.during.p99)} (${times.toFixed(0)} ×)`,
    target: scenario.dead >= 100 ? '≤ + 100 ms' : '≤ 1.1 × or + 20 ms',
    reached: during <= limit,
  };
}

function tableOf(title: string, outcomes: readonly Outcome[]): Table {
  const line = (name: string, system: string, result: SystemResult): readonly string[] => {
    const of = (phase: Phase): string => {
      const { p50, p99, p999, deliveries } = result.phases[phase];
      return `${[p50, p99, p999].map(each => Math.round(each)).join(' / ')} (${deliveries.toLocaleString('en')})`;
    };
    return [name, system, ...PHASES.map(of), `${result.missing}`, `${result.requestsToDead}`, `${result.slotsUsed}`];
  };
  return {
    title,
    head: ['that hang', 'system', ...PHASES, 'never begun', 'requests to the dead', 'slots, at most'],
    rows: outcomes.flatMap(({ scenario, ours, plain }) => [
      line(scenario.name, 'Holdfast', ours),
      line(scenario.name, 'plain queue', plain),
    ]),
  };
}

function report(virtual: readonly Outcome[], local: readonly Outcome[], skipped: readonly string[]): Section {
  const [first] = virtual;
  const [onStores] = local;
  const loads = `${first?.scenario.perSecond} deliveries a second there, ${onStores?.scenario.perSecond ?? 'none'} here`;
  const worst = (of: readonly Outcome[]): number => Math.max(0, ...of.map(({ ours }) => overBefore(ours)));
  return {
    id: 'g',
    title: '(g) Endpoints that hang',
    method: `1,000 endpoints; some of them take requests and never answer, and recover later. The figures are milliseconds from the 202 to the first byte at the healthy ones (p50 / p99 / p99.9, and how many), before, while and after the others hang. It is measured twice: the real functions over AWS in memory on a **virtual clock** (5 ms for each call of DynamoDB and SQS, answers log-normal with median 120 ms and p99 770 ms), where full load takes no real time and nothing disturbs it; and **the real bundles, sender and sockets on this machine**, over DynamoDB Local and ElasticMQ, one process for each function. ${loads}: the local stores cannot take more without queueing. The **plain queue** in the same run is what a team writes first: one queue, a message for each delivery, a function that sends a batch of ten side by side. It has the same deadline (15 s), as many slots as our two functions together (${(first?.scenario.slots.fast ?? 0) + (first?.scenario.slots.slow ?? 0)} there, ${(onStores?.scenario.slots.fast ?? 0) + (onStores?.scenario.slots.slow ?? 0)} here) and one hop instead of two.`,
    figures: [
      ...virtual.map(each => figureOf('virtual clock', each)),
      ...local.map(each => figureOf('local stores', each)),
    ],
    tables: [tableOf('Virtual clock', virtual), ...(local.length > 0 ? [tableOf('Local stores', local)] : [])],
    notes: [
      'The plain queue is faster while all is well: it has one hop and writes nothing. But it has no order of retries, no pause and no record.',
      'An endpoint that hangs takes one slot, once, for one deadline. Then its breaker is open, and probes go through the slow function. So slots are needed for the sessions in flight and for the endpoints that begin to hang within one deadline.',
      'On local stores a larger share of the traffic goes to endpoints that hang: at few deliveries a second, a smaller share would not fill the slots of the plain queue.',
      'On local stores both JVMs, five programs, the endpoints and everything else on the machine share two cores; the load is below. If p50 moves as well, the cause was the machine: endpoints that hang move only p99. After a call that timed out, its wake-up is hidden for 70 s. So trust the figures of the virtual clock, which nothing disturbs, and measure the others on a quiet machine.',
      ...skipped,
    ],
    numbers: { virtualWorst: worst(virtual), localWorst: worst(local) },
  };
}
