/** The conditions of C1 to C14, as a table of verdicts; and that no condition of sending is made anywhere else. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ItemWrite } from '#core/outbound/ports.ts';
import * as builders from '#core/outbound/protocol/control-writes.ts';
import type { ApplicationItem, ControlItem, ReplayJobItem } from '#core/outbound/protocol/items.ts';
import { controlKey } from '#core/outbound/protocol/keys.ts';
import { checkWrites, noting, type Row, type WriteVerdicts } from './write-verdicts.ts';

const noted = noting(builders);
const { writes } = noted;
const NOW = 1_000_000;
const NOTHING = undefined;
const application = { id: 'app_1', uid: 'u', name: 'one' } as unknown as ApplicationItem;
const job = { id: 'job_1', createdAt: 1, version: 3 } as unknown as ReplayJobItem;
const erasure = controlKey('erase#app_1');
const at = (list: readonly ItemWrite[], index: number): ItemWrite => list[index] as ItemWrite;
const tend = { me: 'me', now: NOW, until: NOW + 70_000, value: '{}' };

const isFree: readonly Row[] = [
  [NOTHING, true],
  [{ pk: 'X' }, false],
];
const asRead: readonly Row[] = [
  [{ version: 3 }, true],
  [{ version: 4 }, false],
  [NOTHING, false],
];

const TABLE: readonly WriteVerdicts[] = [
  { name: 'C1 create an application', write: at(writes.createApplication(application), 0), rows: isFree },
  { name: 'C1 create an application: its name', write: at(writes.createApplication(application), 2), rows: isFree },
  {
    name: 'C2 change an application',
    write: writes.changeApplication('app_1', { set: { name: 'two' } }),
    rows: [
      [{ state: 'active' }, true],
      [{ state: 'erasing' }, false],
      [NOTHING, false],
    ],
  },
  {
    name: 'C2 change an application as it was read',
    write: writes.changeApplication('app_1', { set: { keyId: 'signature' } }, { signature: 't-v1', keyId: undefined }),
    rows: [
      [{ state: 'active', signature: 't-v1' }, true],
      [{ state: 'active', signature: 'standard' }, false],
      [{ state: 'active', signature: 't-v1', keyId: 'none' }, false],
      [{ state: 'erasing', signature: 't-v1' }, false],
    ],
  },
  {
    name: 'C3 revoke a first token',
    write: writes.changeRevoked('app_1', undefined, 'a:1'),
    rows: [
      [{ state: 'active' }, true],
      [{ state: 'active', tokensRevoked: 'b:1' }, false],
      [{ state: 'erasing' }, false],
      [NOTHING, false],
    ],
  },
  {
    name: 'C3 revoke another token',
    write: writes.changeRevoked('app_1', 'a:1', 'a:1,b:1'),
    rows: [
      [{ state: 'active', tokensRevoked: 'a:1' }, true],
      [{ state: 'active', tokensRevoked: 'a:1,c:1' }, false],
      [{ state: 'erasing', tokensRevoked: 'a:1' }, false],
    ],
  },
  { name: 'C4 change secrets', write: writes.changeSecrets('ep_1', 3, []), rows: asRead },
  {
    name: 'C5 count up to a limit',
    write: writes.countUpTo({ table: 'registry', pk: 'C#test#1', sk: 'META' }, 10, 1),
    rows: [
      [NOTHING, true],
      [{ count: 9 }, true],
      [{ count: 10 }, false],
    ],
  },
  {
    name: 'C6 close an application',
    write: writes.closeApplication('app_1'),
    rows: [
      [{ state: 'active' }, true],
      [{ state: 'erasing' }, true],
      [NOTHING, false],
    ],
  },
  {
    name: 'C7 begin an erasure',
    write: writes.beginErasure(erasure, { value: '{}', version: 1 } satisfies ControlItem),
    rows: isFree,
  },
  {
    name: 'C8 go on with an erasure',
    write: writes.keepErasurePlace(erasure, 3, { value: '{}', over: false }),
    rows: asRead,
  },
  { name: 'C9 put a replay job', write: writes.putReplayJob(job), rows: isFree },
  { name: 'C10 steer a replay job', write: writes.steerReplayJob(job, 'paused', NOW), rows: asRead },
  {
    name: 'C11 go on with a replay job',
    write: writes.keepReplayPlace(job, NOW, {
      counts: { seen: 1, replayed: 1, skipped: 0 },
      cursor: 'x',
      nextDueAt: NOW,
    }),
    rows: asRead,
  },
  {
    name: 'C12 take the lease of tend, for the first time',
    write: writes.takeTend(0, tend),
    rows: isFree,
  },
  {
    name: 'C12 take the lease of tend',
    write: writes.takeTend(3, tend),
    rows: [
      [{ version: 3 }, true],
      [{ version: 3, until: NOW - 1 }, true],
      [{ version: 3, until: NOW }, false],
      [{ version: 4 }, false],
    ],
  },
  {
    name: 'C13 give the lease of tend back',
    write: writes.giveBackTend('me', '{}'),
    rows: [
      [{ owner: 'me' }, true],
      [{ owner: 'other' }, false],
      [{}, false],
    ],
  },
  { name: 'C14 put first contacts', write: writes.putContacts('app_1', 0, [], undefined), rows: isFree },
  { name: 'C14 change contacts', write: writes.putContacts('app_1', 3, [], NOW), rows: asRead },
];

checkWrites(TABLE, noted, []);

test('no condition of sending is made outside protocol/', () => {
  const folder = join(import.meta.dirname, '../../../../core/outbound');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts'));
  const makers = files.filter(name => /import \{.*core\/condition\.ts/.test(readFileSync(join(folder, name), 'utf8')));
  expect(makers.toSorted()).toEqual(['protocol/control-writes.ts', 'protocol/delivery-writes.ts']);
});
