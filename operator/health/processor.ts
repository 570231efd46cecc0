/** Whether messages are taken from the queue at all: the brake for every source at once. */
import type { Operator } from '#operator/operator.ts';

export async function readProcessor(
  operator: Operator,
): Promise<{ readonly state: string; readonly running: boolean }> {
  const state = await (await operator.gateway()).processor.state();
  return { state, running: isRunning(state) };
}

/** Takes effect within seconds (stop) or a minute (start). Events are accepted all the time. */
export async function switchProcessor(operator: Operator, running: boolean): Promise<void> {
  await (await operator.gateway()).processor.set(running);
}

/** `Enabled` and `Enabling`, `Creating` and `Updating` end well by themselves. */
export function isRunning(state: string): boolean {
  return !['Disabled', 'Disabling', 'Deleting'].includes(state);
}
