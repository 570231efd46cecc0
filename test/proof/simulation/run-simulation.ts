/** One seeded run, and what is worth knowing of it. */
// What a function reads on demand is read before: the first reading takes time that no virtual clock has.
import '#adapters/crypto/public-keys.ts';
import '#core/verification/on-demand.ts';
import { DAY_MS } from '#core/time.ts';
import type { RegionOptions } from './region.ts';
import { SimulatedWorld } from './simulated-world.ts';
import type { Trouble } from './weather.ts';

export interface SimulationOptions {
  readonly seed: number;
  readonly days: number;
  readonly eventsPerDay: number;
  readonly troubles: ReadonlySet<Trouble>;
  readonly region?: Partial<RegionOptions>;
}

export type SimulationReport = Awaited<ReturnType<typeof simulate>>;

/** Runs some virtual days of providers, handlers, people and trouble, then calm, then the verdict. */
export async function simulate(options: SimulationOptions) {
  const began = performance.now();
  const cpuBegan = process.cpuUsage();
  const world = new SimulatedWorld(options);
  const startedAt = world.clock.now();
  const totals = await world.run();
  const { ledger, telemetry } = world.region;
  const cpu = process.cpuUsage(cpuBegan);
  return {
    options,
    totals,
    complaints: ledger.complaints,
    /** Complaints in all; the list has the first ones. */
    wrong: ledger.wrong,
    looks: ledger.looks,
    faults: world.weather.counts,
    faultsInAll: world.weather.total,
    traffic: world.traffic.counts,
    people: world.people.counts,
    deadCauses: ledger.deadCauses,
    ledger: ledger.counts,
    duplicates: telemetry.total('Duplicate'),
    leasesLost: telemetry.total('LeaseLost'),
    unrecordedAccepted: telemetry.total('UnrecordedAccepted'),
    resent: telemetry.total('SweeperResent'),
    virtualDays: (world.clock.now() - startedAt) / DAY_MS,
    tookMs: performance.now() - began,
    /** Processor time of the whole process meanwhile. */
    cpuMs: (cpu.user + cpu.system) / 1_000,
  };
}
