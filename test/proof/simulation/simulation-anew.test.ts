/** A seed gives one run, whatever its process has read before: this file has a process for itself. */
import { expect, it } from 'vitest';
import { HOUR_MS } from '#core/time.ts';
import { type SimulationReport, simulate } from './run-simulation.ts';
import { TROUBLES } from './weather.ts';

it('gives the same run for the same seed, also where nothing has been read on demand yet', async () => {
  const region = { timings: { deferLimitMs: 6 * HOUR_MS } };
  const options = { seed: 55, days: 0.1, eventsPerDay: 250, troubles: new Set(TROUBLES), region };
  const [first, second] = [await simulate(options), await simulate(options)];
  const facts = ({ totals, faults, traffic, ledger, looks }: SimulationReport) => ({
    totals,
    traffic,
    ledger,
    faults: [...faults],
    looks: [...looks],
  });
  expect(facts(first)).toEqual(facts(second));
});
