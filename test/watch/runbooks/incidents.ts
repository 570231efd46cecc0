/** For each runbook: how its incident is made, the alarm that rings, and what its first command then shows. */
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { Runbook } from '#lib/alarms/runbooks.ts';
import { outputOf } from '#local/stacks/gateway-address.ts';
import { pkOf } from '#test/e2e/gateway-under-test.ts';
import type { BrokenGateway } from './broken-gateway.ts';

export type Lane = 'receiving' | 'sweeper' | 'sending';

/** What stands on the page, as it prints it without the environment, and what it then shows. */
export interface Step {
  /** `<event>` and the like are filled in from `known`. */
  readonly prints: string;
  readonly shows: RegExp;
  /** Beside it: the answer to a question, or what a dry run of the page becomes. */
  readonly more?: string;
  /** Instead of it: the page names an option of a command that it has printed. */
  readonly types?: string;
  readonly stdin?: string;
  /** It acts, so once is enough; else it is typed until it shows what it should. */
  readonly once?: true;
}

/** What a person reads on the screen before, by what the page calls it: `event`, `source`, `app`. */
export type Known = Record<string, string>;

export interface Incident {
  /** Takes the time that it takes; the answer, if there is one, takes the cause away. */
  readonly make: (place: BrokenGateway, known: Known) => Promise<undefined | (() => Promise<unknown>)>;
  readonly alarm: string;
  /** What stands on the page, word for word, and what of it the first command shows. */
  readonly says: string;
  readonly shows: RegExp;
  /** What is known from the alarm's name, or will be once it is made. */
  readonly known?: Readonly<Known>;
  /** Further commands of the page. */
  readonly further?: readonly Step[];
  /** The same, once the cause was taken away: what the page promises for then. */
  readonly after?: readonly Step[];
  /** Commands of the page that are typed for another one, or cannot be here, each with the reason. */
  readonly untyped?: Readonly<Record<string, string>>;
  /** Those of a lane happen one after another, because they would disturb each other. @default at once, before all lanes */
  readonly lane?: Lane;
}

/** Why it cannot be made on one machine. */
interface Elsewhere {
  readonly elsewhere: string;
}

/** Of a log: some, or none, each said so. */
const LINES = /^No lines|^\d{4}-\d\d-\d\dT/m;

