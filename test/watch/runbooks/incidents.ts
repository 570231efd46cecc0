/** For each runbook: how its incident is made, the alarm that rings, and what its first command then shows. */
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { Runbook } from '#lib/alarms/runbooks.ts';
import { outputOf } from '#local/stacks/gateway-address.ts';
import { pkOf } from '#test/e2e/gateway-under-test.ts';
import type { BrokenGateway } from './broken-gateway.ts';

export type Lane = 'receiving' | 'sweeper' | 'sending';

export interface Incident {
  /** Takes the time that it takes; the answer, if there is one, takes the cause away. */
  readonly make: (place: BrokenGateway) => Promise<undefined | (() => Promise<unknown>)>;
  readonly alarm: string;
  /** What stands on the page, word for word, and what of it the first command shows. */
  readonly says: string;
  readonly shows: RegExp;
  /** What a person knows from the alarm's name. */
  readonly source?: string;
  /** Further commands of the page, as it prints them, and what each shows. */
  readonly further?: readonly (readonly [command: string, shows: RegExp])[];
  /** The same, once the cause was taken away: what the page promises for then. */
  readonly after?: readonly (readonly [command: string, shows: RegExp])[];
  /** Those of a lane happen one after another, because they would disturb each other. @default at once, before all lanes */
  readonly lane?: Lane;
}

/** Why it cannot be made on one machine. */
interface Elsewhere {
  readonly elsewhere: string;
}

export const INCIDENTS: Readonly<Record<Runbook, Incident | Elsewhere>> = {
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
    make: async place => {
      const undo = await place.disableMapping('Process');
      const keys: string[] = [];
      for (let n = 0; n < 5; n++) keys.push(await place.send('default', 'loop.endless'));
      await place.callWithWaiting(keys);
      return undo;
    },
    alarm: 'process-errors',
    says: '`Task timed out`, or `lease_lost`',
    shows: /Task timed out/,
    lane: 'receiving',
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
  'providers-get-errors': {
    make: async place => {
      const undo = await place.misdeploy({ EVENTS_TABLE: 'nowhere' }, 'Ingest');
      await place.send('default', 'drill.unrecorded');
      return undo;
    },
    alarm: 'ingest-unrecorded-accepted',
    says: 'errors since a deploy',
    shows: /dynamodb/i,
    lane: 'receiving',
  },
  'throttled-tables': { elsewhere: 'the local AWS throttles no table and has no metric of one' },
  'no-concurrency': {
    make: async place => {
      const undo = await place.allowNone('Ingest');
      await place.send('default', 'drill.none', { expected: 429 });
      return undo;
    },
    alarm: 'ingest-throttled',
    says: 'reserved',
    shows: /"ConcurrentExecutions": \d+/,
    lane: 'receiving',
  },
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
  probe: {
    make: place => place.disableMapping('Process'),
    alarm: 'probe-missing-or-slow',
    says: '`not_completed`: accepted, and not processed',
    shows: /WRONG +processor +its event source mapping is Disabl/,
    further: [
      ['logs --of probe --since 15m', /not_completed/],
      ['processor start', /takes messages again/],
    ],
    after: [['events ls --source holdfast-probe --since 5m', /holdfast-probe/]],
    lane: 'receiving',
  },
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
  'clocks-and-metrics': {
    make: async place => {
      await place.send('default', 'clock.off');
      await place.everySecond(40, () => place.send('default', 'drill.fine'));
      return await place.misdeploy({}, 'Process');
    },
    alarm: 'clock-difference',
    says: 'the clock of a function',
    shows: /WRONG +alarm +holdfast-local-clock-difference/,
    further: [
      ['dlq ls', /./],
      ['refused ls', /./],
    ],
    lane: 'receiving',
  },
  'sending-falls-behind': {
    make: async place => {
      const undo = await place.disableMapping('FanOut');
      // Up to three endpoints need no job.
      await place.customer('behind', '/ok', 4);
      await place.publish('behind', 2);
      return undo;
    },
    alarm: 'delivery-fan-out-age',
    says: 'job: `delivery-fan-out-age`',
    shows: /delivery-fan-out-age/,
    // A message that is no job is an incident of before.
    further: [['logs --of fan-out --errors', /[Nn]o line|is no job/]],
    lane: 'sending',
  },
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
  'our-sending-fails': {
    make: async place => {
      await place.customer('sealed', '/ok', 25);
      const undo = await place.loseMaster();
      await place.publish('sealed', 1);
      return undo;
    },
    alarm: 'delivery-own-fault',
    says: 'the secret cannot be opened',
    shows: /the secret cannot be opened/,
    lane: 'sending',
  },
};
