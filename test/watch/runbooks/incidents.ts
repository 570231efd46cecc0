/** For each runbook: how its incident is made, the alarm that rings, and what its first command then shows. */
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { Runbook } from '#lib/alarms/runbooks.ts';
import { outputOf } from '#local/stacks/gateway-address.ts';
import { pkOf } from '#test/e2e/gateway-under-test.ts';
import type { BrokenGateway } from './broken-gateway.ts';

export type Lane = 'receiving' | 'sweeper';

export interface Incident {
  /** Takes the time that it takes; the answer, if there is one, takes the cause away. */
  readonly make: (place: BrokenGateway) => Promise<undefined | (() => Promise<unknown>)>;
  readonly alarm: string;
  /** What stands on the page, word for word, and what of it the first command shows. */
  readonly says: string;
  readonly shows: RegExp;
  /** What a person knows from the alarm's name. */
  readonly source?: string;
  /** Those of a lane happen one after another, because they would disturb each other. @default at once, before all lanes */
  readonly lane?: Lane;
}

/** Why it cannot be made on one machine. */
interface Elsewhere {
  readonly elsewhere: string;
}

/** How it can be made here; nobody has followed it yet. */
interface Unmade {
  readonly unmade: string;
}

export const INCIDENTS: Readonly<Record<Runbook, Incident | Elsewhere | Unmade>> = {
  'dead-letters': {
    make: async place => {
      const key = await place.send('default', 'drill.dies', { data: { behave: 'die' } });
      await place.gateway.waitFor(pkOf('default', key), ({ status }) => status === 'dead_letter');
    },
    alarm: 'process-new-dead-letters',
    says: '`permanent`',
    shows: /drill\.dies +permanent/,
  },
  'handlers-fail': {
    make: place => place.everySecond(5, () => place.send('failing', 'drill.throws', { data: { behave: 'throw' } })),
    alarm: 'process-handler-only-fails',
    says: 'a line `failing`',
    shows: /failing +.*drill\.throws/,
  },
  'events-wait': {
    make: async place => {
      const undo = await place.disableMapping('Process');
      for (let n = 0; n < 3; n++) await place.send('default', 'drill.waits');
      return undo;
    },
    alarm: 'process-queue-age',
    says: 'the processor is stopped',
    shows: /processor is stopped/,
    lane: 'receiving',
  },
  'processor-crashes': {
    unmade: "a deploy without its table's name, and direct calls, since the local AWS counts no error of its queues",
  },
  'events-overdue': {
    make: place => place.misdeploy({ EVENTS_TABLE: 'nowhere' }, 'Sweep'),
    alarm: 'sweep-not-running',
    says: '`sweeper` is wrong',
    shows: /WRONG +sweeper/,
    lane: 'sweeper',
  },
  'paused-too-long': {
    make: async place => {
      await place.holdfast('pause', 'resting', '--why', 'their database moves', '--yes');
      await place.send('resting', 'drill.rests');
    },
    alarm: 'sweep-paused-too-long',
    says: '`sources ls` has name and reason',
    shows: /resting.*ada.*their database moves/s,
  },
  'providers-get-errors': { unmade: 'a deploy of ingest with the name of a table that is not there' },
  'throttled-tables': { elsewhere: 'the local AWS throttles no table and has no metric of one' },
  'no-concurrency': { unmade: 'a reserved concurrency of 0' },
  'too-many-requests': { elsewhere: 'the API of the local AWS limits nothing and writes no access log' },
  'wrong-secret': {
    make: async place => {
      for (let n = 0; n < 3; n++) await place.send('rotated', 'drill.fine');
      await place.everySecond(90, () => place.send('rotated', 'drill.refused', { secret: 'another', expected: 401 }));
    },
    alarm: 'ingest-signature-failures-rotated',
    says: '`mismatch` of genuine requests',
    shows: /mismatch/,
    source: 'rotated',
  },
  'silent-source': {
    make: async place => {
      await place.holdfast('send', 'github', '--wait', '30');
    },
    alarm: 'ingest-silent-source-github',
    says: 'Enable it at the provider',
    shows: /ago +github +push/,
    source: 'github',
  },
  probe: { unmade: 'the mapping of the processor, disabled' },
  'odd-events': {
    make: async place => {
      const key = await place.send('default', 'drill.twice');
      await place.send('default', 'drill.twice', { key, data: { other: true } });
    },
    alarm: 'ingest-payload-conflicts',
    says: 'one id, two bodies',
    shows: /conflict +.*one event id arrived with two bodies/,
  },
  audit: {
    make: async place => {
      await place.holdfast('pause', 'keyless', '--why', 'an audit', '--yes');
      await place.loseBody(await place.send('keyless', 'drill.lost'));
      await place.holdfast('run', 'audit');
    },
    alarm: 'audit-ledger-mismatch',
    says: '`payload_missing`',
    shows: /payload_missing/,
  },
  'missing-deliveries': {
    elsewhere: 'a provider is asked at a public https address only, and none is on this machine',
  },
  'clocks-and-metrics': { unmade: 'a handler that sets the clock of its process' },
  'sending-falls-behind': { unmade: 'the mapping of fan-out, disabled' },
  'sending-lost-work': {
    make: async place => {
      const QueueUrl = outputOf(place.gateway.stacks, 'JobsQueueUrl');
      await place.gateway.clients.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'not a job of ours' }));
    },
    alarm: 'delivery-jobs-dead',
    says: '`delivery-jobs-dead`',
    shows: /WRONG +alarm +holdfast-local-delivery-jobs-dead/,
  },
  'endpoints-fail': {
    make: async place => {
      await place.customer('gone', '/410/gone', 6);
      await place.publish('gone', 1);
    },
    alarm: 'delivery-disabled-many',
    says: '`delivery-disabled-many`',
    shows: /disabled/,
  },
  'our-sending-fails': { unmade: 'another master secret' },
};
