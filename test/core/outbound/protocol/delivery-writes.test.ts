/** The conditions of W1 to W28, as a table of verdicts: what each write finds, and whether it may go on. */
import { expect, test } from 'vitest';
import { holds } from '#core/condition.ts';
import type { Item, ItemUpdate, ItemWrite } from '#core/outbound/ports.ts';
import * as builders from '#core/outbound/protocol/delivery-writes.ts';
import type { EndpointItem, MessageItem, RecordItem, RuntimeItem, SecretsItem } from '#core/outbound/protocol/items.ts';
import { checkWrites, noting, type Row, type WriteVerdicts } from './write-verdicts.ts';

const noted = noting(builders);
const { writes } = noted;
const NOW = 1_000_000;
const RULES = { now: NOW, retentionMs: 1_000 };
const runtime = (given: Partial<RuntimeItem>): RuntimeItem =>
  ({ ep: 'ep_1', app: 'app_1', gate: 'open', ...given }) as RuntimeItem;
const delivery = (gen: number) => ({ ep: 'ep_1', msg: 'msg_1', createdAt: 1, app: 'app_1', gen }) as const;
const outcome = { ...RULES, last: { at: 1, ms: 1, class: 'ok' } } as const;
const act = (by: 'operator' | 'customer' = 'operator') => ({ by, why: 'test', now: NOW });
const endpoint = { id: 'ep_1', app: 'app_1', version: 3, uid: 'u' } as unknown as EndpointItem;
const take = { me: 'me', now: NOW, leaseUntil: NOW + 60_000, toEnd: false };
const replayOf = (given: object) =>
  writes.replay(
    delivery(1),
    { gen: 1 } as RecordItem,
    { replayId: 'r2', by: 'x', now: NOW, alsoRetrying: false, ...given },
    1_000,
  );
const waiting = { ...delivery(1), row: 'live' } as const;
const replayed = (given: object) => replayOf(given)[writes.REPLAY_WRITES.record];
const at = (list: readonly ItemWrite[], index: number): ItemWrite => list[index] as ItemWrite;

const NOTHING = undefined;
const open1: readonly Row[] = [
  [NOTHING, true],
  [{ pk: 'D', gen: 1, status: 'retrying' }, true],
  [{ pk: 'D', gen: 1, status: 'pending' }, true],
  [{ pk: 'D', gen: 1, status: 'delivered' }, false],
  [{ pk: 'D', gen: 2, status: 'pending' }, false],
];
const open2: readonly Row[] = [
  [NOTHING, false],
  [{ pk: 'D', gen: 2, status: 'pending' }, true],
  [{ pk: 'D', gen: 2, status: 'dead' }, false],
  [{ pk: 'D', gen: 3, status: 'pending' }, false],
];
const owned: readonly Row[] = [
  [{ owner: 'me' }, true],
  [{ owner: 'other' }, false],
  [{}, false],
];

