import type { Random } from '#core/ports.ts';
import { DAY_MS, MINUTE_MS } from '#core/time.ts';
import { ENVIRONMENTS } from './inputs.ts';

interface Environment {
  freeAt: number;
  readonly bornAt: number;
}

/** A quiet night and a busy noon: between a quarter and seven quarters of the mean. */
const dayCurve = (ms: number): number => 1 - 0.75 * Math.cos((2 * Math.PI * ms) / DAY_MS);

export interface Traffic {
  readonly eventsPerDay: number;
  /** Bursts of `factor` times the mean, `seconds` long each, spread over the day. */
  readonly bursts: { readonly count: number; readonly factor: number; readonly seconds: number };
}

/**
 * The share of invocations that find no free environment in a day of arrivals by chance (Poisson) along the day's curve
 * and its bursts. The environment used last is taken first, so that surplus ones grow idle and are taken away.
 */
export function coldShare(traffic: Traffic, busyMs: number, random: Random): number {
  const mean = traffic.eventsPerDay / DAY_MS;
  const peak = mean * Math.max(1.75, traffic.bursts.factor);
  const environments: Environment[] = [];
  let [now, invocations, cold] = [0, 0, 0];
  while (now < DAY_MS) {
    now += -Math.log(1 - random.next()) / (isBurst(now, traffic) ? peak : mean * 1.75);
    const rate = isBurst(now, traffic) ? peak : mean * dayCurve(now);
    if (random.next() > rate / (isBurst(now, traffic) ? peak : mean * 1.75)) continue;
    invocations += 1;
    if (!takeEnvironment(environments, now, busyMs)) cold += 1;
  }
  return cold / invocations;
}

function isBurst(now: number, { bursts }: Traffic): boolean {
  if (bursts.count === 0) return false;
  const period = DAY_MS / bursts.count;
  return now % period > period / 2 && now % period < period / 2 + bursts.seconds * 1_000;
}

/** False: a new environment had to be made. */
function takeEnvironment(environments: Environment[], now: number, busyMs: number): boolean {
  for (let at = environments.length - 1; at >= 0; at--) {
    const { freeAt, bornAt } = environments[at] as Environment;
    const idleMinutes = (now - freeAt) / MINUTE_MS;
    const lifeMinutes = (now - bornAt) / MINUTE_MS;
    if (idleMinutes > ENVIRONMENTS.idleMinutes || (freeAt <= now && lifeMinutes > ENVIRONMENTS.lifeMinutes)) {
      environments.splice(at, 1);
    }
  }
  let free: Environment | undefined;
  for (const each of environments) if (each.freeAt <= now && (!free || each.freeAt > free.freeAt)) free = each;
  if (free) free.freeAt = now + busyMs;
  else environments.push({ freeAt: now + busyMs, bornAt: now });
  return free !== undefined;
}