export const INCIDENTS: Readonly<Record<Runbook, Incident | Elsewhere>> = {
  'dead-letters': {
    make: async (place, known) => {
      const keys = await Promise.all(
        [1, 2].map(() => place.send('default', 'drill.dies', { data: { behave: 'die' } })),
      );
      for (const key of keys) await place.gateway.waitFor(pkOf('default', key), it => it.status === 'dead_letter');
      for (const [n, name] of ['event', 'other'].entries()) known[name] = `evt_default.${keys[n]}`;
    },
    alarm: 'process-new-dead-letters',
    says: '`permanent`',
    shows: /drill\.dies +permanent/,
    known: { cause: 'permanent' },
    further: [
      { prints: 'events get <event>', shows: /status +dead[\s\S]*permanent/ },
      { prints: '--body', types: 'events get <event> --body', shows: /"behave": ?"die"/ },
      { prints: 'replay --cause <cause> --since 24h --dry-run', shows: /[2-9] events? match/ },
      { prints: 'replay <event> --why "…"', more: '--yes', shows: /1 (?:of 1 )?replayed|replayed/, once: true },
      { prints: 'dlq redrive --cause never_recorded', more: '--yes', shows: /0 messages moved/, once: true },
      { prints: 'events get <event>', shows: /status +dead[\s\S]*replay/ },
      { prints: 'dlq close <event> --why "…"', more: '<other> --yes', shows: /closed/, once: true },
      { prints: 'dlq purge', more: '--yes', shows: /\d+ messages deleted/, once: true },
    ],
    after: [{ prints: 'dlq ls', shows: /^(?![\s\S]*drill\.dies)/ }],
  },
  'handlers-fail': {
    make: async place => {
      await place.everySecond(5, () => place.send('failing', 'drill.throws', { data: { behave: 'throw' } }));
      return () => place.send('failing', 'drill.throws');
    },
    alarm: 'process-handler-only-fails',
    says: 'a line `failing`',
    shows: /failing +.*drill\.throws/,
    known: { source: 'failing' },
    further: [
      { prints: 'logs --of process --errors', shows: /drill\.throws|DrillError|Error/ },
      { prints: 'pause <source> --why "…"', more: '--yes', shows: /failing is paused; its events wait/, once: true },
      { prints: 'resume <source>', shows: /failing runs again/, once: true },
    ],
    after: [{ prints: 'status', shows: /^(?![\s\S]*failing +.*drill\.throws)/ }],
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
    known: { source: 'default' },
    further: [
      { prints: 'processor stop', more: '--yes', shows: /processor stops within seconds/, once: true },
      { prints: 'logs --of process --errors', shows: LINES },
      { prints: 'pause <source> --why "…"', more: '--yes', shows: /default is paused; its events wait/, once: true },
      { prints: 'resume <source>', shows: /default runs again/, once: true },
      { prints: 'processor start', shows: /takes messages again/, once: true },
    ],
    after: [{ prints: 'status', shows: /^(?![\s\S]*processor is stopped)/ }],
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
    further: [
      { prints: 'logs --of sweep --errors', shows: /nowhere|ResourceNotFound/ },
      { prints: 'run sweep', shows: /sweep/, once: true },
    ],
    after: [{ prints: 'doctor', shows: /ok +sweeper/ }],
    lane: 'sweeper',
  },
  'paused-too-long': {
    make: async place => {
      await place.holdfast(['pause', 'resting', '--why', 'their database moves', '--yes']);
      await place.send('resting', 'drill.rests');
    },
    alarm: 'sweep-paused-too-long',
    says: '`sources ls` has name and reason',
    shows: /resting.*ada.*their database moves/s,
    known: { source: 'resting' },
    further: [
      { prints: 'status', shows: /resting/ },
      { prints: 'resume <source>', shows: /resting runs again/, once: true },
    ],
    after: [{ prints: 'sources ls', shows: /resting +.*receiving/ }],
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
    known: { source: 'spare' },
    further: [
      {
        prints: 'sources set-secret <source>',
        more: '--yes',
        stdin: 'of-a-provider\n',
        shows: /secret of spare is set/,
        once: true,
      },
    ],
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
    known: { source: 'rotated' },
    further: [
      { prints: 'refused show <id>', shows: /mismatch/ },
      {
        prints: 'sources rotate <source> --grace 24h',
        more: '--yes',
        stdin: 'another\n',
        shows: /Both secrets of rotated/,
        once: true,
      },
    ],
  },
  'silent-source': {
    make: async place => {
      await place.holdfast(['send', 'github', '--wait', '30']);
    },
    alarm: 'ingest-silent-source-github',
    says: 'Enable it at the provider',
    shows: /ago +github +push/,
    known: { source: 'github' },
    untyped: { 'logs --of requests --since 2h': 'the API of the local AWS writes no access log' },
  },
  probe: {
    make: place => place.disableMapping('Process'),
    alarm: 'probe-missing-or-slow',
    says: '`not_completed`: accepted, and not processed',
    shows: /WRONG +processor +its event source mapping is Disabl/,
    further: [
      { prints: 'logs --of probe --since 15m', shows: /not_completed/ },
      { prints: 'processor start', shows: /takes messages again/ },
    ],
    after: [{ prints: 'events ls --source holdfast-probe --since 5m', shows: /holdfast-probe/ }],
    lane: 'receiving',
  },
  'odd-events': {
    make: async (place, known) => {
      const key = await place.send('default', 'drill.twice');
      await place.send('default', 'drill.twice', { key, data: { other: true } });
      known['event'] = `evt_default.${key}`;
    },
    alarm: 'ingest-payload-conflicts',
    says: 'one id, two bodies',
    shows: /conflict +.*one event id arrived with two bodies/,
    known: { source: 'default' },
    further: [
      { prints: 'replay <event> --body <sha256> --why "…"', more: '--yes', shows: /replayed/, once: true },
      {
        prints: 'replay --source <source> --status skipped_stale --since 1d --dry-run',
        shows: /0 events? match|[Nn]o event/,
      },
      { prints: 'sources shapes <source>', shows: /drill\.twice/ },
    ],
  },
  audit: {
    make: async place => {
      await place.holdfast(['pause', 'keyless', '--why', 'an audit', '--yes']);
      await place.loseBody(await place.send('keyless', 'drill.lost'));
      await place.holdfast(['run', 'audit']);
    },
    alarm: 'audit-ledger-mismatch',
    says: '`payload_missing`',
    shows: /payload_missing/,
    further: [{ prints: 'run audit', shows: /audit/, once: true }],
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
      { prints: 'dlq ls', shows: /No open dead letters|COUNT +SOURCE/ },
      { prints: 'refused ls', shows: /ID +REFUSED|[Nn]othing|No / },
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
    known: { app: 'uid:behind', endpoint: 'uid:behind-0' },
    says: 'job: `delivery-fan-out-age`',
    shows: /delivery-fan-out-age/,
    // A message that is no job is an incident of before.
    further: [
      { prints: 'logs --of fan-out --errors', shows: /[Nn]o line|is no job/ },
      { prints: 'logs --of drain-fast --errors', shows: LINES },
      { prints: 'out endpoints <app> <endpoint>', shows: /behind-0/ },
    ],
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
    further: [
      { prints: 'logs --of fan-out --errors', shows: /is no job/ },
      { prints: 'logs --of tend --errors', shows: LINES },
      { prints: 'run tend', shows: /tend/, once: true },
    ],
  },
  'endpoints-fail': {
    make: async place => {
      await place.customer('gone', '/410/gone', 6);
      await place.publish('gone', 1);
    },
    alarm: 'delivery-disabled-many',
    says: '`delivery-disabled-many`',
    shows: /disabled/,
    known: { app: 'uid:gone', endpoint: 'uid:gone-0' },
    further: [
      { prints: 'out deliveries <app> <endpoint>', shows: /410/ },
      { prints: 'out retry <app> --dead --since 24h --dry-run', shows: /\d/ },
      { prints: 'out resume <app> <endpoint> --why "…"', shows: /^\S+ is \w+ \(\w+\)/m, once: true },
      { prints: 'logs --of drain-fast --errors', shows: LINES },
    ],
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
    further: [
      { prints: 'logs --of publish --errors', shows: LINES },
      { prints: 'logs --of contacts --errors', shows: LINES },
    ],
    lane: 'sending',
  },
};
