/** What an environment costs without a single event: the counted lines behind docs/operate/costs.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ALARM_LEVELS = ['all', 'essential', 'none'] as const;
export type AlarmLevel = (typeof ALARM_LEVELS)[number];

export interface FixedCost {
  readonly item: string;
  readonly dollars: number;
}

/** Lines of `prod` as shipped, by level of alarms. Written by `npm run write` (test/lib/synth/idle-cost.ts). */
export type FixedCosts = Readonly<Record<AlarmLevel, readonly FixedCost[]>>;

export const FIXED_COSTS_FILE = join(import.meta.dirname, 'fixed-costs.json');

export function fixedCosts(alarms: AlarmLevel): readonly FixedCost[] {
  const all = JSON.parse(readFileSync(FIXED_COSTS_FILE, 'utf8')) as FixedCosts;
  return all[alarms].map(({ item, dollars }) => ({ item: `fixed: ${item}`, dollars }));
}
