/** Benchmark (g): endpoints that hang, and what that does to the others; beside a plain queue in the same run. */
import { javaMissing } from '#test/adapters/contracts/java-services.ts';
import { inFolder } from '../measure/in-folder.ts';
import type { Bench, Figure, Section } from '../report/section.ts';
import { startBoth } from './local-stores.ts';
import type { Scenario, SystemResult } from './scenario.ts';
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
  const onStores = async (folder: string): Promise<void> => {
    const stores = await startBoth(folder);
    try {
      for (const scenario of plan.local) {
        say(`  local stores: ${scenario.name}`);
        const plain = await stores.run('plain', scenario);
        local.push({ scenario, plain, ours: await stores.run('holdfast', scenario) });
        say(`  ${JSON.stringify(local.at(-1))}`);
      }
    } finally {
      await stores.stop();
    }
  };
  if (missing === undefined) await inFolder(onStores);
  else skipped.push(`Not run on local stores: ${missing}.`);
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
    name: `${where}: ${scenario.name}`,
    value: `${ms(before)} → ${ms(during)}, ${ours.slotsUsed} slots`,
    reference: `${ms(plain.phases.before.p99)} → ${ms(plain.phases.during.p99)} (${times.toFixed(0)} ×)`,
    target: scenario.dead >= 100 ? '≤ + 100 ms' : '≤ 1.1 × or + 20 ms',
    reached: during <= limit,
  };
}

function report(virtual: readonly Outcome[], local: readonly Outcome[], skipped: readonly string[]): Section {
  const [first] = virtual;
  const [onStores] = local;
  return {
    id: 'g',
    title: '(g) Endpoints that hang',
    method: `p99 from the 202 to the first byte at the healthy of 1,000 endpoints, before others hang → while they do; most runs at once. Virtual clock: the functions in memory, ${first?.scenario.perSecond} deliveries a second, answers of 120 ms. Local stores: the bundles, DynamoDB Local and ElasticMQ, ${onStores?.scenario.perSecond ?? 'none'} a second. Beside: one plain queue, batches of ten, as many slots.`,
    figures: [
      ...virtual.map(each => figureOf('virtual clock', each)),
      ...local.map(each => figureOf('local stores', each)),
    ],
    notes: [
      'An endpoint that hangs takes one slot for one deadline; then its breaker is open, and trial requests go through the slow function.',
      'Local stores share two cores with both JVMs and all programs: trust the virtual clock.',
      ...skipped,
    ],
  };
}
