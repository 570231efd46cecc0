/**
 * How often an application may do what reaches out by itself, or leaves something behind: whoever has a token of a customer
 * must not make us call somebody else's server at will, and must not fill what all applications share.
 */
import type { ItemStore, TableKey } from '#core/outbound/ports.ts';
import { type Counter, countUpTo } from '#core/outbound/protocol/control-writes.ts';
import type { Clock } from '#core/ports.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time.ts';

const KEPT_SECONDS = 3_600;

interface Limit {
  /** Of the counter, behind the beginning of keys that the portal may write. */
  readonly name: string;
  readonly most: number;
  readonly periodMs: number;
  readonly told: string;
}
const LIMITS = {
  test: {
    name: '',
    most: 10,
    periodMs: MINUTE_MS,
    told: 'tests a minute for each application: wait for the next minute',
  },
  trial: {
    ...{ name: 'trial#', most: 10, periodMs: MINUTE_MS },
    told: 'trial requests a minute for each application: wait for the next minute',
  },
  /** A deleted endpoint is kept as long as its deliveries, and whoever fans out reads it. */
  endpoint: {
    ...{ name: 'made#', most: 200, periodMs: DAY_MS },
    told: 'new endpoints a day for each application: wait for the next day, or ask the sender of these webhooks',
  },
  confirmation: {
    ...{ name: 'confirm#', most: 3, periodMs: HOUR_MS },
    told: 'confirmations of contacts an hour for each application: wait for the next hour',
  },
  /** Counted for the address, whoever gives it. */
  mail: {
    ...{ name: 'mail#', most: 1, periodMs: DAY_MS },
    told: 'confirmation a day for each address: look for the mail, or wait for the next day (UTC)',
  },
} as const satisfies Readonly<Record<string, Limit>>;

export type LimitedCall = keyof typeof LIMITS;
/** Counts one more of an application or address; what to say where that is above the limit. */
export async function countCall(
  { store, clock }: { readonly store: Pick<ItemStore, 'update'>; readonly clock: Clock },
  what: LimitedCall,
  whose: string,
): Promise<string | undefined> {
  const { name, most, periodMs, told }: Limit = LIMITS[what];
  const period = Math.floor(clock.now() / periodMs);
  const key: TableKey<Counter> = { table: 'registry', pk: `C#test#${name}${whose}#${period}`, sk: 'META' };
  const expiresAt = Math.ceil(((period + 1) * periodMs) / 1_000) + KEPT_SECONDS;
  const counted = await store.update(countUpTo(key, most, expiresAt));
  return counted.kind === 'refused' ? `at most ${most} ${told}` : undefined;
}
