/** SIGKILL of one program after the other at random instants, under load from a sender that retries. */
import { setTimeout as sleep } from 'node:timers/promises';
import { untilProcessed } from '#test/kit/processes/effects.ts';
import { type LoadOptions, sendSteadily } from '#test/kit/processes/load.ts';
import type { RunningSystem } from '#test/kit/processes/system.ts';

export interface Losses {
  readonly kills: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly doubled: number;
}

/** Kills each program but the stores in turn, `kills` times in all, while the load lasts, and counts what is missing. */
export async function killStorm(system: RunningSystem, load: LoadOptions, kills: number): Promise<Losses> {
  const sending = sendSteadily(system.url, load);
  for (let n = 0; n < kills; n += 1) {
    await sleep(Math.random() * ((2_000 * load.seconds) / kills) * 0.9);
    await system.kill(system.roles[n % system.roles.length] ?? '');
  }
  const acknowledged = (await sending).filter(it => it.acceptedAt !== undefined);
  const effects = await untilProcessed(system, acknowledged);
  return {
    kills,
    acknowledged: acknowledged.length,
    lost: acknowledged.filter(it => !effects.has(it.id)).length,
    doubled: acknowledged.filter(it => (effects.get(it.id)?.times ?? 0) > 1).length,
  };
}