const TABLE: readonly WriteVerdicts[] = [
  {
    name: 'W1 put message',
    write: writes.putMessage({ id: 'msg_1' } as unknown as MessageItem),
    rows: [
      [NOTHING, true],
      [{ pk: 'M' }, false],
    ],
  },
  {
    name: 'W20 remove the body',
    write: writes.removeBody('msg_1', NOW),
    rows: [
      [{ pk: 'M' }, true],
      [{ pk: 'M', bodyRemovedAt: 1 }, false],
      [NOTHING, false],
    ],
  },
  {
    name: 'W23 copy a message',
    write: at(writes.copyMessage({ id: 'msg_2' } as unknown as MessageItem, 'msg_1'), writes.COPY_WRITES.copy),
    rows: [
      [NOTHING, true],
      [{ pk: 'M' }, false],
    ],
  },
  {
    name: 'W23 copy a message: the original',
    write: at(writes.copyMessage({ id: 'msg_2' } as unknown as MessageItem, 'msg_1'), writes.COPY_WRITES.original),
    rows: [
      [{ pk: 'M' }, true],
      [{ pk: 'M', bodyRemovedAt: 1 }, false],
      [NOTHING, false],
    ],
  },
  {
    name: 'W26 count what was read',
    write: writes.countRead(runtime({ hours: 'h:1.0' }), 2, 'h:3.0', NOW),
    rows: [
      [{ pulled: true, hours: 'h:1.0' }, true],
      [{ pulled: true, hours: 'h:2.0' }, false],
      [{ hours: 'h:1.0' }, false],
    ],
  },
  {
    name: 'W26 count what was read first',
    write: writes.countRead(runtime({}), 2, 'h:2.0', NOW),
    rows: [
      [{ pulled: true }, true],
      [{ pulled: true, hours: 'h:1.0' }, false],
      [NOTHING, false],
    ],
  },
  {
    name: 'W24 fix the members of a batch: the lease',
    write: at(
      writes.fixBatches({ ep: 'ep_1', me: 'me' }, [], undefined, { now: NOW, retentionMs: 1 }),
      writes.BATCH_WRITES.lease,
    ),
    rows: [
      [{ owner: 'me' }, true],
      [{ owner: 'other' }, false],
      [{}, false],
    ],
  },
  {
    name: 'W3 take a free lease',
    write: writes.takeLease(runtime({}), take),
    rows: [
      [{ gate: 'open' }, true],
      [{ gate: 'open', owner: 'other' }, false],
      [{ gate: 'open', leaseUntil: NOW + 1 }, false],
      [{ gate: 'paused' }, false],
      [{ gate: 'open', holdUntil: NOW + 2_000 }, true],
      [{ gate: 'open', holdUntil: NOW + 2_001 }, false],
    ],
  },
  {
    name: 'W3 take a lease that is over',
    write: writes.takeLease(runtime({ owner: 'dead', leaseUntil: NOW - 1 }), take),
    rows: [
      [{ gate: 'open', owner: 'dead', leaseUntil: NOW - 1 }, true],
      [{ gate: 'open', owner: 'quicker', leaseUntil: NOW - 1 }, false],
      [{ gate: 'open', owner: 'dead', leaseUntil: NOW + 5 }, false],
      [{ gate: 'disabled', owner: 'dead', leaseUntil: NOW - 1 }, false],
      [{ gate: 'open', owner: 'dead', leaseUntil: NOW - 1, holdUntil: NOW }, true],
      [{ gate: 'open', owner: 'dead', leaseUntil: NOW - 1, holdUntil: NOW + 60_000 }, false],
    ],
  },
  { name: 'W4 renew', write: writes.renewLease('ep_1', 'me', NOW), rows: owned },
  {
    name: 'W10 release',
    write: writes.releaseLease('ep_1', 'me', { state: {}, died: 0, wakeAt: undefined, now: NOW }),
    rows: owned,
  },
  { name: 'W10 release, crashed', write: writes.releaseCrashed('ep_1', 'me', NOW, NOW + 1), rows: owned },
  {
    name: 'W11 clear the wake',
    write: writes.clearWake('ep_1'),
    rows: [
      [{ gate: 'paused' }, true],
      [{ gate: 'disabled' }, true],
      [{ gate: 'open' }, false],
      [{ gate: 'deleted' }, false],
      [{ gate: 'open', pulled: true }, true],
      [{ gate: 'deleted', pulled: true }, false],
    ],
  },
  { name: 'W5 delivered, first generation', write: writes.recordEnd(delivery(1), 'delivered', outcome), rows: open1 },
  { name: 'W5 delivered, a replay', write: writes.recordEnd(delivery(2), 'delivered', outcome), rows: open2 },
  {
    name: 'W6 second failure',
    write: writes.recordFailure(delivery(1), 2, NOW, outcome),
    rows: [
      ...open1,
      [{ pk: 'D', gen: 1, status: 'retrying', attempts: 1 }, true],
      [{ pk: 'D', gen: 1, status: 'retrying', attempts: 2 }, false],
    ],
  },
  {
    name: 'W21 a wait after a first failure',
    write: writes.recordWait(delivery(1), undefined, { nextAt: NOW, waits: 1 }, outcome),
    rows: [...open1, [{ pk: 'D', gen: 1, status: 'retrying', attempts: 1 }, false]],
  },
  {
    name: 'W21 a wait after a second failure',
    write: writes.recordWait(delivery(1), 1, { nextAt: NOW, waits: 1 }, outcome),
    rows: [
      [{ pk: 'D', gen: 1, status: 'retrying', attempts: 1 }, true],
      [{ pk: 'D', gen: 1, status: 'retrying', attempts: 2 }, false],
      [{ pk: 'D', gen: 1, status: 'delivered', attempts: 1 }, false],
      [{ pk: 'D', gen: 2, status: 'retrying', attempts: 1 }, false],
    ],
  },
  { name: 'W9 cannot be read', write: writes.recordUnreadable(delivery(1), outcome), rows: open1 },
  { name: 'W9 ends unsent', write: writes.recordUnsent(delivery(1), 'expired', RULES), rows: open1 },
  {
    name: 'W12 pause, by the customer',
    write: writes.closeGate('ep_1', 'paused', act('customer')),
    rows: [
      [{ gate: 'open' }, true],
      [{ gate: 'paused', gateBy: 'customer' }, true],
      [{ gate: 'paused', gateBy: 'operator' }, false],
      [{ gate: 'disabled' }, false],
      [{ gate: 'deleted' }, false],
    ],
  },
  {
    name: 'W12 disable, by an operator',
    write: writes.closeGate('ep_1', 'disabled', act()),
    rows: [
      [{ gate: 'paused', gateBy: 'operator' }, true],
      [{ gate: 'disabled' }, true],
      [{ gate: 'deleted' }, false],
    ],
  },
  {
    name: 'W13 resume, by the customer',
    write: writes.openPaused('ep_1', act('customer')),
    rows: [
      [{ gate: 'paused', gateBy: 'customer' }, true],
      [{ gate: 'paused', gateBy: 'operator' }, false],
      [{ gate: 'disabled' }, false],
      [{ gate: 'deleted' }, false],
    ],
  },
  {
    name: 'W14 a session disables',
    write: writes.disableOwned('ep_1', 'me', 'gone', NOW),
    rows: [
      [{ gate: 'open', owner: 'me' }, true],
      [{ gate: 'open', owner: 'other' }, false],
      [{ gate: 'deleted', owner: 'me' }, false],
    ],
  },
  {
    name: 'W15 enable, by the customer',
    write: writes.enable('ep_1', act('customer')),
    rows: [
      [{ gate: 'disabled', gateBy: 'system' }, true],
      [{ gate: 'disabled', gateBy: 'operator' }, false],
      [{ gate: 'paused' }, false],
      [{ gate: 'deleted' }, false],
    ],
  },
  {
    name: 'W16 delete: application',
    write: at(writes.deleteEndpoint(endpoint, { ...act(), expiresAt: 1 }), 0),
    rows: [
      [{ state: 'active' }, true],
      [{ state: 'erasing' }, true],
      [NOTHING, false],
    ],
  },
  {
    name: 'W16 delete: endpoint',
    write: at(writes.deleteEndpoint(endpoint, { ...act(), expiresAt: 1 }), 1),
    rows: [
      [{ version: 3 }, true],
      [{ version: 4 }, false],
      [{ version: 3, deletedAt: 1 }, false],
      [NOTHING, false],
    ],
  },
  {
    name: 'W16 delete: runtime',
    write: at(writes.deleteEndpoint(endpoint, { ...act(), expiresAt: 1 }), 2),
    rows: [
      [{ gate: 'disabled' }, true],
      [{ gate: 'deleted' }, false],
      [NOTHING, false],
    ],
  },
  {
    name: 'W17 replay',
    write: replayed({}),
    rows: [
      [{ gen: 1, status: 'dead' }, true],
      [{ gen: 1, status: 'delivered', replayId: 'r1' }, true],
      [{ gen: 2, status: 'dead' }, false],
      [{ gen: 1, status: 'retrying' }, false],
      [{ gen: 1, status: 'pending' }, false],
    ],
  },
  {
    name: 'W17 note of the request',
    write: at(replayOf({}), writes.REPLAY_WRITES.note),
    rows: [
      [NOTHING, true],
      [{ pk: 'T', gen: 2 }, false],
    ],
  },
  {
    name: 'W17 try now',
    write: replayed({ alsoRetrying: true }),
    rows: [
      [{ gen: 1, status: 'retrying' }, true],
      [{ gen: 1, status: 'pending' }, false],
      [{ gen: 2, status: 'retrying' }, false],
    ],
  },
  {
    name: 'W17 replay by a job',
    write: replayed({ asOf: 500 }),
    rows: [
      [{ gen: 1, status: 'dead' }, true],
      [{ gen: 1, status: 'dead', replayedAt: 499 }, true],
      [{ gen: 1, status: 'dead', replayedAt: 500 }, false],
      [{ gen: 2, status: 'dead' }, false],
      [{ gen: 1, status: 'pending' }, false],
    ],
  },
  {
    name: 'W18 try now',
    write: writes.tryNow('ep_1', NOW),
    rows: [
      [{ gate: 'open' }, true],
      [{ gate: 'paused' }, false],
    ],
  },
  {
    name: 'W27 import a delivery that is not there',
    write: at(writes.importDelivery(waiting, NOTHING, RULES), writes.IMPORT_WRITES.record),
    rows: [
      [NOTHING, true],
      [{ pk: 'D', gen: 1, status: 'delivered' }, false],
    ],
  },
  {
    name: 'W27 import what became of one that is there',
    write: at(writes.importDelivery(waiting, { gen: 1, status: 'retrying' }, RULES), writes.IMPORT_WRITES.record),
    rows: [
      [{ gen: 1, status: 'retrying' }, true],
      [{ gen: 1, status: 'delivered' }, false],
      [{ gen: 2, status: 'retrying' }, false],
      [NOTHING, false],
    ],
  },
  {
    name: 'W27 import a delivery that waits: its gate',
    write: at(writes.importDelivery(waiting, NOTHING, RULES), writes.IMPORT_WRITES.gate),
    rows: [
      [{ gate: 'paused' }, true],
      [{ gate: 'disabled' }, true],
      [{ gate: 'open' }, false],
      [{ gate: 'deleted' }, false],
      [NOTHING, false],
    ],
  },
  {
    name: 'W22 a change is counted',
    write: writes.noteChange('ep_1'),
    rows: [
      [{ pk: 'R' }, true],
      [NOTHING, false],
    ],
  },
  {
    name: 'W19 create: application',
    write: at(writes.createEndpoint(endpoint, {} as SecretsItem, runtime({}), 5), 0),
    rows: [
      [{ state: 'active', endpoints: 4 }, true],
      [{ state: 'active', endpoints: 5 }, false],
      [{ state: 'erasing', endpoints: 4 }, false],
    ],
  },
  {
    name: 'W19 create: endpoint',
    write: at(writes.createEndpoint(endpoint, {} as SecretsItem, runtime({}), 5), 1),
    rows: [
      [NOTHING, true],
      [{ pk: 'A' }, false],
    ],
  },
  {
    name: 'W19 create: name',
    write: at(writes.createEndpoint(endpoint, {} as SecretsItem, runtime({}), 5), 4),
    rows: [
      [NOTHING, true],
      [{ pk: 'U', id: 'ep_1' }, true],
      [{ pk: 'U', id: 'ep_2' }, false],
    ],
  },
  {
    name: 'W19 change: endpoint',
    write: at(writes.changeEndpoint(endpoint, 3), 1),
    rows: [
      [{ version: 3 }, true],
      [{ version: 4 }, false],
      [{ version: 3, deletedAt: 1 }, false],
    ],
  },
  {
    name: 'W19 change: application',
    write: at(writes.changeEndpoint(endpoint, 3), 0),
    rows: [
      [{ state: 'active' }, true],
      [{ state: 'erasing' }, false],
    ],
  },
];

// Holds W1, W3, W4, W5, W6, W9, W10, W11, W12, W13, W14, W15, W16, W17, W18, W19, W20, W21, W22, W23, W24, W26, W27: their conditions.
checkWrites(TABLE, noted, ['liveRow', 'noteRows', 'retryRow', 'tombstoneOf']);

test('a write that is repeated changes nothing: refused, or the same again', () => {
  const apply = (write: ItemUpdate<never>, item: Item | undefined): Item | undefined => {
    if (write.condition && !holds(write.condition, item)) return item;
    const after: Record<string, unknown> = { pk: 'x', ...item, ...(write.set as Item | undefined) };
    for (const name of (write.remove ?? []) as string[]) delete after[name];
    return after;
  };
  const starts: readonly (Item | undefined)[] = TABLE.flatMap(({ rows }) => rows.map(([item]) => item));
  const updates = TABLE.map(({ write }) => write as ItemUpdate<never>).filter(({ kind }) => kind === 'update');
  expect(updates.length).toBeGreaterThan(15);
  for (const write of updates) {
    for (const item of starts) expect(apply(write, apply(write, item))).toEqual(apply(write, item));
  }
});
