/** Finds the smallest setting that still fails: fewer kinds of trouble, then fewer days, then fewer events. */
import type { SimulationOptions } from './run-simulation.ts';

const MIN_DAYS = 0.25;
const MIN_EVENTS_PER_DAY = 50;

export async function shrink(
  failing: SimulationOptions,
  fails: (options: SimulationOptions) => Promise<boolean>,
): Promise<SimulationOptions> {
  let smallest = failing;
  for (const trouble of failing.troubles) {
    const troubles = new Set([...smallest.troubles].filter(name => name !== trouble));
    if (await fails({ ...smallest, troubles })) smallest = { ...smallest, troubles };
  }
  for (;;) {
    const days = smallest.days / 2;
    if (days < MIN_DAYS || !(await fails({ ...smallest, days }))) break;
    smallest = { ...smallest, days };
  }
  for (;;) {
    const eventsPerDay = Math.floor(smallest.eventsPerDay / 2);
    if (eventsPerDay < MIN_EVENTS_PER_DAY || !(await fails({ ...smallest, eventsPerDay }))) return smallest;
    smallest = { ...smallest, eventsPerDay };
  }
}
