/** Three awkward orders of events through each ordering strategy, as test/fixtures/ordering-timelines.txt has them. */
import { randomUUID } from 'node:crypto';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import { type GatewayUnderTest, pkOf } from './gateway-under-test.ts';
import type { OutsideWorld } from './outside-world.ts';

export const STRATEGIES = ['latest-wins', 'fetch-latest', 'state-machine'] as const;
type Strategy = (typeof STRATEGIES)[number];

interface Arrival {
  readonly type: string;
  /** Seconds after the first event, by the provider's clock. */
  readonly happened: number;
}

interface Scenario {
  readonly title: string;
  /** In the order in which they arrive. */
  readonly arrivals: readonly Arrival[];
  /** What the provider answers when it is asked. */
  readonly now: Arrival;
}

const paid = { type: 'invoice.paid', happened: 2 };
const cancelled = { type: 'subscription.cancelled', happened: 2 };
const finalized = { type: 'invoice.finalized', happened: 0 };
export const SCENARIOS: readonly Scenario[] = [
  {
    title: '`invoice.paid` before `invoice.created`',
    arrivals: [paid, { type: 'invoice.created', happened: 0 }, { type: 'invoice.finalized', happened: 1 }],
    now: paid,
  },
  {
    title: '`cancelled` before a late `updated`',
    arrivals: [{ type: 'subscription.created', happened: 0 }, cancelled, { type: 'subscription.updated', happened: 1 }],
    now: cancelled,
  },
  {
    title: 'Two events of one second, the later one first',
    arrivals: [finalized, { type: 'invoice.created', happened: 0 }],
    now: finalized,
  },
];

const stateOf = ({ type }: Arrival): string => type.replace(/^.*\./, '');

/** What became of each event, line by line, and the row at the end. Ids and times have names instead of values. */
async function runTimeline(
  gateway: GatewayUnderTest,
  outside: OutsideWorld,
  strategy: Strategy,
  { arrivals, now }: Scenario,
): Promise<string> {
  const entity = randomUUID();
  const base = Math.floor(Date.now() / 1_000) * 1_000 - 5_000;
  const timeOf = ({ happened }: Arrival): number => base + happened * 1_000;
  outside.orders.set(entity, { id: entity, status: stateOf(now), updated_at: new Date(timeOf(now)).toISOString() });

  let started: number | undefined;
  const lines: string[] = [];
  const names = new Map<string, string>();
  const note = ({ type }: Arrival, item: EventItem): void => {
    const endedAt = item.completedAt ?? Date.now();
    started ??= endedAt;
    const at = Math.round((endedAt - started) / 1_000);
    const why = item.status === 'deferred' ? item.lastError?.replace(/^deferred: /, '') : item.actionTaken;
    lines.push(`+${Math.max(0, at)} s  ${type}: ${item.status}, ${why}`);
  };
  const waiting: (() => Promise<void>)[] = [];
  for (const [index, arrival] of arrivals.entries()) {
    // The first to arrive has the largest id: what counts among equals, if nothing else does.
    const key = `${9 - index}-${entity}`;
    const pk = pkOf('default', key);
    names.set(`evt_default.${key}`, `the event ${stateOf(arrival)}`);
    const object = { id: entity, status: stateOf(arrival), plan: 'large', total: 100 };
    const body = JSON.stringify({
      event_id: key,
      event_type: `${strategy}.${arrival.type}`,
      created_at: new Date(timeOf(arrival)).toISOString(),
      data: { object },
    });
    await gateway.sendUntilAcknowledged('default', { body, headers: { 'content-type': 'application/json' } });
    const first = await gateway.waitFor(pk, item => isTerminal(item.status) || item.status === 'deferred');
    note(arrival, first);
    if (first.status === 'deferred') {
      waiting.push(async () => note(arrival, await gateway.waitUntilFinished(pk, 120_000)));
    }
  }
  for (const finish of waiting) await finish();
  const row = await gateway.row('Entities', entity);
  lines.push(`row: ${String(row?.['state'] ?? row?.['status'])}`);

  let text = lines.join('\n');
  for (const [id, name] of names) text = text.replaceAll(id, name);
  return text.replace(/\b1\d{12}\b/g, ms => `T+${(Number(ms) - base) / 1_000}s`);
}

/** What the blocks of a text hold. */
export const blocksOf = (text: string): readonly string[] =>
  [...text.matchAll(/^```\n(.*?)\n```$/gms)].map(match => match[1] ?? '');

/** The blocks of the fixture, in its order: by scenario, then by strategy. */
export async function runTimelines(gateway: GatewayUnderTest, outside: OutsideWorld): Promise<readonly string[]> {
  return await Promise.all(
    SCENARIOS.flatMap(scenario => STRATEGIES.map(strategy => runTimeline(gateway, outside, strategy, scenario))),
  );
}

/** Without what no two runs have alike: how long each step took. */
export function maskSeconds(text: string): string {
  return text.replace(/^\+\d+ s/gm, '+… s');
}
