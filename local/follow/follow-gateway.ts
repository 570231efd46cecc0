/** What `npm start` shows once everything runs: events, alarms, messages to on-call, and what a deployment changed. */
import { setTimeout as wait } from 'node:timers/promises';
import type { SourceId } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import type { Place } from '#core/names.ts';
import { type AlarmChange, runAlarms } from '#local/alarms/alarms.ts';
import type { JudgedAlarms } from '#local/alarms/judged-alarms.ts';
import { type Page, Pager } from '#local/alarms/pager.ts';
import type { AwsClients } from '#local/emulator/aws-clients.ts';
import type { LocalAws } from '#local/emulator/emulator.ts';
import { watchEnd } from '#local/emulator/has-ended.ts';
import { keepLocalSecrets } from '#local/project/stored-secrets.ts';
import { type DeployedSourceUrl, deployedSources } from '#local/stacks/deployed-here.ts';
import type { DeployedStack } from '#local/stacks/deployed-stack.ts';
import { outputOf } from '#local/stacks/gateway-address.ts';
import type { Gateway } from '#operator/gateway.ts';
import { FollowLog } from '#operator/health/follow-log.ts';
import { followRefused } from '#operator/refused/follow-refused.ts';
import type { RefusedRequest } from '#operator/refused/refused.ts';
import { followDeployments } from './follow-deployments.ts';
import { followMails, type SentMail } from './follow-mails.ts';

const KEEP_SECRETS_MS = 5_000;
const EVENTS_MS = 500;
/** What has only arrived, or is at work, is no line yet. */
const UNTOLD: readonly string[] = ['pending', 'processing'];

interface Shown {
  event(item: EventItem): void;
  refused(request: RefusedRequest): void;
  alarm(change: AlarmChange): void;
  page(page: Page): void;
  mail(mail: SentMail): void;
  /** Sources that the last deployment added and took away. */
  deployed(added: readonly DeployedSourceUrl[], removed: readonly DeployedSourceUrl[]): void;
}

interface Followed {
  readonly aws: LocalAws;
  readonly clients: AwsClients;
  readonly stacks: readonly DeployedStack[];
  readonly gateway: Gateway;
  /** Told which alarms there are. */
  readonly judged: JudgedAlarms;
}

/** Until aborted. Throws UserError when the local AWS ends meanwhile. */
export async function followGateway(followed: Followed, show: Shown, signal: AbortSignal): Promise<void> {
  const { aws, clients, stacks, gateway } = followed;
  const { store, payloads, clock, timer } = gateway;
  const named = gateway.deployment.config;
  const { environment } = named;
  const pager = await Pager.open(aws, clients, [outputOf(stacks, 'PageTopic'), outputOf(stacks, 'TicketTopic')]);
  let deployed = deployedSources(stacks);
  /** Who follows looks at these, whatever they are then. */
  const sources: SourceId[] = deployed.map(({ id }) => id);
  let alarms = followAlarms(followed, stacks, show, signal);
  const onDeployed = (next: readonly DeployedStack[]): void => {
    // Other sources have other alarms, and a changed threshold is another alarm.
    alarms.stop();
    alarms = followAlarms(followed, next, show, signal);
    const before = deployed;
    deployed = deployedSources(next);
    sources.splice(0, sources.length, ...deployed.map(({ id }) => id));
    const missingIn = (list: readonly DeployedSourceUrl[]) => (each: DeployedSourceUrl) =>
      !list.some(({ id }) => id === each.id);
    show.deployed(deployed.filter(missingIn(before)), before.filter(missingIn(deployed)));
  };
  const memory = { load: () => undefined, save: () => undefined };
  const often = { since: clock.now(), pollMs: EVENTS_MS, failures: true };
  const log = new FollowLog({ store, clock, timer, sources, memory, ...often });
  const tell = async (item: EventItem): Promise<boolean> => {
    if (!UNTOLD.includes(item.status)) show.event(item);
    return true;
  };
  await Promise.all([
    log.follow(tell, signal),
    followRefused({ payloads, timer, sources }, request => show.refused(request), signal),
    watchEnd(aws, signal),
    followDeployments({ aws, environment, client: clients.cloudFormation }, onDeployed, signal),
    pager.listen(signal, page => show.page(page)),
    followMails(aws, mail => show.mail(mail), signal),
    keepSecrets(clients, named, signal),
  ]);
  await alarms.ended;
}

function followAlarms(
  { aws, clients, judged }: Followed,
  stacks: readonly DeployedStack[],
  show: Shown,
  signal: AbortSignal,
) {
  const own = new AbortController();
  const either = AbortSignal.any([signal, own.signal]);
  const ended = runAlarms(aws, clients, stacks, change => show.alarm(change), either, judged);
  return { stop: () => own.abort(), ended };
}

async function keepSecrets(clients: AwsClients, named: Place, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await wait(KEEP_SECRETS_MS, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await keepLocalSecrets(clients.secrets, named);
  }
}
